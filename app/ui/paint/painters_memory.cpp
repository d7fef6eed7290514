#include "narration/templates.h"
#include "narration/thread_view.h"
#include "ui/paint/memory_words.h"
#include "ui/paint/painters.h"
#include "ui/text.h"
#include "ui/widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilestep::ui {
namespace {

using narration::part;
using narration::plain;
using narration::Say;

// Sizes in lines of text.
constexpr float kStripTitle = 1.5F;
constexpr float kBetweenStrips = 0.55F;
constexpr float kMoreLine = 1.25F;
constexpr float kLargestWord = 1.3F;  // height, in the corner
constexpr float kLeastWord = 0.17F;
constexpr float kCardsHead = 2.0F;
constexpr float kHeadLine = 1.25F;  // each further line of the cards' head
constexpr float kCardTitle = 2.2F;
constexpr float kCardHead = 2.4F;
constexpr float kCardSpace = 0.7F;
constexpr float kLargestCardWord = 2.3F;
constexpr float kGoodCardWord = 1.2F;
constexpr float kLeastCardWord = 0.4F;
constexpr float kLeastAloneWord = 2.0F;  // pixels; instead of no picture at all
constexpr float kSideHead = 2.3F;        // of a kernel in a contrast
constexpr float kSideSpace = 0.35F;
constexpr float kCostSize = 1.4F;
constexpr std::size_t kLeastCode = 10;  // bytes of a shortened source line
constexpr const char* kCut = " …";

// "2 more": accesses without room.
narration::Pieces more_words(const MemoryStrip& strip, const StripPlan& plan) {
  const std::size_t more = strip.accesses.size() - plan.accesses.size();
  return part("memory_more", {{"count", plain(fmt::format("{}", more))}});
}

}  // namespace

Box paint_memory_corner(const StagePicture& p, const MemoryStrip& strip, const Box& room,
                        std::vector<CellInstance>& instances) {
  const float font = p.font;
  const float width = std::min(room.w, 34.0F * font) - 2.0F;
  const StripPlan plan = plan_strips(strip, {.width = width,
                                             .height = room.h - kBetweenStrips * font,
                                             .fixed = (kStripTitle + kBetweenStrips) * font,
                                             .numbers = kStripNumbers * font,
                                             .row = std::round(0.14F * font),
                                             .largest_word = kLargestWord * font,
                                             .least_word = std::max(3.0F, kLeastWord * font),
                                             .font = font});
  if (plan.accesses.empty() || width < 9.0F * font) {
    return room;
  }
  StripPainter painter(p, instances);
  ImVec2 at(std::round(room.x + 1.0F), std::round(room.bottom() - plan.height));
  Box left{room.x, room.y, room.w, at.y - room.y};
  if (plan.accesses.size() < strip.accesses.size() && left.h > kMoreLine * font) {
    left.h -= kMoreLine * font;
    painter.pieces(more_words(strip, plan), {at.x, left.bottom()}, kStripText * font,
                   p.context.theme.text_dim);
  }
  for (std::size_t i = 0; i < plan.accesses.size(); ++i) {
    const StripAccess& access = *plan.accesses[i];
    const float left_of_badge =
        painter.badge(access, at.x + width, at.y - 0.1F * font, kStripText * font);
    painter.title(access, at, left_of_badge - 0.3F * font, font);
    at.y += kStripTitle * font;
    painter.words(access, plan.grids[i], at, plan.word, false);
    const auto rows = static_cast<float>(plan.grids[i].rows);
    at.y += rows * plan.word + (access.is_shared ? 0.0F : rows * std::round(0.14F * font));
    at.y += ((access.is_shared ? kStripNumbers : 0.0F) + kBetweenStrips) * font;
  }
  painter.finish();
  return left;
}

