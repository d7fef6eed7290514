// Loops: the number of the pass, its contents, and the end of the loop.
#include "narration/narration_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace tilestep::narration {
namespace {

// The number of passes of a counter from `first` in steps of `step` while it compares so with
// `limit`.
std::optional<std::int64_t> count_passes(const std::string& op, std::int64_t first,
                                         std::int64_t step, std::int64_t limit) {
  const bool up = op == "<" || op == "<=";
  if (step == 0 || (!up && op != ">" && op != ">=" && op != "!=")) {
    return std::nullopt;
  }
  if (op == "!=") {
    return (limit - first) % step == 0 ? std::optional((limit - first) / step) : std::nullopt;
  }
  if (up != (step > 0)) {
    return std::nullopt;
  }
  const std::int64_t way = up ? limit - first : first - limit;
  const std::int64_t size = step > 0 ? step : -step;
  const bool inclusive = op == "<=" || op == ">=";
  return way < 0 || (way == 0 && !inclusive) ? 0
         : inclusive                         ? way / size + 1
                                             : (way + size - 1) / size;
}

}  // namespace

// The counter of a `for` in the thread; empty if the loop counts in another way.
std::optional<NarrationBuilder::Passes> NarrationBuilder::passes(int loop, const ThreadView& view,
                                                                 bool at_start) const {
  const SourceStatement& s = narrated_.source[loop];
  if (s.kind != StatementKind::For || s.assignments.empty() || s.steps.empty() || !s.condition ||
      s.condition->parts.size() != 2 || !s.condition->parts[0].is(Form::Name)) {
    return std::nullopt;
  }
  const std::string& name = s.condition->parts[0].text;
  const auto is_it = [&](const Assignment& a) { return spelled(a.target) == name; };
  const auto init = std::ranges::find_if(s.assignments, is_it);
  const auto step = std::ranges::find_if(s.steps, is_it);
  if (init == s.assignments.end() || step == s.steps.end() || !init->value) {
    return std::nullopt;
  }
  const std::optional<Number> first = value_of(*init->value, view);
  const std::optional<Number> limit = value_of(s.condition->parts[1], view);
  std::optional<Number> by = whole(step->op == "--" ? -1 : 1);
  if (step->value) {
    by = value_of(*step->value, view);
    if (by && step->op == "-=") {
      by->integer = -by->integer;
    }
    if (step->op != "+=" && step->op != "-=") {
      return std::nullopt;
    }
  }
  const std::optional<Number> now = at_start ? first : view.number(name_expression(name));
  if (!first || !limit || !by || !now || first->is_real || limit->is_real || by->is_real ||
      now->is_real) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> count =
      count_passes(s.condition->text, first->integer, by->integer, limit->integer);
  if (!count || (now->integer - first->integer) % by->integer != 0) {
    return std::nullopt;
  }
  Passes p{now->integer, first->integer, by->integer, 0, *count, name, {}};
  p.condition =
      fmt::format("{} {} {}", number_text(*first), s.condition->text, number_text(*limit));
  p.number = (now->integer - first->integer) / by->integer + 1;
  const bool possible = p.number >= 1 && p.number <= p.count + 1;
  return possible ? std::optional(p) : std::nullopt;
}

std::vector<NarrationBuilder::Span> NarrationBuilder::spans(int loop, std::uint32_t warp) const {
  const SourceStatement& s = narrated_.source[loop];
  const int function = narrated_.source.function_at(s.first_line);
  std::vector<Span> all;
  bool open = false;
  for (const Visit& v : narrated_.run.visits(warp)) {
    const bool head = v.line >= s.first_line && v.line <= s.last_line;
    if (head) {
      if (open) {
        all.back().last = v.step;
      }
      all.push_back({v.step, v.step});
      open = true;
    } else if (open && v.line > 0 && narrated_.source.function_at(v.line) == function &&
               !narrated_.source.contains(loop, v.line)) {
      all.pop_back();  // the last visit only evaluated the condition to false
      open = false;
    }
  }
  if (open && !all.empty()) {
    all.pop_back();
  }
  return all;
}

