// The focus thread's own L, if it accumulates several elements of an output: its sums at their rows
// and columns, and beside them the fragments of A and B in its registers. Another thread may store
// the sums at the end. Pure: identified by the sources and destinations of values, never by names.
#pragma once

#include "ui/stage/content.h"

#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

// A variable that holds a fragment: as many numbers as the L has rows or columns.
struct Fragment {
  std::string name;                           // "a_reg", "a[1]"; empty: none in scope
  std::vector<std::optional<double>> values;  // nullopt: not assigned yet
  bool is_over = false;  // overwritten: the values that the latest products used
  // Position along k in the tile: of the newest values, and which values are of an earlier round;
  // nullopt: unknown.
  std::optional<int> round;
  std::vector<bool> is_earlier;

  [[nodiscard]] bool is_old(std::size_t at) const {
    return is_over || (at < is_earlier.size() && is_earlier[at]);
  }
};

// A sum in the thread's registers.
struct RegisterSum {
  std::optional<double> value;
  std::string product;       // its latest, for a sum that lags behind: "3·(−4)"
  bool is_added_to = false;  // by the current statement
  bool is_behind = false;    // has added fewer products than the thread's other sums
  bool is_chosen = false;    // written out in the strip
};

// The focus thread's L of registers.
struct RegisterTile {
  std::string name;       // of the sums: "acc"
  std::vector<int> rows;  // of the output, not always adjacent
  std::vector<int> cols;
  Fragment a;
  Fragment b;
  std::vector<RegisterSum> sums;  // row by row
};

// The variables whose numbers are the factors of the thread's latest products in the run, row by
// row and column by column; also arrays of several alternating fragments. Other variables hold
// numbers of A and B on the way to shared memory. Empty: none. Seeks once in the recording.
struct FragmentNames {
  std::string a;
  std::string b;
};
[[nodiscard]] FragmentNames find_fragments(const ContentInputs& inputs,
                                           const StageContent& content);

// Nullopt if the thread has a single sum, or sums that form no rectangle.
[[nodiscard]] std::optional<RegisterTile> find_register_tile(const ContentInputs& inputs,
                                                             const StageContent& content,
                                                             const FragmentNames& fragments);

}  // namespace tilestep::ui
