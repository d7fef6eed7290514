// A table of winners: a table that was read is written as the same table, and has a nearest winner
// for every size, or none for any.
#include "problem/describe/best_by_size.h"
#include "require.h"
#include "targets.h"

namespace tilestep::fuzz {

void read_best(Bytes bytes) {
  const auto table = problem::parse_best(text_of(bytes), "fuzz.toml");
  if (!table) {
    require(table.error().message.find("fuzz.toml") != std::string::npos,
            "an error names the file");
    return;
  }
  const auto again = problem::parse_best(problem::to_toml(*table), "again.toml");
  require(again && again->winners.size() == table->winners.size(), "a table is written as read");
  for (const problem::Problem& size : {problem::Problem{1, 1, 1}, problem::Problem{4096, 1, 7}}) {
    require((problem::nearest_winner(*table, size) == nullptr) == table->winners.empty(),
            "some size is the nearest");
  }
}

}  // namespace tilestep::fuzz
