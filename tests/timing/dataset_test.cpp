#include "timing/dataset.h"

#include "folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tilestep::timing {
namespace {

// Sizes with M = N = K, sorted.
std::vector<int> square_sizes(const DataSet& set) {
  std::set<int> sizes;
  for (const Point& point : set.points) {
    if (point.problem.M == point.problem.N && point.problem.N == point.problem.K) {
      sizes.insert(point.problem.M);
    }
  }
  return {sizes.begin(), sizes.end()};
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::filesystem::path golden() {
  return tilestep::test::source_folder() / "tests/timing/golden/small.json";
}

// The golden text with one piece replaced: the piece must be there.
std::string changed(const std::string& piece, const std::string& replacement) {
  std::string text = read(golden());
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return text.replace(at, piece.size(), replacement);
}

std::string file_error(const std::string& json) {
  const Result<DataSet> data = parse_dataset(json, "small.json");
  return data ? "no error" : data.error().message;
}

// A separate folder for each test, removed with it.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tilestep-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;

  std::filesystem::path path;
};

TEST(Statistics, QuartilesAreThoseOfRTypeSeven) {
  // quantile(c(7, 1, 3, 10), type = 7) in R: 1.00 2.50 5.00 7.75 10.00
  const Statistics s = statistics({7, 1, 3, 10});
  EXPECT_DOUBLE_EQ(s.min_ms, 1.0);
  EXPECT_DOUBLE_EQ(s.q1_ms, 2.5);
  EXPECT_DOUBLE_EQ(s.median_ms, 5.0);
  EXPECT_DOUBLE_EQ(s.q3_ms, 7.75);
  EXPECT_DOUBLE_EQ(s.max_ms, 10.0);
  EXPECT_EQ(s.samples, 4U);
}

TEST(Statistics, AnOddCountHitsItsSamplesExactly) {
  const Statistics s = statistics({5, 4, 3, 2, 1});
  EXPECT_DOUBLE_EQ(s.q1_ms, 2.0);
  EXPECT_DOUBLE_EQ(s.median_ms, 3.0);
  EXPECT_DOUBLE_EQ(s.q3_ms, 4.0);
}

TEST(Statistics, OneSampleIsAllOfThem) {
  const Statistics s = statistics({2.5});
  EXPECT_DOUBLE_EQ(s.q1_ms, 2.5);
  EXPECT_DOUBLE_EQ(s.median_ms, 2.5);
  EXPECT_DOUBLE_EQ(s.q3_ms, 2.5);
}

TEST(Statistics, NoSampleGivesZeros) {
  const Statistics s = statistics({});
  EXPECT_EQ(s.samples, 0U);
  EXPECT_EQ(s.median_ms, 0.0);
}

TEST(Samples, HaveTheStatisticsOfWhatTheyWereSetTo) {
  Point point;
  EXPECT_EQ(point.samples_ms.statistics().samples, 0U);
  point.samples_ms = {3, 1, 2};
  EXPECT_DOUBLE_EQ(point.samples_ms.statistics().median_ms, 2.0);
  EXPECT_EQ(point.samples_ms.ms(), (std::vector<double>{3, 1, 2})) << "in order of measuring";
  point.samples_ms = std::vector<double>{7, 1, 3, 10};
  EXPECT_DOUBLE_EQ(point.samples_ms.statistics().q3_ms, 7.75);
  EXPECT_EQ(point.samples_ms.statistics().samples, 4U);
}

TEST(Gflops, CountsTwoOperationsAMultiplyAdd) {
  EXPECT_DOUBLE_EQ(gflops({1000, 1000, 1000}, 2.0), 1000.0);
  EXPECT_DOUBLE_EQ(gflops({4096, 4096, 4096}, 1.0), 137438.953472);
}

TEST(Gflops, APointMayNeedOtherOperationsThanAProduct) {
  Point point;
  point.problem = {1000, 1000, 5};
  EXPECT_DOUBLE_EQ(gflops(point, 2.0), 5.0);
  point.flops = 2.0 * 1000 * 1000 * 5 * 5;
  EXPECT_DOUBLE_EQ(gflops(point, 2.0), 25.0);
  point.kernel = "convolution_tiled";
  point.samples_ms = {2.0};
  const Result<Point> read = parse_point(to_json(point));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, point);
}

TEST(Gflops, ATimeThatIsNoneGivesZero) {
  EXPECT_EQ(gflops({8, 8, 8}, 0.0), 0.0);
  EXPECT_EQ(gflops({8, 8, 8}, -1.0), 0.0);
}

