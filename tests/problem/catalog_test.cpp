#include "problem/catalog.h"

#include "problem/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace tilestep::problem {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A folder of the test's own, removed at its end.
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
  const Result<Catalog> catalog = load_catalog(fs::path(TILESTEP_SOURCE_DIR) / "kernels");
  ASSERT_TRUE(catalog) << catalog.error().message;
  ASSERT_GE(catalog->kernels.size(), 4U);
  EXPECT_EQ(catalog->kernels[0].id, "naive");
  for (const LaunchSpec& spec : catalog->kernels) {
    EXPECT_FALSE(spec.title.empty());
    EXPECT_FALSE(spec.summary.empty());
    for (int block_size = 1; block_size <= 32; ++block_size) {
      const int size = 2 * block_size;
      const Result<Launch> launch = evaluate(spec, {{size, size, size}, block_size}, {});
      ASSERT_TRUE(launch) << launch.error().message;
      EXPECT_TRUE(expected_result(*launch, Reference::Plain)) << spec.id;
      EXPECT_NE(spec.source.find(spec.entry.substr(0, spec.entry.find('<'))), std::string::npos);
    }
  }
}

TEST(Catalog, Submatrix_SaysThatBlockSizeMustDivide) {
  const Result<Catalog> catalog = load_catalog(fs::path(TILESTEP_SOURCE_DIR) / "kernels");
  ASSERT_TRUE(catalog);
  const LaunchSpec* const spec = catalog->find("submatrix");
  ASSERT_NE(spec, nullptr);
  const Result<Launch> launch = evaluate(*spec, {{8, 8, 9}, 4}, {});
  ASSERT_FALSE(launch);
  EXPECT_THAT(launch.error().message, HasSubstr("BLOCK_SIZE must divide M, N and K"));
}

TEST(Catalog, FindsById) {
  Catalog catalog;
  catalog.kernels.resize(2);
  catalog.kernels[1].id = "x";
  EXPECT_EQ(catalog.find("x"), &catalog.kernels[1]);
  EXPECT_EQ(catalog.find("y"), nullptr);
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
      HasSubstr("its launch cannot be guessed, because it has no __global__ function. Write "
                "my.toml beside it"));
}

TEST_F(CatalogTest, WrongToml_IsNotReplacedByAGuess) {
  const fs::path cu = write("my.cu", kKernel);
  write("my.toml", "entyr = \"mm\"\n");
  const Result<LaunchSpec> spec = load_kernel_file(cu);
  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error().message, HasSubstr("my.toml:1: key 'entyr'"));
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
  EXPECT_THAT(find_spec(catalog, "tield").error().message, HasSubstr("There is no kernel 'tield'"));
}

}  // namespace
}  // namespace tilestep::problem
