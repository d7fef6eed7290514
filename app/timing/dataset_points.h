// Selecting and joining points of data sets: the best of each size, cuBLAS's, of several sets, as
// text.
#pragma once

#include "gpu/device.h"
#include "problem/describe/best_by_size.h"
#include "problem/describe/catalog.h"
#include "problem/result.h"
#include "problem/words.h"
#include "timing/dataset.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::timing {

// From measured points to what is fastest at each size.

// The two fastest rivals at one size, by their cold medians.
struct Fastest {
  const Point* first = nullptr;
  const Point* second = nullptr;  // null: the first was alone
};

// One for each problem with a verified point of one of the `rivals` (ids), by M, N and K. Points
// are those of `data`.
[[nodiscard]] std::vector<Fastest> fastest_by_size(const DataSet& data,
                                                   std::span<const std::string> rivals);

// The ids of problem::rivals.
[[nodiscard]] std::vector<std::string> rival_ids(const problem::Catalog& catalog);

// The table of winners among the catalog's rivals, with the data set's provenance.
[[nodiscard]] problem::BestTable best_table(const DataSet& data, const problem::Catalog& catalog);

// Joins several data sets of one plan: measurements of shards, GPUs and machines.

// By size, kernel (cuBLAS, then as in the catalog) and BLOCK_SIZE: the order does not depend on the
// number of runs of a sweep.
void sort_points(std::vector<Point>& points, const problem::Catalog& catalog);
// Inserts into sorted points, without sorting them again.
void insert_point(Point point, std::vector<Point>& points, const problem::Catalog& catalog);

// The sets must be from GPUs of one name with one driver, NVRTC and cuBLAS, and no point may be in
// two of them: the error names the file and the difference. Hosts are listed, the first date and
// method are kept, clocks are the medians of the sets' own. At least one set.
[[nodiscard]] Result<DataSet> merge(const std::vector<DataSet>& parts,
                                    const problem::Catalog& catalog);

// A data set's note about a point, in the current language. Files keep it in English.

// "result wrong: C[0][0] is 3, expected 4 (…); one launch takes 1.5 s: 3 samples". A note that no
// version of this program writes is returned unchanged.
[[nodiscard]] std::string translated_note(const std::string& note);

// The ways to compute a float32 product with cuBLAS: each is a separate series in a data set.

struct CublasSeries {
  const char* id;    // Point::kernel: "cublas", the reference of shares, or "cublas_default"
  const char* word;  // in --cublas: "pedantic"
  Message title;     // the name in plots
  gpu::Math math;
};

// The reference of shares is first.
[[nodiscard]] std::span<const CublasSeries> cublas_series();
// Null: none of these.
[[nodiscard]] const CublasSeries* find_cublas(std::string_view id);
[[nodiscard]] inline bool is_cublas(std::string_view id) {
  return find_cublas(id) != nullptr;
}

// Words for --cublas: "pedantic", …, "all".
[[nodiscard]] std::vector<std::string> cublas_words();
// Ids of words, "default,tf32" or "all", each once; an error lists the valid words.
[[nodiscard]] Result<std::vector<std::string>> parse_cublas(const std::string& words);

}  // namespace tilestep::timing