// Its counter selects the sum of the product: acc[i][j] += a[i] * b[j].
bool NarrationBuilder::picks_sum(int loop) const {
  const SourceStatement& s = narrated_.source[loop];
  if (s.assignments.empty()) {
    return false;
  }
  const std::string& counter = s.assignments.front().target.text;
  const auto names_counter = [&counter](const Expression& target) {
    bool found = false;
    for_each_part(target, [&](const Expression& part) {
      found = found || (&part != &target && part.is(Form::Name) && part.text == counter);
    });
    return found;
  };
  for (const SourceStatement& inner : narrated_.source.statements()) {
    for (const Assignment& assignment : inner.assignments) {
      if (narrated_.source.contains(loop, inner.first_line) && assignment.op != "=" &&
          names_counter(assignment.target)) {
        return true;
      }
    }
  }
  return false;
}

NarrationBuilder::LoopKind NarrationBuilder::kind_of(int loop) const {
  const std::uint32_t warp = own_warp();
  const std::vector<Span> all = spans(loop, warp);
  LoopKind kind = LoopKind::Plain;
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 4); ++i) {
    const auto touches = narrated_.run.touches(all[i].first, all[i].last);
    const bool stores = std::ranges::any_of(touches, [&](const Touch& t) {
      return t.warp == warp && t.kind == simt::AccessKind::Store &&
             program().arrays()[t.allocation].kind == simt::AllocationKind::Shared;
    });
    const auto products = narrated_.run.products(all[i].first, all[i].last);
    const bool multiplies =
        std::ranges::any_of(products, [&](const ProductStep& p) { return p.warp == warp; });
    if (stores && multiplies) {
      return LoopKind::Tiles;
    }
    const auto own_products = static_cast<std::size_t>(
        std::ranges::count_if(products, [&](const ProductStep& p) { return p.warp == warp; }));
    kind = !multiplies ? kind : own_products > 1 ? LoopKind::Steps : LoopKind::Products;
  }
  return kind == LoopKind::Products && picks_sum(loop) ? LoopKind::Plain : kind;
}

// A loop of products is counted over the loop around it if that has nothing else in it, as over a
// filter's rows; else the sum may begin anew there.
NarrationBuilder::Passes NarrationBuilder::of_nest(int inner, Passes p) const {
  const int outer = narrated_.source.enclosing(inner, StatementKind::For);
  const auto& all = narrated_.source.statements();
  const bool is_nest = outer != kNoStatement && kind_of(outer) == LoopKind::Steps &&
                       std::ranges::count(all, outer, &SourceStatement::parent) == 1;
  if (const auto around = is_nest ? passes(outer, *after_) : std::nullopt) {
    p.number += (around->number - 1) * p.count;
    p.count *= around->count;
  }
  return p;
}

Sentence NarrationBuilder::loop(int index) {
  const SourceStatement& s = narrated_.source[index];
  const std::uint32_t next = statement_.after.line(narrated_.block, subject_);
  const std::optional<Passes> p = passes(index, *after_);
  const std::optional<Number> goes = s.condition ? value_of(*s.condition, *after_) : std::nullopt;
  const int to = narrated_.source.function_at(next);
  const bool inside = goes ? goes->is_true()
                           : next != 0 && (narrated_.source.contains(index, next) ||
                                           to != narrated_.source.function_at(s.first_line));
  if (!inside) {
    return loop_end(index);
  }
  const std::vector<Span> all = spans(index, own_warp());
  const auto span = std::ranges::find_if(all, [&](const Span& at) {
    return at.first >= statement_.activity.first_step && at.first < statement_.activity.last_step;
  });
  const Span pass = span == all.end() ? Span{} : *span;
  if (!p) {
    return uncounted_pass(s, all, static_cast<std::size_t>(span - all.begin()));
  }
  const LoopKind kind = kind_of(index);
  if (kind == LoopKind::Tiles) {
    return tile_pass(index, *p, static_cast<std::size_t>(span - all.begin()));
  }
  if (kind != LoopKind::Plain) {
    return product_pass(kind == LoopKind::Products ? of_nest(index, *p) : *p, pass);
  }
  return say(Kind::LoopPass, "pass",
             {{"number", strong(fmt::format("{}", p->number))},
              {"count", plain(fmt::format("{}", p->count))},
              {"thread", who()},
              {"variable", strong(p->variable)},
              {"value", strong(number_text(whole(p->value)))}});
}