namespace {

// The whole stage: from left to right the array, and its words as memory serves them.
struct Cards {
  Box inner;
  float map = 0.0F;    // width
  float words = 0.0F;  // x of their beginning
  float width = 0.0F;
};

constexpr float kShareOfMap = 0.22F;
constexpr float kShareOfSmallMap = 0.13F;

Cards cards_in(const Box& room, float font, float share = kShareOfMap) {
  const float pad = 0.7F * font;
  Cards cards;
  cards.inner = {room.x + pad, room.y + pad, room.w - 2.0F * pad, room.h - 2.0F * pad};
  cards.map = std::round(share * cards.inner.w);
  cards.words = cards.inner.x + cards.map + pad;
  cards.width = cards.inner.right() - cards.words - 2.0F;
  return cards;
}

// Rows of four sectors if their words are large enough. The head is `head` high.
StripPlan plan_cards(const MemoryStrip& strip, const Cards& cards, float head, float font) {
  StripSizes sizes{.width = cards.width,
                   .height = cards.inner.h - head,
                   .fixed = (kCardHead + kStripNumbers + kCardSpace) * font,
                   .row = kStripNumbers * font,
                   .largest_word = kLargestCardWord * font,
                   .least_word = kGoodCardWord * font,
                   .font = font};
  StripPlan plan = plan_strips(strip, sizes);
  if (plan.accesses.size() < strip.accesses.size()) {
    sizes.sectors_in_row = 8;
    sizes.least_word = kLeastCardWord * font;
    plan = plan_strips(strip, sizes);
  }
  if (plan.accesses.empty()) {
    sizes.least_word = kLeastAloneWord;
    plan = plan_strips(strip, sizes);
  }
  return plan;
}

// Returns its height. A lecture has as many lines as the words need.
float paint_cards_head(StripPainter& painter, const StagePicture& p, const MemoryStrip& strip,
                       const Cards& cards) {
  const bool any_shared = std::any_of(strip.accesses.begin(), strip.accesses.end(),
                                      [](const StripAccess& a) { return a.is_shared; });
  const bool any_global = std::any_of(strip.accesses.begin(), strip.accesses.end(),
                                      [](const StripAccess& a) { return !a.is_shared; });
  const narration::Pieces of =
      part("memory_of", {{"warp", plain(fmt::format("{}", strip.warp))},
                         {"line", plain(fmt::format("{}", strip.accesses.front().line))}});
  const ImU32 colour = p.context.theme.text_dim;
  ImVec2 at(cards.inner.x, cards.inner.y);
  narration::Pieces words = of;
  for (const auto& [is_there, key] : {std::pair(any_global, part("sector_key", {})),
                                      std::pair(any_shared, part("bank_key", {}))}) {
    if (!is_there) {
      continue;
    }
    const narration::Pieces before = words;
    words.push_back({"  ", narration::Hue::None, false});
    words.insert(words.end(), key.begin(), key.end());
    if (p.context.state.lecture &&
        at.x + pieces_width(p.context, words, p.font) > cards.inner.right()) {
      painter.pieces(before, at, p.font, colour);
      at.y += kHeadLine * p.font;
      words = key;
    }
  }
  if (!painter.fitted(words, at, cards.inner.right(), p.font, colour)) {
    painter.fitted(of, at, cards.inner.right(), p.font, colour);
  }
  return at.y - cards.inner.y + kCardsHead * p.font;
}

// The access, the ringed bank and the cost, side by side if there is room; the sentence is dropped
// first.
void paint_card_head(StripPainter& painter, const StagePicture& p, const StripAccess& access,
                     const Cards& cards, float y) {
  const Theme& t = p.context.theme;
  const float font = p.font;
  const float end = painter.badge(access, cards.inner.right(), y, 1.15F * font) - 0.5F * font;
  float x = painter.title(access, {cards.inner.x, y}, end, 1.3F * font).value_or(cards.inner.x);
  const auto bank = access.fullest_bank();
  const float beside = std::max(x + font, cards.inner.x + 0.5F * cards.map);
  if (bank) {
    x = painter
            .fitted(part("ringed_bank", {{"bank", plain(fmt::format("{}", *bank))}}),
                    {beside, y + 0.2F * font}, cards.words - 0.5F * font, font, t.text_dim)
            .value_or(x);
  }
  painter.fitted(access_sentence(access), {std::max(cards.words, x + font), y + 0.05F * font}, end,
                 1.2F * font, t.text);
}

}  // namespace

void paint_memory(const StagePicture& p, const MemoryStrip& strip, const Box& room,
                  std::vector<CellInstance>& instances) {
  const Theme& t = p.context.theme;
  const float font = p.font;
  StripPainter painter(p, instances);
  const Cards cards = cards_in(room, font);
  if (strip.accesses.empty()) {  // then the cells show more
    painter.pieces(part("memory_none", {}), {cards.inner.x, cards.inner.y}, font, t.text_dim);
    painter.finish();
    return;
  }
  painter.card(room);
  painter.finish();
  const float head = paint_cards_head(painter, p, strip, cards);
  const StripPlan plan = plan_cards(strip, cards, head, font);
  const float spare = (cards.inner.h - head - plan.height) /
                      static_cast<float>(std::max<std::size_t>(plan.accesses.size(), 1));
  float y = std::round(cards.inner.y + head);
  for (std::size_t i = 0; i < plan.accesses.size(); ++i) {
    const StripAccess& access = *plan.accesses[i];
    const auto rows = static_cast<float>(plan.grids[i].rows);
    const float body =
        rows * plan.word + (access.is_shared ? kStripNumbers : rows * kStripNumbers) * font;
    const float top = y + kCardTitle * font;
    paint_card_head(painter, p, access, cards, y);
    painter.map(access, {p.shape, p.program}, {cards.inner.x, top, cards.map, body + spare});
    painter.words(access, plan.grids[i], {cards.words, top}, plan.word, true);
    y += std::round((kCardHead + kCardSpace) * font + body + spare);
  }
  if (plan.accesses.size() < strip.accesses.size()) {
    painter.pieces(more_words(strip, plan), {cards.inner.x, cards.inner.bottom() - font}, font,
                   t.text_dim);
  }
  painter.finish();
}

