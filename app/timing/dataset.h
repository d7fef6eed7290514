// Measured timings: samples, their statistics, and the JSON data sets that hold them
// (docs/formats/timings.md).
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

// Copies of 64 MiB between the host and the GPU, in 10⁹ bytes per second. Pageable memory is from
// malloc; page-locked memory is read and written by the GPU itself.
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

// The maximum throughputs of the GPU, from dedicated launches (timing/ceilings.h). Bandwidths in
// 10⁹ bytes per second.
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

// Where and how a data set was measured; every field is in the file.
struct Provenance {
  std::string gpu;
  std::string driver;
  std::string cuda;  // NVRTC that compiled the kernels
  std::string cublas;
  std::string date;          // ISO 8601, UTC
  std::string host;          // free text: OS, CPU
  int sm_clock_mhz = 0;      // median read during the run; 0: unknown to NVML
  int memory_clock_mhz = 0;  // median; 0: unknown to NVML
  int max_sm_clock_mhz = 0;  // 0: unknown to NVML
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
// All zeros if there are no samples.
[[nodiscard]] Statistics statistics(const std::vector<double>& samples_ms);

// Milliseconds as measured, in order, and their statistics, which are computed once: samples are
// set together and never changed. A vector or a list of numbers converts to Samples.
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
  int sm_clock_mhz = 0;  // read while this point ran; 0: unknown to NVML
  int registers = 0;     // per thread, as allocated by the driver's compiler; 0: unknown
  int shared_bytes = 0;  // per block, static and dynamic
  std::vector<double> warm_samples_ms{};  // on a warm L2 cache; may be empty
  // The reference launch (timing/sampling.h) just before this point; 0: not timed.
  double reference_ms = 0.0;
  int temperature_c = 0;       // 0: unknown to NVML
  std::string held_back_by{};  // what limited the clocks meanwhile: "power cap"
  std::string launched{};      // the kernel that ran, if `kernel` is best_by_size
  double flops = 0.0;          // that the problem needs, if it is no product; 0: 2·M·N·K

  [[nodiscard]] double median_ms() const { return samples_ms.statistics().median_ms; }  // cold

  friend bool operator==(const Point&, const Point&) = default;
};

// 2·M·N·K flops over the time, in GFLOP/s; 0 for a time that is not positive.
[[nodiscard]] double gflops(problem::Problem problem, double milliseconds);
// The same with the flops that the point's problem needs.
[[nodiscard]] double gflops(const Point& point, double milliseconds);
// The same with any number of flops.
[[nodiscard]] double gflops(double flops, double milliseconds);

struct DataSet {
  std::string name;  // file stem
  Provenance provenance;
  std::vector<Point> points;

  // The first point of that kernel, problem and block size; null if there is none.
  [[nodiscard]] const Point* find(const std::string& kernel, problem::Problem problem,
                                  int block_size) const;
  // Its median; 0 if it was not measured.
  [[nodiscard]] double median_ms(const std::string& kernel, problem::Problem problem,
                                 int block_size) const;
  [[nodiscard]] std::vector<std::string> kernels() const;  // in order of appearance, cublas last

  friend bool operator==(const DataSet&, const DataSet&) = default;
};

// Errors name the file and the place in it: "h200.json: points[3].samples_ms[2]: expected …".
[[nodiscard]] Result<DataSet> parse_dataset(const std::string& json, const std::string& name);
[[nodiscard]] std::string to_json(const DataSet& data);  // one point per line
[[nodiscard]] std::string to_json(const Point& point);   // one line
[[nodiscard]] Result<Point> parse_point(const std::string& json);
// Includes the points that append_point has added beside the file.
[[nodiscard]] Result<DataSet> load_dataset(const std::filesystem::path& file);

// A data set's file that is read on first use: it has megabytes, and most answers need none of
// them. For one thread.
class UnreadDataSet {
 public:
  explicit UnreadDataSet(std::filesystem::path file) : file_(std::move(file)) {}
  // Like load_dataset.
  [[nodiscard]] const Result<DataSet>& read() const;
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  mutable std::optional<Result<DataSet>> data_;
};

// Adds one point to what load_dataset reads, without writing the file again: a line in FILE.points.
// A sweep that is killed loses at most the current point.
[[nodiscard]] Result<void> append_point(const Point& point, const std::filesystem::path& file);
// Also removes FILE.points. Writes another file, then renames it: a reader sees the old file or the
// new one, and if the disk is full the old one remains.
[[nodiscard]] Result<void> save_dataset(const DataSet& data, const std::filesystem::path& file);

// Timings as CSV, one sample per row: the format of other tools and of spreadsheets.
//
//   kernel,M,N,K,block_size,ms
//   tiled,1024,1024,1024,16,0.2812
//
// Columns are found by name, in any order; others are ignored. `M`, `N` and `K` may be one column
// `size`; `block_size` may be missing (0). Rows of one point need not be contiguous. A name with
// commas or quotes is quoted (RFC 4180); a line break is never part of one.

// The results were not compared, so no point is `verified`. Errors name the line.
[[nodiscard]] Result<DataSet> parse_csv(const std::string& text, const Provenance& provenance,
                                        const std::string& name);
// Cold samples; points without samples are omitted.
[[nodiscard]] std::string to_csv(const DataSet& data);

// Quoted, with its own quotes doubled (RFC 4180).
[[nodiscard]] std::string csv_cell(std::string_view text);
// The cells of one line, without their quotes.
[[nodiscard]] std::vector<std::string> csv_cells(std::string_view line);

// A part of a data set, read without the rest of its megabytes.

// Like load_dataset, without the points that append_point has added beside it and without those of
// kernels other than `kernels`. If points of the file share lines, it includes those of all
// kernels.
[[nodiscard]] Result<DataSet> load_dataset_of(const std::vector<std::string>& kernels,
                                              const std::filesystem::path& file);

// Errors of the JSON library in our own words.

// `what` of an nlohmann::json::exception, which names its own classes:
// "[json.exception.parse_error.101] parse error at line 1, column 12: syntax error while parsing
// array - unexpected end of input; expected ']'" → "a.json:1:12: not JSON: unexpected end of input;
// expected ']'. Mend the file, or write it again."
[[nodiscard]] Error json_mistake(const std::string& file, std::string_view what);

// The file of a data set that is being measured: every point is on disk before the next one starts,
// without writing the file again each time.

// A point is first a line beside the file, and is in the file some seconds later. Not for several
// threads at once.
class GrowingFile {
 public:
  explicit GrowingFile(std::filesystem::path file) : file_(std::move(file)) {}

  // Before the first save there is no file to append to: that save includes the point.
  [[nodiscard]] Result<void> append(const Point& point);
  // True before the first save, if the last one is some seconds ago, and after a point could not be
  // appended.
  [[nodiscard]] bool is_due() const;
  // The whole file (save_dataset).
  [[nodiscard]] Result<void> save(const DataSet& data);

 private:
  std::filesystem::path file_;
  bool begun_ = false;
  std::chrono::steady_clock::time_point saved_;
};

}  // namespace tilestep::timing