// A loop without a counter: its passes are the executed ones, in order.
Sentence NarrationBuilder::uncounted_pass(const SourceStatement& s, const std::vector<Span>& all,
                                          std::size_t at) const {
  std::size_t first = at;
  while (first > 0 && first < all.size() && all[first - 1].last == all[first].first) {
    --first;
  }
  std::size_t last = at;
  while (last + 1 < all.size() && all[last].last == all[last + 1].first) {
    ++last;
  }
  const auto c =
      s.condition ? printed(*s.condition, *after_, narrated_.roles.hue_of(line_)) : std::nullopt;
  Places places{{"thread", who()},
                {"number", strong(fmt::format("{}", at - first + 1))},
                {"count", plain(fmt::format("{}", last - first + 1))},
                {"condition", c                   ? c->pieces
                              : s.written.empty() ? part("true", {})
                                                  : plain(s.written)}};
  if (all.empty()) {
    return say(Kind::LoopPass, "pass_again", places);
  }
  if (s.condition && s.condition->parts.size() == 2 && s.condition->parts[0].is(Form::Name)) {
    if (const auto n = after_->number(s.condition->parts[0])) {
      places.emplace_back("variable", strong(s.condition->parts[0].text));
      places.emplace_back("value", strong(number_text(*n)));
      return say(Kind::LoopPass, "pass", places);
    }
  }
  return say(Kind::LoopPass, "pass_plain", places);
}

// A counter that increases by 1, but not from 0: its values are not the tiles' numbers.
bool NarrationBuilder::counts_otherwise(const Passes& p) {
  return p.first != 0 && p.step == 1;
}

// The parts of A and of B that the pass loads.
Sentence NarrationBuilder::tile_pass(int loop, const Passes& p, std::size_t ordinal) const {
  // Warps make their passes at different times: each has its own steps for this one.
  std::map<std::uint32_t, Box> boxes;
  for (std::uint32_t warp = 0; warp < program().warps_per_block(); ++warp) {
    const std::vector<Span> all = spans(loop, warp);
    const Span span = ordinal < all.size() ? all[ordinal] : Span{};
    for (const Touch& t : narrated_.run.touches(span.first, span.last)) {
      if (t.warp == warp && t.allocation != simt::kNoAllocation &&
          t.kind == simt::AccessKind::Load &&
          program().arrays()[t.allocation].kind == simt::AllocationKind::Buffer) {
        boxes[t.allocation].add(t.box);
      }
    }
  }
  std::vector<Pieces> parts;
  for (const auto& [allocation, box] : boxes) {
    const Hue own_hue = hue(allocation);
    const bool columns = own_hue == Hue::FromA;
    const std::int64_t from = columns ? box.col0 : box.row0;
    const std::int64_t to = columns ? box.col1 : box.row1;
    const Places places{{"first", strong(fmt::format("{}", from), own_hue)},
                        {"last", strong(fmt::format("{}", to), own_hue)},
                        {"array", strong(program().arrays()[allocation].name, own_hue)}};
    if (own_hue == Hue::FromA || own_hue == Hue::FromB) {
      parts.push_back(part(from == to ? (columns ? Say("column_of_array") : Say("row_of_array"))
                                      : (columns ? Say("columns_of_array") : Say("rows_of_array")),
                           places));
    }
  }
  Places places{{"tile", strong(fmt::format("{}", p.number - 1))},
                {"last", plain(fmt::format("{}", p.count - 1))},
                {"variable", strong(p.variable)},
                {"value", strong(number_text(whole(p.value)))}};
  places.emplace_back("number", strong(fmt::format("{}", p.number)));
  places.emplace_back("count", plain(fmt::format("{}", p.count)));
  places.emplace_back("parts", listed(parts));
  if (counts_otherwise(p)) {
    return say(Kind::LoopPass, parts.empty() ? Say("tile_other_plain") : Say("tile_other"), places);
  }
  if (parts.empty()) {
    return say(Kind::LoopPass, "tile_pass_plain", places);
  }
  if (loads_ahead(loop)) {
    return say(Kind::LoopPass, "tile_pass_ahead", places);
  }
  return say(Kind::LoopPass, p.count == 1 ? Say("tile_only") : Say("tile_pass"), places);
}

// The first tile was loaded before the loop, so each pass loads the next one of the same matrix.
bool NarrationBuilder::loads_ahead(int loop) const {
  const std::vector<Span> all = spans(loop, own_warp());
  if (all.empty()) {
    return false;
  }
  const auto loaded = [&](const Span& span) {
    std::set<std::uint32_t> matrices;
    for (const Touch& t : narrated_.run.touches(span.first, span.last)) {
      if (t.allocation != simt::kNoAllocation && t.kind == simt::AccessKind::Load &&
          (hue(t.allocation) == Hue::FromA || hue(t.allocation) == Hue::FromB) &&
          program().arrays()[t.allocation].kind == simt::AllocationKind::Buffer) {
        matrices.insert(t.allocation);
      }
    }
    return matrices;
  };
  const std::set<std::uint32_t> before = loaded({0, all.front().first});
  const std::set<std::uint32_t> within = loaded(all.front());
  return std::ranges::any_of(before, [&](std::uint32_t matrix) { return within.contains(matrix); });
}

