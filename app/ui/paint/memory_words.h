// Pictures of accesses: rows of words in sectors, words stacked over banks, the array that holds
// them.
#pragma once

#include "ui/stage/memory_strip.h"
#include "ui/stage/paint.h"
#include "ui/theme.h"

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::ui {

// Sizes in lines of text.
inline constexpr float kStripText = 0.95F;
inline constexpr float kStripNumbers = 1.15F;  // of banks, of sectors

// The layout of an access as rows of words.
inline constexpr int kWordsOfSector = 8;
struct WordGrid {
  int rows = 0;             // of words
  int sectors_in_row = 4;   // 32 words, as many as banks
  float word = 0.0F;        // width of a word
  float sector_gap = 0.0F;  // between sectors

  [[nodiscard]] float sector() const {
    return static_cast<float>(kWordsOfSector) * word + sector_gap;
  }
};

// The fixed heights in a picture of several accesses; the rows of words share the rest.
struct StripPlan {
  std::vector<const StripAccess*> accesses;
  std::vector<WordGrid> grids;
  float word = 0.0F;  // height
  float height = 0.0F;
};

// The sizes that a picture of accesses must observe, in pixels.
struct StripSizes {
  float width = 0.0F;
  float height = 0.0F;
  float fixed = 0.0F;    // height per access
  float numbers = 0.0F;  // further height per access to shared memory: its banks
  float row = 0.0F;      // height per row of sectors, without the words
  float largest_word = 0.0F;
  float least_word = 0.0F;
  int sectors_in_row = 4;
  float font = 18.0F;
};

// As many accesses as fit with words of height `least_word`, the inefficient ones first.
[[nodiscard]] StripPlan plan_strips(const MemoryStrip& strip, const StripSizes& sizes);

struct StripLabel {
  ImFont* font = nullptr;
  float size = 0.0F;
  ImVec2 at;
  ImU32 colour = 0;
  std::string text;
};

// Paints parts of one access.
class StripPainter {
 public:
  StripPainter(const StagePicture& picture, std::vector<CellInstance>& cells)
      : p_(picture), t_(picture.context.theme), cells_(cells) {
    cells_.clear();
  }

  // Words of height `word` from `at` down; `names`: show banks or sectors.
  void words(const StripAccess& access, const WordGrid& grid, ImVec2 at, float word, bool names);

  void pieces(const narration::Pieces& pieces, ImVec2 at, float size, ImU32 colour);

  // "8 passes" in a frame with right edge `right`. Returns its left edge.
  float badge(const StripAccess& access, float right, float top, float size);
  // Shrinks the words if they would pass `end`; nullopt if they still would. Returns their end.
  std::optional<float> fitted(const narration::Pieces& words, ImVec2 at, float end, float size,
                              ImU32 colour);
  // "Load of As", as much as there is room for. Returns its end.
  std::optional<float> title(const StripAccess& access, ImVec2 at, float end, float size);

  // The array in memory: used cells, other transferred cells, and a ring around those in the
  // fullest bank.
  struct Array {
    const StageShape& shape;
    const simt::Program& program;
    const std::vector<bool>* is_padding = nullptr;  // by cell; null: unknown
  };
  void map(const StripAccess& access, const Array& of, const Box& room);

  void card(const Box& box);

  void label(ImFont* font, float size, ImVec2 at, ImU32 colour, std::string text) {
    labels_.push_back({font, size, {std::round(at.x), std::round(at.y)}, colour, std::move(text)});
  }

  void finish();

 private:
  static std::array<std::uint32_t, insight::kBanks> counts_of(const insight::BankStacks& stacks);

  [[nodiscard]] CellInstance empty(const Box& box) const {
    return instance(box, {t_.cell_empty, t_.cell_border, 1.0F});
  }
  [[nodiscard]] CellInstance styled(const Box& box, const CellStyle& style) const;
  // A ring for a read, solid with a cut corner for a store.
  [[nodiscard]] CellStyle used(const StripAccess& access) const;
  [[nodiscard]] CellStyle in_conflict(const StripAccess& access) const;
  [[nodiscard]] CellStyle unused() const {
    return {t_.cell_empty, t_.cell_border, 1.0F, mark::kHatched, t_.hatch};
  }

  void word(const StripAccess& access, const Box& box, const CellStyle& style, std::uint32_t lanes);

  void sectors(const StripAccess& access, const WordGrid& grid, ImVec2 at, float height,
               bool names);
  // The names of sectors are below the rows.
  [[nodiscard]] float row_gap(bool names) const {
    return names ? kStripNumbers * p_.font : std::round(0.14F * p_.font);
  }

  void banks(const StripAccess& access, const WordGrid& grid, ImVec2 at, float height, bool names);

  void bank_numbers(const std::array<bool, insight::kBanks>& is_used, const WordGrid& grid,
                    ImVec2 at, bool all);

  const StagePicture& p_;
  const Theme& t_;
  std::vector<CellInstance>& cells_;
  std::vector<StripLabel> labels_;
};

}  // namespace tilestep::ui