TEST(DataSetFile, TheGoldenFileIsReadInFull) {
  const Result<DataSet> data = load_dataset(golden());
  ASSERT_TRUE(data.has_value()) << data.error().message;
  EXPECT_EQ(data->name, "small");
  const Provenance expected{
      "NVIDIA H200",   "580.159", "NVRTC 13.0", "13.1.0", "2026-11-21T10:00:00Z",
      "Debian \"12\"", 1980,      3201,         1980,     "by hand"};
  EXPECT_EQ(data->provenance, expected);
  ASSERT_EQ(data->points.size(), 3U);
  const Point tiled{"tiled", {512, 512, 512}, 16, {0.11, 0.1, 0.12}, true, "", 1965, 40, 2048};
  EXPECT_EQ(data->points[1], tiled);
  EXPECT_EQ(data->points[2].note, "BLOCK_SIZE must divide M, N and K");
}

TEST(DataSetFile, WritingTheGoldenFileGivesItsVeryBytes) {
  const Result<DataSet> data = load_dataset(golden());
  ASSERT_TRUE(data.has_value()) << data.error().message;
  EXPECT_EQ(to_json(*data), read(golden()));
}

TEST(DataSetFile, KernelsStandInOrderWithCublasLast) {
  const Result<DataSet> data = load_dataset(golden());
  EXPECT_THAT(data->kernels(), ElementsAre("tiled", "submatrix", "cublas"));
  EXPECT_THAT(square_sizes(*data), ElementsAre(512));
}

TEST(DataSet, SquareSizesAreSortedAndLeaveOutTheOthers) {
  DataSet data;
  for (const problem::Problem p :
       {problem::Problem{64, 64, 64}, {8, 8, 8}, {8, 8, 4}, {64, 64, 64}}) {
    data.points.push_back({"tiled", p, 4, {1.0}, true, "", 0, 0, 0});
  }
  EXPECT_THAT(square_sizes(data), ElementsAre(8, 64));
}

TEST(DataSet, FindWantsKernelProblemAndBlockSize) {
  const Result<DataSet> data = load_dataset(golden());
  EXPECT_EQ(data->find("tiled", {512, 512, 512}, 16), &data->points[1]);
  EXPECT_EQ(data->find("cublas", {512, 512, 512}, 0), data->points.data());
  EXPECT_EQ(data->find("tiled", {512, 512, 512}, 8), nullptr);
  EXPECT_EQ(data->find("tiled", {512, 512, 256}, 16), nullptr);
}

TEST(DataSetErrors, NameTheirPlace) {
  EXPECT_EQ(file_error(changed("0.1,0.12", "\"fast\",0.12")),
            "small.json: points[1].samples_ms[1]: expected a number of milliseconds, at least 0.");
  EXPECT_EQ(file_error(changed("0.1,0.12", "-0.1,0.12")),
            "small.json: points[1].samples_ms[1]: expected a number of milliseconds, at least 0.");
  EXPECT_EQ(file_error(changed("\"block_size\":16", "\"block_size\":1.5")),
            "small.json: points[1].block_size: expected an integer of at least 0.");
  EXPECT_EQ(file_error(changed("\"M\":512", "\"M\":0")),
            "small.json: points[0].M: expected an integer of at least 1.");
  EXPECT_EQ(file_error(changed("\"M\":512", "\"M\":99999999999")),
            "small.json: points[0].M: expected an integer of at least 1.");
  EXPECT_EQ(file_error(changed("\"driver\":\"580.159\",", "")),
            "small.json: provenance.driver: is missing.");
  EXPECT_EQ(file_error(changed("\"verified\":true", "\"verified\":1")),
            "small.json: points[0].verified: expected true or false.");
  EXPECT_EQ(file_error(changed("\"registers\":40", "\"registers\":-1")),
            "small.json: points[1].registers: expected an integer of at least 0.");
}

TEST(DataSetErrors, AFileThatIsNoJsonSaysWhere) {
  EXPECT_THAT(file_error("{\n  \"format\": tilestep\n}"), HasSubstr("small.json:2:14: not JSON: "));
  EXPECT_EQ(file_error("{\"points\": [1,"),
            "small.json:1:15: not JSON: unexpected end of input; expected '[', '{', or a literal. "
            "Correct the file, or write it again.");
  EXPECT_EQ(file_error("[1e400]"),
            "small.json: not JSON: number overflow parsing '1e400'. Correct the file, or write it "
            "again.");
  EXPECT_THAT(file_error(""), HasSubstr("not JSON"));
  EXPECT_EQ(file_error("[]"), "small.json: top level: expected an object.");
}

TEST(DataSetErrors, AnotherFormatAndANewerVersionAreRefused) {
  EXPECT_THAT(file_error(changed("tilestep-timings", "something")),
              HasSubstr("format: expected \"tilestep-timings\""));
  EXPECT_EQ(
      file_error(changed("\"version\": 1", "\"version\": 2")),
      "small.json: version: is 2, but this Tilestep reads versions up to 1. Update Tilestep.");
}