Sentence NarrationBuilder::product_pass(const Passes& p, const Span& span) const {
  const auto lanes = program().warp_size();
  const std::uint32_t warp = subject_ / lanes;
  std::uint64_t products = 0;  // of the subject; for a tensor unit, of its warp
  bool in_unit = false;
  for (const ProductStep& step : narrated_.run.products(span.first, span.last)) {
    if (step.warp == warp && ((step.mask >> (own_lane())) & 1U) != 0) {
      products += step.is_tensor() ? step.products() : 1;
      in_unit = in_unit || step.is_tensor();
    }
  }
  struct Read {
    Box box;
    std::uint64_t numbers = 0;
    bool flat = false;
  };
  std::map<std::uint32_t, Read> reads;
  std::set<std::string> by_unit;  // arrays that tensor cores read themselves
  for (const Touch& t : narrated_.run.touches(span.first, span.last)) {
    if (t.warp != warp || t.kind != simt::AccessKind::Load || t.allocation == simt::kNoAllocation) {
      continue;
    }
    if (t.agent == simt::AccessAgent::TensorCore) {
      by_unit.insert(program().arrays()[t.allocation].name);
    }
    if (t.agent != simt::AccessAgent::Thread || ((t.mask >> (subject_ % lanes)) & 1U) == 0) {
      continue;
    }
    const simt::Array& a = program().arrays()[t.allocation];
    Read& read = reads[t.allocation];
    read.box.add(t.box);
    read.numbers += std::max(1U, t.bytes / std::max(1U, element_bytes(program(), a)));
    read.flat = t.is_flat;
  }
  Places places{{"number", strong(fmt::format("{}", p.number))},
                {"count", plain(fmt::format("{}", p.count))},
                {"thread", who()},
                {"variable", strong(p.variable)},
                {"value", strong(number_text(whole(p.value)))},
                {"products", plain(counted(products, Noun::Product))}};
  std::vector<Pieces> cells;
  std::vector<Pieces> numbers;
  std::vector<std::pair<std::uint32_t, Read>> in_order(reads.begin(), reads.end());
  std::ranges::stable_sort(in_order, [&](const auto& a, const auto& b) {
    return hue(a.first) == Hue::FromA && hue(b.first) != Hue::FromA;
  });
  for (const auto& [allocation, read] : in_order) {
    const Hue own_hue = hue(allocation);
    const Pieces array = strong(program().arrays()[allocation].name, own_hue);
    numbers.push_back(
        numbers.empty()
            ? part("numbers_of",
                   {{"numbers", plain(counted(read.numbers, Noun::Number))}, {"array", array}})
            : part("count_of",
                   {{"count", plain(fmt::format("{}", read.numbers))}, {"array", array}}));
    const bool column = read.box.col0 == read.box.col1;
    const bool row = read.box.row0 == read.box.row1;
    if (read.flat && column) {
      cells.push_back(part("cell_of_array",
                           {{"first", plain(fmt::format("{}", read.box.col0))}, {"array", array}}));
    }
    if (!read.flat && (row || column)) {
      const bool is_column = column && (!row || own_hue == Hue::FromA);
      cells.push_back(part(
          is_column ? Say("column_of_array") : Say("row_of_array"),
          {{"first", strong(fmt::format("{}", is_column ? read.box.col0 : read.box.row0), own_hue)},
           {"array", array}}));
    }
  }
  if (products == 1 && cells.size() == 2) {
    places.emplace_back("cells", listed(cells));
    return say(Kind::LoopPass, "product_pass_cells", places);
  }
  if (products > 1 && !numbers.empty()) {
    places.emplace_back("numbers", listed(numbers));
    places.emplace_back("arrays", narrated_.roles.arrays(by_unit));
    if (!by_unit.empty()) {
      return say(Kind::LoopPass, "step_warpgroup", places);
    }
    return say(Kind::LoopPass, in_unit ? Say("step_tensor") : Say("step_pass"), places);
  }
  if (in_unit) {
    return say(Kind::LoopPass, "pass_tensor", places);
  }
  return say(Kind::LoopPass, products > 1 ? Say("pass_products") : Say("product_pass"), places);
}

