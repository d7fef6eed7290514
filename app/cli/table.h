// Tables of text on the command line.
#pragma once

#include <string>
#include <vector>

namespace tilestep::cli {

// Columns as wide as their widest entry; the first stands left, the others right. A last column of
// sentences stands left too, and widens nothing.
class Table {
 public:
  enum class Last { Number, Sentence };

  explicit Table(std::vector<std::string> head, Last last = Last::Number)
      : rows_{std::move(head)}, last_(last) {}
  // As many cells as the head has.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  Last last_;
};

}  // namespace tilestep::cli
