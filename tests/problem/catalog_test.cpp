#include "problem/describe/catalog.h"

#include "folders.h"
#include "problem/describe/description.h"
#include "problem/launch/expected.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace tilestep::problem {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A folder for the test, removed at its end.
class CatalogTest : public testing::Test {
 public:
  CatalogTest() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("tilestep_" + std::string(test->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~CatalogTest() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  fs::path folder_;
};

const std::string kKernel =
    "__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) "
    "{ int y = threadIdx.y; }\n";

TEST(Catalog, OfTheRepository_EvaluatesForEveryBlockSize) {
  const Result<Catalog> catalog = load_catalog(tilestep::test::source_folder() / "kernels");
  ASSERT_TRUE(catalog) << catalog.error().message;
  ASSERT_GE(catalog->kernels.size(), 32U);
  for (const LaunchSpec& spec : catalog->kernels) {
    EXPECT_FALSE(spec.title.empty());
    EXPECT_FALSE(spec.summary.empty());
    EXPECT_FALSE(spec.family.empty());
    EXPECT_NE(spec.source.find(spec.entry.substr(0, spec.entry.find('<'))), std::string::npos);
    const Problem size = spec.default_problem.value_or(Problem{});
    const Result<Launch> launch = evaluate(spec, {size, spec.default_block_size}, {});
    ASSERT_TRUE(launch) << launch.error().message;
    EXPECT_FALSE(expected_outputs(*launch).empty()) << spec.id;
  }
}

// Reading one kernel leaves out the others, and does not change it.
TEST(Catalog, OfTheRepository_HasTheSameKernelWhereNoOtherIsRead) {
  const fs::path folder = tilestep::test::source_folder() / "kernels";
  const Result<Catalog> all = load_catalog(folder);
  ASSERT_TRUE(all) << all.error().message;
  for (const std::vector<LaunchSpec>* const list : {&all->kernels, &all->candidates}) {
    for (const LaunchSpec& spec : *list) {
      const Result<Catalog> alone = load_catalog(folder, spec.id);
      ASSERT_TRUE(alone) << alone.error().message;
      EXPECT_LT(alone->kernels.size(), all->kernels.size() / 3) << spec.id;
      EXPECT_EQ(alone->presets.size(), all->presets.size());
      const LaunchSpec* const found = alone->find(spec.id);
      ASSERT_NE(found, nullptr) << spec.id;
      EXPECT_EQ(description_text(*found, {}, {}), description_text(spec, {}, {}));
      EXPECT_EQ(found->source, spec.source);
      EXPECT_EQ(found->values, spec.values);
    }
  }
  EXPECT_EQ(load_catalog(folder, "no_such_kernel")->kernels.size(), all->kernels.size());
  EXPECT_TRUE(load_catalog(folder, "my/own.cu")->kernels.empty());
  EXPECT_EQ(load_catalog(folder, kBestBySize)->best.winners, all->best.winners);
}

// A kernel refuses a launch with a sentence and a cure; most accept any size.
TEST(Catalog, OfTheRepository_RefusesWithASentence) {
  const Result<Catalog> catalog = load_catalog(tilestep::test::source_folder() / "kernels");
  ASSERT_TRUE(catalog);
  int refusals = 0;
  int launches = 0;
  for (const LaunchSpec& spec : catalog->kernels) {
    for (int block_size = 1; block_size <= 32; ++block_size) {
      const int size = 2 * block_size;
      const Result<Launch> launch = evaluate_shape(spec, {{size, size, size}, block_size});
      ++(launch ? launches : refusals);
      if (!launch) {
        EXPECT_THAT(launch.error().message, testing::StartsWith(spec.id + ": "));
        EXPECT_THAT(launch.error().message, HasSubstr(". Choose "));
      }
    }
  }
  EXPECT_GT(launches, 25 * 32);
  EXPECT_GT(refusals, 2 * 24);  // four floats at a time: three of four BLOCK_SIZEs
}

TEST(Catalog, OfTheRepository_StandsFamilyByFamily) {
  const Result<Catalog> catalog = load_catalog(tilestep::test::source_folder() / "kernels");
  ASSERT_TRUE(catalog);
  std::size_t next = 0;
  for (const Family& family : families(*catalog)) {
    EXPECT_GE(family.kernels.size(), 3U) << family.name;
    for (const std::size_t kernel : family.kernels) {
      EXPECT_EQ(kernel, next++) << catalog->kernels[kernel].id << " stands apart from its family";
    }
  }
  EXPECT_EQ(next, catalog->kernels.size());
}

TEST(Catalog, PresetsOfTheRepository_AreAllowedBySomeKernel) {
  const Result<Catalog> catalog = load_catalog(tilestep::test::source_folder() / "kernels");
  ASSERT_TRUE(catalog);
  ASSERT_GE(catalog->presets.size(), 5U);
  for (const Preset& preset : catalog->presets) {
    EXPECT_FALSE(preset.title.empty());
    EXPECT_FALSE(preset.summary.empty());
    const Parameters parameters{preset.problem, preset.block_size.value_or(4)};
    const Result<Launch> launch =
        evaluate(*catalog->find("tiled"), parameters, preset.input.value_or(InputSpec{}));
    EXPECT_TRUE(launch) << preset.id;
  }
  const Preset given = *catalog->find_preset("2x3_3x4");
  const Launch launch =
      *evaluate(*catalog->find("naive"), {given.problem, *given.block_size}, *given.input);
  EXPECT_EQ(to_matrix(launch.buffers[0], launch.buffers[0].contents).at(0, 2), 33.5F);
  EXPECT_EQ(to_matrix(launch.buffers[1], launch.buffers[1].contents).at(2, 3), 73.0F);
}

TEST(Catalog, ShippedLaunches_AreThoseThatTheKernelAllows) {
  const Result<Catalog> catalog = load_catalog(tilestep::test::source_folder() / "kernels");
  ASSERT_TRUE(catalog);
  const auto block_sizes = [&](const char* kernel) {
    std::set<int> sizes;
    for (const Launch& launch : shipped_launches(*catalog, *catalog->find(kernel))) {
      sizes.insert(launch.parameters.block_size);
    }
    return sizes;
  };
  EXPECT_EQ(block_sizes("tiled").size(), 32U);
  EXPECT_EQ(block_sizes("tiled_wrong_index"),
            (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32}));
  EXPECT_EQ(block_sizes("float4_loads"), (std::set<int>{4, 8, 12, 16, 20, 24, 28, 32}));
}

TEST(Catalog, Submatrix_SaysThatBlockSizeMustDivideOnAGpu) {
  const Result<Catalog> catalog = load_catalog(tilestep::test::source_folder() / "kernels");
  ASSERT_TRUE(catalog);
  const LaunchSpec* const spec = catalog->find("submatrix");
  ASSERT_NE(spec, nullptr);
  const Result<Launch> launch = evaluate(*spec, {{8, 8, 9}, 4}, {});
  ASSERT_TRUE(launch);
  EXPECT_THAT(launch->not_on_gpu,
              testing::ElementsAre(HasSubstr("BLOCK_SIZE must divide M, N and K")));
}

TEST_F(CatalogTest, AMistakeIsToldWithItsLineWhereItsKernelIsRead) {
  write("k.cu", kKernel);
  std::string text;
  for (const std::string id : {"a", "b"}) {
    text += "\n[[kernel]]\nid = \"" + id + "\"\nsource = \"k.cu\"\nentry = \"mm\"\nblock = 1\n" +
            (id == "b" ? "grid = \"N +\"\n" : "grid = \"N\"\n");
  }
  const fs::path folder = write("catalog.toml", text).parent_path();
  EXPECT_TRUE(load_catalog(folder, "a"));
  EXPECT_THAT(load_catalog(folder, "b").error().message, HasSubstr("catalog.toml:14: \"N +\""));
  EXPECT_FALSE(load_catalog(folder));
  const auto unchecked = load_catalog(folder, "", Expressions::Known);
  ASSERT_TRUE(unchecked);
  EXPECT_THAT(evaluate_shape(*unchecked->find("b"), {}).error().message, HasSubstr("\"N +\""));
}

TEST(Catalog, FindsById) {
  Catalog catalog;
  catalog.kernels.resize(2);
  catalog.kernels[1].id = "x";
  EXPECT_EQ(catalog.find("x"), &catalog.kernels[1]);
  EXPECT_EQ(catalog.find("y"), nullptr);
}

TEST(Catalog, FindsPresetsById) {
  Catalog catalog;
  catalog.presets.resize(2);
  catalog.presets[0].id = "3x3";
  catalog.presets[1].id = "4x4";
  EXPECT_EQ(catalog.find_preset("4x4"), &catalog.presets[1]);
  EXPECT_EQ(catalog.find_preset("5x5"), nullptr);
  EXPECT_EQ(find_preset(catalog, "5x5").error().message,
            "Preset '5x5' does not exist. Choose from the catalog: 3x3, 4x4.");
}

TEST(Catalog, FamiliesKeepTheOrderAndEveryKernel) {
  Catalog catalog;
  for (const char* const family : {"Naive", "Tiles", "Naive", ""}) {
    catalog.kernels.emplace_back();
    catalog.kernels.back().family = family;
  }
  const std::vector<Family> all = families(catalog);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "Naive");
  EXPECT_THAT(all[0].kernels, testing::ElementsAre(0, 2));
  EXPECT_THAT(all[1].kernels, testing::ElementsAre(1));
  EXPECT_EQ(all[2].name, "");
}

