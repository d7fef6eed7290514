// Measured timings: samples, their statistics, and the JSON data sets that hold them
// (docs/formats.md, "Timing data set").
#pragma once

#include "problem/problem.h"
#include "problem/result.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestep::timing {

// Point::kernel of cublasSgemm, in float32 and on tensor cores.
inline constexpr const char* kCublas = "cublas";
inline constexpr const char* kCublasTf32 = "cublas_tf32";

// Copies of 64 MiB between the host and the GPU, in 10⁹ bytes a second. Pageable memory is what
// malloc gives; page-locked memory the GPU reads and writes itself.
struct Copies {
  double pageable_to_device_gb_s = 0.0;
  double pageable_to_host_gb_s = 0.0;
  double locked_to_device_gb_s = 0.0;
  double locked_to_host_gb_s = 0.0;

  friend bool operator==(const Copies&, const Copies&) = default;
};

// The distance of rows that cuMemAllocPitch chose.
struct Pitch {
  int row_bytes = 0;
  int pitch_bytes = 0;

  friend bool operator==(const Pitch&, const Pitch&) = default;
};

// What the GPU did at most, by launches made to find out (timing/ceilings.h). Bandwidths in 10⁹
// bytes a second.
struct Ceilings {
  int architecture = 0;  // 90: compute capability 9.0
  int sms = 0;
  int l2_bytes = 0;
  double dram_gb_s = 0.0;    // reads
  double l2_gb_s = 0.0;      // reads that hit
  double shared_gb_s = 0.0;  // conflict-free reads of shared memory, all SMs
  double ffma_gflops = 0.0;  // float32 multiply-adds, each 2 operations
  std::string date;          // ISO 8601, UTC
  std::optional<Copies> copies{};
  std::vector<Pitch> pitches{};

  friend bool operator==(const Ceilings&, const Ceilings&) = default;
};

// Where and how a data set was measured; every field stands in the file.
struct Provenance {
  std::string gpu;
  std::string driver;
  std::string cuda;  // NVRTC that compiled the kernels
  std::string cublas;
  std::string date;          // ISO 8601, UTC
  std::string host;          // free text: OS, CPU
  int sm_clock_mhz = 0;      // median read during the run; 0: NVML did not say
  int memory_clock_mhz = 0;  // likewise
  int max_sm_clock_mhz = 0;  // likewise
  std::string method;        // one paragraph
  std::optional<Ceilings> ceilings{};

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

struct Statistics {
  double median_ms = 0.0;
  double q1_ms = 0.0;  // quartiles by linear interpolation (R type 7; Hyndman & Fan 1996)
  double q3_ms = 0.0;
  double min_ms = 0.0;
  double max_ms = 0.0;
  std::size_t samples = 0;
};
// All zeros when there are no samples.
[[nodiscard]] Statistics statistics(const std::vector<double>& samples_ms);

// Milliseconds as measured, in order, and their statistics, which are computed once: samples are
// set together and never changed. A vector or a list of numbers becomes Samples where it is
// assigned.
class Samples {
 public:
  using value_type = double;
  using const_iterator = std::vector<double>::const_iterator;
  using iterator = const_iterator;

  Samples() = default;
  Samples(std::vector<double> ms)  // NOLINT(google-explicit-constructor)
      : ms_(std::move(ms)), statistics_(timing::statistics(ms_)) {}
  Samples(std::initializer_list<double> ms) : Samples(std::vector<double>(ms)) {}

  [[nodiscard]] const Statistics& statistics() const { return statistics_; }
  [[nodiscard]] const std::vector<double>& ms() const { return ms_; }
  [[nodiscard]] bool empty() const { return ms_.empty(); }
  [[nodiscard]] std::size_t size() const { return ms_.size(); }
  [[nodiscard]] const_iterator begin() const { return ms_.begin(); }
  [[nodiscard]] const_iterator end() const { return ms_.end(); }

  friend bool operator==(const Samples& a, const Samples& b) { return a.ms_ == b.ms_; }

 private:
  std::vector<double> ms_;
  Statistics statistics_;  // of ms_
};

struct Point {
  std::string kernel;  // catalog id; "cublas" for cublasSgemm
  problem::Problem problem;
  int block_size = 0;  // 0: has none
  Samples samples_ms;
  bool verified = false;  // result compared with the reference, before timing and after
  std::string note;  // why there are no samples, or fewer than 20, or not verified: "needs 1156 …"
  int sm_clock_mhz = 0;  // read while this point ran; 0: NVML did not say
  int registers = 0;     // a thread, as the driver's compiler placed them; 0: unknown
  int shared_bytes = 0;  // a block, static and dynamic
  std::vector<double> warm_samples_ms{};  // on a warm L2 cache; may be empty
  // The reference launch (timing/sampling.h) just before this point; 0: not timed.
  double reference_ms = 0.0;
  int temperature_c = 0;       // 0: NVML did not say
  std::string held_back_by{};  // what kept the clocks down meanwhile: "power cap"
  std::string launched{};      // the kernel that ran, where `kernel` is best_by_size