TEST(DataSetErrors, APointWithoutSamplesMustSayWhy) {
  EXPECT_EQ(file_error(changed("[0.0174,0.01731]", "[]")),
            "small.json: points[0]: has no samples and no note that gives the reason.");
}

TEST(DataSetErrors, KeysOfLaterVersionsAreIgnored) {
  EXPECT_TRUE(parse_dataset(changed("\"version\": 1", "\"version\": 1, \"new\": []"), "x"));
}

TEST(DataSetFile, AFileThatIsNotThereIsNamed) {
  const Result<DataSet> data = load_dataset("/nowhere/at/all.json");
  ASSERT_FALSE(data.has_value());
  EXPECT_THAT(data.error().message, HasSubstr("/nowhere/at/all.json cannot be read: No such file"));
}

TEST(DataSetFile, SavingMakesTheFolderAndLeavesNothingElseBehind) {
  const Folder folder;
  const std::filesystem::path file = folder.path / "timings" / "mine.json";
  DataSet data = *load_dataset(golden());
  ASSERT_TRUE(save_dataset(data, file));
  data.name = "mine";
  EXPECT_EQ(*load_dataset(file), data);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}), 1);
}

TEST(DataSetFile, AFailedSaveLeavesTheOldFileStanding) {
  const Folder folder;
  const std::filesystem::path file = folder.path / "mine.json";
  std::filesystem::create_directory(file);  // a rename onto a folder fails, for root too
  std::ofstream(file / "kept") << "kept";
  const Result<void> saved = save_dataset({}, file);
  ASSERT_FALSE(saved.has_value());
  EXPECT_THAT(saved.error().message, HasSubstr("mine.json: cannot be replaced"));
  EXPECT_EQ(read(file / "kept"), "kept");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
}