TEST(Catalog, SweepsTakeTimedKernelsAlong) {
  Catalog catalog;
  catalog.kernels.resize(3);
  catalog.kernels[0].id = "a";
  catalog.kernels[1].id = "b";
  catalog.kernels[1].timed = false;
  catalog.kernels[2].id = "c";
  EXPECT_THAT(timed_kernels(catalog), testing::ElementsAre("a", "c"));
}

TEST_F(CatalogTest, MissingFiles_AreNamed) {
  Result<Catalog> catalog = load_catalog(folder_);
  ASSERT_FALSE(catalog);
  EXPECT_THAT(catalog.error().message, HasSubstr("catalog.toml cannot be read: No such file"));
  write("catalog.toml",
        "[[kernel]]\nid = \"a\"\nsource = \"a.cu\"\nentry = \"a\"\ngrid = [1]\nblock = [1]\n");
  catalog = load_catalog(folder_);
  ASSERT_FALSE(catalog);
  EXPECT_THAT(catalog.error().message, HasSubstr("kernel 'a': "));
  EXPECT_THAT(catalog.error().message, HasSubstr("a.cu cannot be read"));
}

TEST_F(CatalogTest, KernelWithoutIdOrSource_IsRefused) {
  write("catalog.toml", "[[kernel]]\nentry = \"a\"\ngrid = [1]\nblock = [1]\n");
  const Result<Catalog> catalog = load_catalog(folder_);
  ASSERT_FALSE(catalog);
  EXPECT_THAT(catalog.error().message, HasSubstr("kernel 'a' needs an id and a source"));
}