// The condition that no longer holds. The counter may be out of scope by now, so its last step is
// computed again.
std::optional<Pieces> NarrationBuilder::why_over(const SourceStatement& s) const {
  if (!s.condition) {
    return std::nullopt;
  }
  if (const auto p = printed(*s.condition, *after_, narrated_.roles.hue_of(line_))) {
    return p->value.is_true() ? std::nullopt : std::optional(p->pieces);
  }
  if (!before_ || s.steps.size() != 1 || s.condition->parts.size() != 2 ||
      spelled(s.condition->parts[0]) != spelled(s.steps[0].target)) {
    return std::nullopt;
  }
  const Assignment& step = s.steps[0];
  Expression next;
  next.kind = Form::Binary;
  next.text = step.op.substr(0, step.op.size() - 1);
  Expression one;
  one.integer = 1;
  next.parts = {step.target, step.value ? *step.value : one};
  const std::optional<Number> now = value_of(next, *before_);
  const std::optional<Number> limit = value_of(s.condition->parts[1], *after_);
  if (!now || !limit || now->is_real || limit->is_real) {
    return std::nullopt;
  }
  Expression left;
  left.integer = now->integer;
  Expression right;
  right.integer = limit->integer;
  Expression condition = *s.condition;
  condition.parts = {std::move(left), std::move(right)};
  const auto p = printed(condition, *after_, narrated_.roles.hue_of(line_));
  return p && !p->value.is_true() ? std::optional(p->pieces) : std::nullopt;
}

Sentence NarrationBuilder::loop_end(int index) const {
  const SourceStatement& s = narrated_.source[index];
  std::optional<Passes> p = before_ ? passes(index, *before_) : std::nullopt;
  Places places{{"thread", who()}, {"line", plain(fmt::format("{}", s.first_line))}};
  if (!p || p->count == 0) {
    p = passes(index, *after_, true);
    if (!p || p->count > 0) {
      const std::optional<Pieces> why = why_over(s);
      places.emplace_back("condition", why ? *why : Pieces{});
      return say(Kind::LoopEnd, why ? Say("loop_left") : Say("loop_over"), places);
    }
    places.emplace_back("condition", plain(p->condition));
    return say(Kind::LoopEnd, "loop_none", places);
  }
  places.emplace_back("count", plain(fmt::format("{}", p->count)));
  places.emplace_back("passes",
                      plain(counted(static_cast<std::uint64_t>(p->count), Noun::Iteration)));
  places.emplace_back("last", plain(fmt::format("{}", p->count - 1)));
  places.emplace_back("variable", strong(p->variable));
  places.emplace_back("value", strong(number_text(whole(p->first + p->step * p->count))));
  switch (kind_of(index)) {
    case LoopKind::Tiles:
      return say(Kind::LoopEnd, counts_otherwise(*p) ? Say("loop_done") : Say("tiles_done"),
                 places);
    case LoopKind::Products:
      return say(Kind::LoopEnd, "products_done", places);
    case LoopKind::Steps:
    case LoopKind::Plain:
      break;
  }
  return say(Kind::LoopEnd, "loop_done", places);
}

// The innermost loop with a counter: "product 3 of 4".
std::string NarrationBuilder::pass() const {
  if (executed_count_ == 0 || narrated_.source.at(line_).empty()) {
    return {};
  }
  for (int i = narrated_.source.at(line_).front(); i != kNoStatement;
       i = narrated_.source[i].parent) {
    std::optional<Passes> p = passes(i, *after_);
    if (!p || p->number > p->count) {
      continue;
    }
    const LoopKind kind = kind_of(i);
    p = kind == LoopKind::Products ? of_nest(i, *p) : *p;
    const Places places{{"number", plain(fmt::format("{}", p->number))},
                        {"count", plain(fmt::format("{}", p->count))},
                        {"tile", plain(fmt::format("{}", p->number - 1))},
                        {"last", plain(fmt::format("{}", p->count - 1))},
                        {"variable", plain(p->variable)},
                        {"value", plain(number_text(whole(p->value)))}};
    if (kind == LoopKind::Tiles && p->count == 1) {
      return "";  // the only tile
    }
    return plain_text(part(kind == LoopKind::Steps      ? Say("eyebrow_step")
                           : kind == LoopKind::Products ? Say("eyebrow_product")
                           : kind == LoopKind::Plain    ? Say("eyebrow_pass")
                           : counts_otherwise(*p)       ? Say("eyebrow_other")
                                                        : Say("eyebrow_tile"),
                           places));
  }
  return {};
}

}  // namespace tilestep::narration