  [[nodiscard]] double median_ms() const { return samples_ms.statistics().median_ms; }  // cold

  friend bool operator==(const Point&, const Point&) = default;
};

// 2·M·N·K flops over the time, in GFLOP/s; 0 for a time that is not positive.
[[nodiscard]] double gflops(problem::Problem problem, double milliseconds);

struct DataSet {
  std::string name;  // file stem
  Provenance provenance;
  std::vector<Point> points;

  // The first point of that kernel, problem and block size; null when there is none.
  [[nodiscard]] const Point* find(const std::string& kernel, problem::Problem problem,
                                  int block_size) const;
  // Its median; 0 where it was not measured.
  [[nodiscard]] double median_ms(const std::string& kernel, problem::Problem problem,
                                 int block_size) const;
  [[nodiscard]] std::vector<std::string> kernels() const;  // in order of appearance, cublas last

  friend bool operator==(const DataSet&, const DataSet&) = default;
};

// Errors name the file and the place in it: "h200.json: points[3].samples_ms[2]: expected …".
[[nodiscard]] Result<DataSet> parse_dataset(const std::string& json, const std::string& name);
[[nodiscard]] std::string to_json(const DataSet& data);  // one point a line
[[nodiscard]] std::string to_json(const Point& point);   // one line
[[nodiscard]] Result<Point> parse_point(const std::string& json);
// With the points that append_point left beside it.
[[nodiscard]] Result<DataSet> load_dataset(const std::filesystem::path& file);

// A data set's file that is read when it is first asked for: it has megabytes, and most answers
// need none of them. For one thread.
class UnreadDataSet {
 public:
  explicit UnreadDataSet(std::filesystem::path file) : file_(std::move(file)) {}
  // As load_dataset.
  [[nodiscard]] const Result<DataSet>& read() const;

 private:
  std::filesystem::path file_;
  mutable std::optional<Result<DataSet>> data_;
};

// Adds one point to what load_dataset reads, without writing the file again: a line in FILE.points.
// A sweep that is killed loses no more than the point it is at.
[[nodiscard]] Result<void> append_point(const Point& point, const std::filesystem::path& file);
// Removes FILE.points, too. Writes beside, then renames: whoever reads the file sees the old one or
// the new one, and a full disk leaves the old one standing.
[[nodiscard]] Result<void> save_dataset(const DataSet& data, const std::filesystem::path& file);

// Timings as CSV, one sample a row: what other tools write, and what spreadsheets read.
//
//   kernel,M,N,K,block_size,ms
//   tiled,1024,1024,1024,16,0.2812
//
// Columns are found by their names, in any order; others are ignored. `M`, `N` and `K` may be one
// column `size`; `block_size` may be missing (0). Rows of one point need not stand together.
// A name that has commas or quotes stands in quotes (RFC 4180); a line break is never part of one.

// Nothing says that results were compared, so no point is `verified`. Errors name the line.
[[nodiscard]] Result<DataSet> parse_csv(const std::string& text, const Provenance& provenance,
                                        const std::string& name);
// Cold samples; points without any are left out.
[[nodiscard]] std::string to_csv(const DataSet& data);

// In quotes, its own quotes doubled (RFC 4180).
[[nodiscard]] std::string csv_cell(std::string_view text);

// A part of a data set, read without the rest of its megabytes.

// As load_dataset, without the points that append_point left beside it and without those of other
// kernels than `kernels`; where the points of the file share lines, with those of all kernels.
[[nodiscard]] Result<DataSet> load_dataset_of(const std::vector<std::string>& kernels,
                                              const std::filesystem::path& file);

// What the JSON library says of a file, as a sentence of ours.

// `what` of an nlohmann::json::exception, which names its own classes:
// "[json.exception.parse_error.101] parse error at line 1, column 12: syntax error while parsing
// array - unexpected end of input; expected ']'" → "a.json:1:12: not JSON: unexpected end of input;
// expected ']'. Mend the file, or write it again."
[[nodiscard]] Error json_mistake(const std::string& file, std::string_view what);

// The file of a data set that is being measured: every point is on disk before the next one
// starts, without writing the file again each time.

// Points stand in a line beside the file as they come, and in it some seconds later. Not for
// several threads at once.
class GrowingFile {
 public:
  explicit GrowingFile(std::filesystem::path file) : file_(std::move(file)) {}

  // Before the first save there is no file to stand beside: that save takes the point along.
  [[nodiscard]] Result<void> append(const Point& point);
  // Before the first save, when the last is some seconds ago, and when a point was not appended.
  [[nodiscard]] bool is_due() const;
  // The whole file (save_dataset).
  [[nodiscard]] Result<void> save(const DataSet& data);

 private:
  std::filesystem::path file_;
  bool begun_ = false;
  std::chrono::steady_clock::time_point saved_;
};

}  // namespace tilestep::timing