TEST_F(CatalogTest, KernelFile_TakesTheTomlBesideIt) {
  const fs::path cu = write("my.cu", kKernel);
  write("my.toml", "title = \"Mine\"\nentry = \"mm\"\ngrid = [1]\nblock = [\"BLOCK_SIZE\"]\n");
  const Result<LaunchSpec> spec = load_kernel_file(cu);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->id, "my");
  EXPECT_EQ(spec->title, "Mine");
  EXPECT_EQ(spec->source_name, "my.cu");
  EXPECT_EQ(spec->source, kKernel);
  const Result<LaunchSpec> same = load_kernel_file(folder_ / "my.toml");
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(same->source, kKernel);
}

TEST_F(CatalogTest, TomlFile_MayNameItsSource) {
  write("other.cu", kKernel);
  const fs::path toml =
      write("my.toml", "source = \"other.cu\"\nentry = \"mm\"\ngrid = [1]\nblock = [1]\n");
  const Result<LaunchSpec> spec = load_kernel_file(toml);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->source_name, "other.cu");
}

TEST_F(CatalogTest, KernelFileWithoutToml_IsGuessed) {
  const Result<LaunchSpec> spec = load_kernel_file(write("my.cu", kKernel));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->id, "my");
  EXPECT_EQ(spec->title, "mm");
  EXPECT_EQ(spec->entry, "mm");
}

