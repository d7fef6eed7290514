// The focus thread's own L: where it adds up several elements of an output, the sums that it holds
// at their rows and columns, beside them the fragments of A and B that it holds in registers. What
// it holds may be stored by another thread in the end. Pure: found by where values come from and go
// to, never by names.
#pragma once

#include "ui/stage/content.h"

#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

// A variable that holds a fragment: as many numbers as the L has rows or columns.
struct Fragment {
  std::string name;                           // "a_reg", "a[1]"; empty: none is in scope
  std::vector<std::optional<double>> values;  // nothing: not assigned yet
  bool is_over = false;  // they are there no more: what the latest products took
  // Along k, counted in the tile: of the newest of them, and which are of an earlier round; nothing
  // where that is not known.
  std::optional<int> round;
  std::vector<bool> is_earlier;

  [[nodiscard]] bool is_old(std::size_t at) const {
    return is_over || (at < is_earlier.size() && is_earlier[at]);
  }
};

struct RegisterSum {
  std::optional<double> value;
  std::string product;       // its latest, of one that is behind its next: "3·(−4)"
  bool is_added_to = false;  // by the current statement
  bool is_behind = false;    // has taken fewer products than others of the thread
  bool is_chosen = false;    // the strip writes it out
};

struct RegisterTile {
  std::string name;       // of the sums: "acc"
  std::vector<int> rows;  // of the output, not always neighbours
  std::vector<int> cols;
  Fragment a;
  Fragment b;
  std::vector<RegisterSum> sums;  // row by row
};

// The variables whose numbers the thread's latest products of the run have as factors, row by row
// and column by column; arrays of several of them, which take turns, too. Others hold numbers of A
// and B, too: what is on its way to shared memory. Empty: there is none. Seeks once in the
// recording.
struct FragmentNames {
  std::string a;
  std::string b;
};
[[nodiscard]] FragmentNames find_fragments(const ContentInputs& inputs,
                                           const StageContent& content);

// Nothing where the thread has a single sum, or sums that form no rectangle.
[[nodiscard]] std::optional<RegisterTile> find_register_tile(const ContentInputs& inputs,
                                                             const StageContent& content,
                                                             const FragmentNames& fragments);

}  // namespace tilestep::ui