namespace {

// The rows name the kernels; the legend follows if there is room.
void paint_contrast_head(StripPainter& painter, const StagePicture& p, const MemoryStrip& strip,
                         std::size_t shown, const Cards& cards) {
  const StripAccess& access = strip.accesses.front();
  narration::Pieces words = part("contrast_of", {{"warp", plain(fmt::format("{}", strip.warp))},
                                                 {"count", plain(fmt::format("{}", shown))}});
  const narration::Pieces key = part(access.is_shared ? Say("bank_key") : Say("sector_key"), {});
  const ImVec2 at(cards.inner.x, cards.inner.y);
  float x = painter.title(access, at, cards.inner.right(), 1.15F * p.font).value_or(at.x) + p.font;
  const ImVec2 beside(x, at.y + 0.1F * p.font);
  x = painter.fitted(words, beside, cards.inner.right(), p.font, p.context.theme.text).value_or(x);
  painter.fitted(key, {x + p.font, beside.y}, cards.inner.right(), p.font,
                 p.context.theme.text_dim);
}

// The kernel, its array, its source line, and the cost.
void paint_side_head(StripPainter& painter, const StagePicture& p, const ContrastSide& side,
                     const StripAccess& access, const Cards& cards, float y) {
  const Theme& t = p.context.theme;
  const float font = p.font;
  const float end = painter.badge(access, cards.inner.right(), y, kCostSize * font) - 0.5F * font;
  narration::Pieces title{{side.title, narration::Hue::None, side.is_on_stage}};
  if (access.is_shared && access.sheet != kNoSheet) {
    const Sheet& sheet = side.shape->sheets[size(access.sheet)];
    title.push_back({"   ", narration::Hue::None, false});
    title.push_back({access.array, narration::hue_of_role(access.role), true});
    title.push_back({fmt::format("[{}][{}]", sheet.rows, sheet.cols), narration::Hue::None, false});
  }
  const float x = painter.fitted(title, {cards.words, y + 0.2F * font}, end, 1.25F * font, t.text)
                      .value_or(cards.words) +
                  1.5F * font;
  ImFont* const mono = p.context.fonts.mono;
  std::string code = side.code;
  for (const char* cut = ""; x + text_width(mono, font, code + cut) > end; cut = kCut) {
    if (code.size() < kLeastCode) {
      return;
    }
    code.pop_back();
  }
  painter.label(mono, font, {x, y + 0.4F * font}, t.text_dim,
                code.size() < side.code.size() ? code + kCut : code);
}

// Words shrink before a kernel is left out.
StripPlan plan_sides(const MemoryStrip& strip, const Cards& cards, float font) {
  return plan_strips(strip, {.width = cards.width,
                             .height = cards.inner.h - kCardsHead * font,
                             .fixed = (kSideHead + kStripNumbers + kSideSpace) * font,
                             .row = kStripNumbers * font,
                             .largest_word = kLargestCardWord * font,
                             .least_word = std::floor(std::max(3.0F, kLeastWord * font)),
                             .sectors_in_row = 8,
                             .font = font});
}

}  // namespace

void paint_contrast(const StagePicture& p, const Contrast& contrast, const Box& room,
                    std::vector<CellInstance>& instances) {
  const float font = p.font;
  StripPainter painter(p, instances);
  const Cards cards = cards_in(room, font, kShareOfSmallMap);
  painter.card(room);
  painter.finish();
  const StripPlan plan = plan_sides(contrast.strip, cards, font);
  paint_contrast_head(painter, p, contrast.strip, plan.accesses.size(), cards);
  const float spare = (cards.inner.h - kCardsHead * font - plan.height) /
                      static_cast<float>(std::max<std::size_t>(plan.accesses.size(), 1));
  float y = std::round(cards.inner.y + kCardsHead * font);
  for (std::size_t i = 0; i < plan.accesses.size(); ++i) {
    const StripAccess& access = *plan.accesses[i];
    const ContrastSide& side =
        contrast.sides[static_cast<std::size_t>(&access - contrast.strip.accesses.data())];
    const auto rows = static_cast<float>(plan.grids[i].rows);
    const float body = rows * plan.word + (access.is_shared ? 1.0F : rows) * kStripNumbers * font;
    const float top = y + kSideHead * font;
    paint_side_head(painter, p, side, access, cards, y);
    painter.map(
        access, {*side.shape, *side.program, &side.is_padding},
        {cards.inner.x, y, cards.map, kSideHead * font + body + 0.8F * std::max(spare, 0.0F)});
    painter.words(access, plan.grids[i], {cards.words, top}, plan.word, true);
    y += std::round((kSideHead + kSideSpace) * font + body + spare);
  }
  painter.finish();
}

}  // namespace tilestep::ui