TEST_F(CatalogTest, WhatCannotBeGuessed_SaysWhatToWrite) {
  const Result<LaunchSpec> spec = load_kernel_file(write("my.cu", "int x;"));
  ASSERT_FALSE(spec);
  EXPECT_THAT(
      spec.error().message,
      HasSubstr("Tilestep cannot guess its launch, because it has no __global__ function. Write "
                "my.toml in the same folder"));
}

TEST_F(CatalogTest, WrongToml_IsNotReplacedByAGuess) {
  const fs::path cu = write("my.cu", kKernel);
  write("my.toml", "entyr = \"mm\"\n");
  const Result<LaunchSpec> spec = load_kernel_file(cu);
  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error().message,
              HasSubstr("my.toml:1: unknown key 'entyr'. Did you mean 'entry'?"));
}

TEST_F(CatalogTest, NoSuchFile_IsASentence) {
  const Result<LaunchSpec> spec = load_kernel_file(folder_ / "none.cu");
  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error().message, HasSubstr("none.cu cannot be read: No such file"));
  EXPECT_THAT(load_kernel_file(folder_).error().message, HasSubstr("is a folder"));
}

TEST_F(CatalogTest, IncludedFiles_ComeAlong) {
  write("a.h", "#include \"b.h\"\n#include \"a.h\"\n");
  write("b.h", "int b;\n");
  const Result<LaunchSpec> spec =
      load_kernel_file(write("my.cu", "#include \"a.h\"\n#include \"none.h\"\n" + kKernel));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_THAT(spec->headers, testing::UnorderedElementsAre(
                                 testing::Pair("a.h", "#include \"b.h\"\n#include \"a.h\"\n"),
                                 testing::Pair("b.h", "int b;\n")));
}

TEST_F(CatalogTest, CsvInput_IsReadFromItsFile) {
  write("a.csv", "1,2\n");
  const fs::path cu = write("my.cu", kKernel);
  write("my.toml",
        "entry = \"mm\"\ngrid = [1]\nblock = [1]\nbuffers = [{ name = \"A\", rows = 1, cols = 2, "
        "input = { pattern = \"csv\", file = \"a.csv\" } }]\n");
  const Result<LaunchSpec> spec = load_kernel_file(cu);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->buffers[0].input->csv, "1,2\n");
  fs::remove(folder_ / "a.csv");
  EXPECT_THAT(load_kernel_file(cu).error().message, HasSubstr("a.csv cannot be read"));
}

TEST_F(CatalogTest, FindSpec_TakesIdsAndPaths) {
  Catalog catalog;
  catalog.kernels.resize(1);
  catalog.kernels[0].id = "tiled";
  EXPECT_EQ(find_spec(catalog, "tiled")->id, "tiled");
  EXPECT_EQ(find_spec(catalog, write("my.cu", kKernel).string())->id, "my");
  EXPECT_THAT(find_spec(catalog, "tield").error().message,
              HasSubstr("Kernel 'tield' does not exist"));
}

}  // namespace
}  // namespace tilestep::problem