TEST(DataSetFile, AFullDiskIsSaid) {
  const Folder folder;
  const std::filesystem::path file = folder.path / "mine.json";
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{10, before.rlim_max};
  auto* const old_handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const Result<void> saved = save_dataset({}, file);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(saved.has_value());
  EXPECT_THAT(saved.error().message, HasSubstr("File too large. Free some space"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
}

TEST(DataSetFile, TextThatIsNoUtf8IsReplacedAndNotThrownAt) {
  DataSet data;
  data.provenance.host = "caf\xe9";
  EXPECT_THAT(to_json(data), HasSubstr("caf\xEF\xBF\xBD"));
}

// The shipped files are part of the program.
TEST(ShippedTimings, EveryFileIsReadAndEveryPointIsMeasuredOrExplained) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(tilestep::test::source_folder() / "assets/timings")) {
    if (entry.path().extension() != ".json") {
      continue;
    }
    ++files;
    const Result<DataSet> data = load_dataset(entry.path());
    ASSERT_TRUE(data.has_value()) << data.error().message;
    EXPECT_TRUE(
        std::regex_match(data->provenance.date, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
    EXPECT_FALSE(data->provenance.method.empty());
    for (const Point& point : data->points) {
      EXPECT_TRUE(point.samples_ms.size() >= 20 || !point.note.empty()) << point.kernel;
      EXPECT_TRUE(point.verified || !point.note.empty()) << point.kernel;
    }
  }
  EXPECT_GE(files, 1U);
}

TEST(ShippedTimings, TheH200SetHasEveryPointOfTheSweep) {
  const Result<DataSet> data =
      load_dataset(tilestep::test::source_folder() / "assets/timings/h200.json");
  ASSERT_TRUE(data.has_value()) << data.error().message;
  EXPECT_THAT(square_sizes(*data), ElementsAre(256, 512, 1000, 1001, 1024, 2048, 4096, 8192));
  for (const int n : square_sizes(*data)) {
    for (const char* library : {kCublas, kCublasTf32}) {
      const Point* cublas = data->find(library, {n, n, n}, 0);
      ASSERT_NE(cublas, nullptr) << library << ' ' << n;
      EXPECT_TRUE(cublas->verified);
      EXPECT_FALSE(cublas->warm_samples_ms.empty());
    }
    for (const char* kernel : {"naive", "tiled", "submatrix"}) {
      for (int block_size = 1; n <= 2048 && block_size <= 32; ++block_size) {
        const Point* point = data->find(kernel, {n, n, n}, block_size);
        ASSERT_NE(point, nullptr) << kernel << ' ' << n << ' ' << block_size;
        const bool divides = n % block_size == 0;
        EXPECT_EQ(point->samples_ms.empty(), std::string(kernel) == "submatrix" && !divides)
            << kernel << ' ' << n << ' ' << block_size;
      }
    }
  }
  for (const problem::Problem shape :
       {problem::Problem{4096, 512, 1024}, {512, 4096, 1024}, {512, 512, 8192}}) {
    EXPECT_NE(data->find("tiled", shape, 16), nullptr);
  }
}

TEST(ShippedTimings, AreTheSameWhereOnlySomeKernelsAreRead) {
  const auto file = tilestep::test::source_folder() / "assets/timings/h200.json";
  const Result<DataSet> all = load_dataset(file);
  ASSERT_TRUE(all.has_value());
  for (const std::vector<std::string>& kernels : {std::vector<std::string>{"tiled", kCublas},
                                                  {all->points.front().kernel},
                                                  {all->points.back().kernel},
                                                  {"nobody's"}}) {
    const Result<DataSet> some = load_dataset_of(kernels, file);
    ASSERT_TRUE(some.has_value()) << some.error().message;
    DataSet wanted = *all;
    std::erase_if(wanted.points, [&](const Point& point) {
      return std::ranges::find(kernels, point.kernel) == kernels.end();
    });
    EXPECT_EQ(*some, wanted);
  }
}

// The launch that was timed with every point: the GPUs were equal and did not change, except for a
// few minutes in which the power cap limited one.
TEST(ShippedTimings, TheH200sDidNotDrift) {
  const Result<DataSet> data =
      load_dataset(tilestep::test::source_folder() / "assets/timings/h200.json");
  ASSERT_TRUE(data.has_value());
  std::vector<double> references;
  for (const Point& point : data->points) {
    if (!point.samples_ms.empty()) {
      references.push_back(point.reference_ms);
    }
  }
  const Statistics s = statistics(references);
  EXPECT_GT(s.samples, 5000U);
  const auto drifted =
      static_cast<std::size_t>(std::count_if(references.begin(), references.end(), [&](double ms) {
        return ms < 0.98 * s.median_ms || ms > 1.02 * s.median_ms;
      }));
  EXPECT_LT(drifted, s.samples / 100);
  EXPECT_GT(s.min_ms, 0.94 * s.median_ms);
  EXPECT_LT(s.max_ms, 1.06 * s.median_ms);
}

// Statements of textbooks about times; docs/reports/claims.md has the same as a table.
TEST(Claim, D7_AnEighthOfTheTrafficIsNotAnEighthOfTheTime) {
  const Result<DataSet> data =
      load_dataset(tilestep::test::source_folder() / "assets/timings/h200.json");
  ASSERT_TRUE(data.has_value());
  const auto median = [&](const char* kernel, int n) {
    return data->find(kernel, {n, n, n}, 16)->samples_ms.statistics().median_ms;
  };
  for (const auto& [n, times] : {std::pair{4096, 1.42}, std::pair{1000, 1.45}}) {
    const double ratio = median("row_in_shared_kahan", n) / median("tiled_kahan_bounds", n);
    EXPECT_NEAR(ratio, times, 0.01) << n;
  }
}

TEST(DataSetFile, MeasuredCeilingsComeBack) {
  DataSet data;
  data.provenance.ceilings = Ceilings{.architecture = 90,
                                      .sms = 132,
                                      .l2_bytes = 50 << 20,
                                      .dram_gb_s = 4000.0,
                                      .l2_gb_s = 5500.0,
                                      .shared_gb_s = 30'000.0,
                                      .ffma_gflops = 60'000.0,
                                      .date = "2026-11-22T10:00:00Z",
                                      .copies = Copies{11.0, 9.0, 55.0, 52.0},
                                      .pitches = {{132, 512}, {4000, 4096}}};
  const auto read = parse_dataset(to_json(data), "x");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->provenance, data.provenance);
  std::string text = to_json(data);
  text.replace(text.find("4000.0"), 6, "-1");
  EXPECT_EQ(parse_dataset(text, "x").error().message,
            "x: provenance.ceilings.dram_gb_s: expected a number above 0.");
}

Point finished_point(const std::string& kernel) {
  Point point;
  point.kernel = kernel;
  point.problem = {64, 32, 16};
  point.block_size = 8;
  point.samples_ms = {0.5, 0.25};
  point.verified = true;
  return point;
}

TEST(DataSetFile, PointsThatCameAfterTheLastSaveAreReadAlong) {
  const Folder folder;
  const std::filesystem::path file = folder.path / "sweep.json";
  DataSet data;
  data.points = {finished_point("tiled")};
  ASSERT_TRUE(save_dataset(data, file));
  ASSERT_TRUE(append_point(finished_point("naive"), file));
  ASSERT_TRUE(append_point(finished_point("tiled"), file)) << "is in the file already";
  // Killed in the middle of a line.
  std::ofstream(file.string() + ".points", std::ios::app) << R"({"kernel": "regi)";
  const auto read = load_dataset(file);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->points.size(), 2U);
  EXPECT_EQ(read->points[1], finished_point("naive"));
  ASSERT_TRUE(save_dataset(*read, file));
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".points"));
  EXPECT_EQ(load_dataset(file)->points, read->points);
}

}  // namespace
}  // namespace tilestep::timing
