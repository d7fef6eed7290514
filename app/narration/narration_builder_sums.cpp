// Assignments: index sums, products added to a sum, all other computed values.
#include "narration/narration_builder.h"
#include "record/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tilestep::narration {
namespace {

bool same(const Expression& a, const Expression& b) {
  return spelled(a) == spelled(b);
}

bool has_product(const Expression& e) {
  bool found = false;
  for_each_part(e, [&](const Expression& part) {
    found = found || part.is_binary("*") ||
            (part.is(Form::Call) && part.text.find("fma") != std::string::npos);
  });
  return found;
}

Expression binary(const char* op, Expression left, Expression right) {
  Expression e;
  e.kind = Form::Binary;
  e.text = op;
  e.parts = {std::move(left), std::move(right)};
  return e;
}

// The value that is added to the target, or subtracted from it.
struct Addend {
  Expression what;
  bool negative = false;
};
std::optional<Addend> addend(const Assignment& a) {
  if (!a.value) {
    return std::nullopt;
  }
  if (a.op == "+=" || a.op == "-=") {
    return Addend{*a.value, a.op == "-="};
  }
  const Expression& v = *a.value;
  if (a.op != "=") {
    return std::nullopt;
  }
  if (v.is(Form::Call) && v.text.find("fma") != std::string::npos && v.parts.size() == 3 &&
      same(v.parts[2], a.target)) {
    return Addend{binary("*", v.parts[0], v.parts[1]), false};
  }
  if ((v.is_binary("+") || v.is_binary("-")) && same(v.parts[0], a.target)) {
    return Addend{v.parts[1], v.text == "-"};
  }
  if (v.is_binary("+") && same(v.parts[1], a.target)) {
    return Addend{v.parts[0], false};
  }
  return std::nullopt;
}

}  // namespace

std::string NarrationBuilder::target_text(const Expression& target) const {
  if (target.is(Form::Subscript)) {
    const std::optional<Number> index = value_of(target.parts[1], *after_);
    return fmt::format("{}[{}]", target_text(target.parts[0]),
                       index ? number_text(*index) : spelled(target.parts[1]));
  }
  if (target.is(Form::Member)) {
    return target_text(target.parts[0]) + "." + target.text;
  }
  return spelled(target);
}

bool NarrationBuilder::stores_to(std::uint64_t address) const {
  return std::ranges::any_of(own_, [&](const LaneTouch& t) {
    return t.kind != simt::AccessKind::Load && t.address == address;
  });
}

// The assignment to narrate: the last one on the line that changed something, otherwise the last
// one whose value is known.
std::optional<NarrationBuilder::Change> NarrationBuilder::change() const {
  if (!program().module().is_debug) {
    return std::nullopt;  // a fast build keeps no variable
  }
  std::optional<Change> best;
  bool best_changed = false;
  for (const int i : narrated_.source.at(line_)) {
    if (narrated_.source[i].kind != StatementKind::Simple) {
      continue;
    }
    for (const Assignment& a : narrated_.source[i].assignments) {
      Change c;
      c.assignment = &a;
      c.after = after_->number(a.target);
      c.before = before_ ? before_->number(a.target) : std::nullopt;
      c.is_new = c.after && (!c.before || !(*c.before == *c.after));
      // A change in memory that the thread did not store to is another thread's.
      const std::optional<Spot> spot = after_->spot(a.target);
      if (spot && spot->address && !stores_to(*spot->address)) {
        continue;
      }
      const bool changed = c.is_new;
      if (!best || changed || !best_changed) {
        best = c;
        best_changed = changed;
      }
    }
  }
  if (best) {
    best->target = target_text(best->assignment->target);
  }
  return best;
}

Pieces NarrationBuilder::what_is_read(const Group& g) const {
  const auto rows = static_cast<std::uint64_t>(g.box.row1 - g.box.row0 + 1);
  const auto cols = static_cast<std::uint64_t>(g.box.col1 - g.box.col0 + 1);
  const auto e =
      std::ranges::find_if(all_, [&](const LaneTouch& t) { return t.allocation == g.allocation; });
  const auto at = e == all_.end() ? std::nullopt : element_at(program(), e->address, e->bytes);
  const bool flat = !at || at->is_flat;
  if (!flat && g.distinct == rows * cols && (rows == 1) != (cols == 1)) {
    return part(cols == 1 ? Say("one_column") : Say("one_row"), {{"array", array(g)}});
  }
  return part("numbers_of",
              {{"numbers", plain(counted(g.distinct, Noun::Number))}, {"array", array(g)}});
}

std::optional<Pieces> NarrationBuilder::factors(const Change& c) const {
  const std::optional<Addend> add = addend(*c.assignment);
  const auto p =
      add && before_ ? printed(add->what, *before_, narrated_.roles.hue_of(line_)) : std::nullopt;
  return p && !p->is_number ? std::optional(p->pieces) : std::nullopt;
}

std::optional<Sentence> NarrationBuilder::product(const Change& c) {
  const std::optional<Addend> add = addend(*c.assignment);
  if (!add || !before_ || !c.before || !c.after || !c.after->is_real || !has_product(add->what) ||
      c.target == narrated_.roles.compensation()) {
    return std::nullopt;
  }
  const std::optional<Printed> p = printed(add->what, *before_, narrated_.roles.hue_of(line_));
  if (!p || p->is_number) {
    return std::nullopt;
  }
  const std::string text = fmt::format("{} {} ({})", number_text(*c.before),
                                       add->negative ? "−" : "+", plain_text(p->pieces));
  const Holds how = holds(text, *c.after);
  if (how == Holds::Not) {
    return std::nullopt;
  }
  const Hue sum = Hue::Sum;
  Pieces result = {{c.target, sum, true},
                   {how == Holds::Exactly ? " = " : " ≈ ", Hue::None, false},
                   {number_text(*c.after), sum, true}};
  Places places{{"threads", plain(counted(executed_count_, Noun::Thread))},
                {"thread", who()},
                {"product", p->pieces},
                {"before", strong(number_text(*c.before), sum)},
                {"result", std::move(result)}};
  if (add->negative) {
    return say(Kind::Product, "multiply_subtract", places);
  }
  const std::vector<const LaneTouch*> loads = all_own(simt::AccessKind::Load);
  std::vector<const Group*> read;
  for (const LaneTouch* t : loads) {
    const Group* g = t->shared ? group_of(*t) : nullptr;
    if (g != nullptr && std::ranges::find(read, g) == read.end()) {
      read.push_back(g);
    }
  }
  if (loads.size() == 2 && !loads[0]->shared && !loads[1]->shared) {
    places.emplace_back("first", place(*loads[0]));
    places.emplace_back("second", place(*loads[1]));
    return say(Kind::Product, "naive_product", places);
  }
  if (read.size() == 2) {
    places.emplace_back("first", what_is_read(*read[0]));
    places.emplace_back("second", what_is_read(*read[1]));
    return alone(Kind::Product, "multiply_add", places, executed_count_);
  }
  if (loads.size() == 1) {
    places.emplace_back("source", place(*loads[0]));
    return say(Kind::Product, "multiply_add_one", places);
  }
  if (const auto element = narrated_.roles.element_of(subject_, c.target)) {
    places.emplace_back("element", strong(*element, sum));
    return say(Kind::Product, "register_product_of", places);
  }
  return say(Kind::Product, "register_product", places);
}

Sentence NarrationBuilder::assigned(const Change& c) {
  const Assignment& a = *c.assignment;
  const HueOf hues = narrated_.roles.hue_of(line_);
  const Pieces variable = strong(c.target, hue_of(a.target, hues));
  const LaneTouch* load_ = own(simt::AccessKind::Load);
  if (std::optional<Sentence> s = shuffled(c)) {
    return std::move(*s);
  }
  if (std::optional<Sentence> s = compensated(c)) {
    return std::move(*s);
  }
  // A value computed from a number that is read ("max(A[i], x)") is not a number that is kept.
  const std::optional<Number> loaded = load_ == nullptr ? std::nullopt : number(*load_);
  const bool is_kept = !c.after || (a.op == "=" && a.value && !a.value->is(Form::Binary) &&
                                    loaded && loaded->as_real() == c.after->as_real());
  if (load_ != nullptr && is_kept && (!c.after || all_own(simt::AccessKind::Load).size() == 1)) {
    return say(Kind::Load, "keeps",
               {{"thread", who()},
                {"source", place(*load_)},
                {"value", value(*load_)},
                {"variable", variable}});
  }
  if (c.after && load_ != nullptr && before_) {
    return say(Kind::Load, "reads_and_computes",
               {{"thread", who()},
                {"source", place(*load_)},
                {"value", value(*load_)},
                {"equation", equation(a, c.target, *c.after, *before_, hues)}});
  }
  if (c.after && !c.after->is_real) {
    return *whole_number(c);
  }
  if (!c.after) {
    // A boolean in a predicate has no location in debug information.
    const bool truth =
        a.value && ((a.value->is(Form::Binary) && precedence(a.value->text) <= 7 &&
                     (precedence(a.value->text) < 3 || precedence(a.value->text) > 5)) ||
                    (a.value->is(Form::Unary) && a.value->text == "!"));
    const auto p = truth && before_ ? printed(*a.value, *before_, hues) : std::nullopt;
    if (p && !after_->spot(a.target)) {
      return say(Kind::Index, p->value.is_true() ? Say("flag_true") : Say("flag_false"),
                 {{"thread", who()}, {"variable", variable}, {"condition", p->pieces}});
    }
    return not_a_number(c);
  }
  const bool literal = a.value && (a.value->is(Form::Real) || a.value->is(Form::Integer));
  if (literal && a.declares && hue_of(a.target, hues) == Hue::Sum) {
    const bool every = executed_count_ == live_;
    return say(Kind::Value, every ? Say("sum_starts") : Say("sum_starts_some"),
               {{"thread", who()}, {"equation", equation(a, c.target, *c.after, *after_, hues)}});
  }
  return say(Kind::Value, literal ? Say("sets") : Say("computes"),
             {{"thread", who()},
              {"equation", equation(a, c.target, *c.after, before_ ? *before_ : *after_, hues)}});
}

// Vectors, structs, pointers, arrays.
Sentence NarrationBuilder::not_a_number(const Change& c) {
  const Assignment& a = *c.assignment;
  const Pieces variable = strong(c.target, hue_of(a.target, narrated_.roles.hue_of(line_)));
  const std::optional<Spot> spot = after_->spot(a.target);
  if (!spot || spot->bytes.empty()) {
    return goes_on();
  }
  const bool all_zero =
      std::ranges::all_of(spot->bytes, [](std::byte b) { return b == std::byte{0}; });
  if (all_zero && a.declares && hue_of(a.target, narrated_.roles.hue_of(line_)) == Hue::Sum) {
    return say(Kind::Value, "sums_start", {{"thread", who()}, {"variable", variable}});
  }
  const std::string text =
      record::format_value(program(), {record::Value::Status::Ok, spot->type, spot->bytes});
  if (text == "{}") {  // an object without members
    return goes_on();
  }
  if (text.starts_with('&') && spot->bytes.size() == sizeof(std::uint64_t)) {
    // A view's own pointer is not reported as pointing to the view.
    std::uint64_t address = 0;
    std::memcpy(&address, spot->bytes.data(), sizeof address);
    const simt::Place place = program().locate(address, 1);
    const simt::Array* const view = program().view_at(place);
    if (view != nullptr && view->name == c.target && view->base == address) {
      return say(Kind::Value, "lies_in",
                 {{"thread", who()},
                  {"variable", variable},
                  {"memory", strong(program().arrays()[place.allocation].name)},
                  {"offset", strong(fmt::format("{}", place.offset))}});
    }
    return say(Kind::Value, "points_to",
               {{"thread", who()}, {"variable", variable}, {"element", strong(text.substr(1))}});
  }
  return say(Kind::Value, "has_value",
             {{"thread", who()}, {"variable", variable}, {"value", strong(text)}});
}

// Kahan summation: the new sum and its rounding error.
std::optional<Sentence> NarrationBuilder::compensated(const Change& c) {
  const std::string& lost = narrated_.roles.compensation();
  if (lost.empty() || !c.after || !before_) {
    return std::nullopt;
  }
  const HueOf hues = narrated_.roles.hue_of(line_);
  const Pieces sum = equation(*c.assignment, c.target, *c.after, *before_, hues);
  const Places places{{"thread", who()}, {"equation", sum}};
  if (c.target == lost) {
    if (c.assignment->value && has_product(*c.assignment->value)) {
      return say(Kind::Compensate, "next_product", places);
    }
    return c.assignment->declares
               ? say(Kind::Compensate, "lost_starts", {{"thread", who()}, {"equation", sum}})
               : say(Kind::Compensate, "lost_part", places);
  }
  if (c.assignment->value && c.assignment->op == "=" && c.assignment->value->is_binary("-") &&
      spelled(c.assignment->value->parts[1]) == lost) {
    return say(Kind::Compensate, "new_sum", places);
  }
  const Expression* v = c.assignment->value ? &*c.assignment->value : nullptr;
  if (v != nullptr && v->is(Form::Name) && c.assignment->op == "=" && !c.assignment->declares) {
    const auto kept = after_->number(Expression{Form::Name, lost, 0, 0.0, {}});
    if (kept) {
      return say(Kind::Compensate, "sum_and_lost",
                 {{"thread", who()},
                  {"equation", sum},
                  {"lost", Pieces{{lost, Hue::Sum, true},
                                  {" = ", Hue::None, false},
                                  {number_text(*kept), Hue::Sum, true}}}});
    }
  }
  return std::nullopt;
}

// "sum += __shfl_down_sync(mask, sum, 16)": the source lane and the result.
std::optional<Sentence> NarrationBuilder::shuffled(const Change& c) {
  const Expression* call = nullptr;
  if (c.assignment->value) {
    for_each_part(*c.assignment->value, [&](const Expression& part) {
      call = part.is(Form::Call) && part.text.find("shfl") != std::string::npos ? &part : call;
    });
  }
  if (call == nullptr || call->parts.size() < 3 || !before_ || !c.after) {
    return std::nullopt;
  }
  const auto lanes = program().warp_size();
  const std::optional<Number> by = value_of(call->parts[2], *before_);
  const std::int64_t lane = subject_ % lanes;
  const std::int64_t from = !by                                            ? -1
                            : call->text.find("down") != std::string::npos ? lane + by->integer
                            : call->text.find("up") != std::string::npos   ? lane - by->integer
                            : call->text.find("xor") != std::string::npos  ? lane ^ by->integer
                                                                           : by->integer;
  const std::int64_t other = subject_ - lane + from;
  if (from < 0 || from >= lanes || other >= program().threads_per_block()) {
    return say(Kind::Shuffle, "shuffle_none",
               {{"thread", who()},
                {"result", Pieces{{c.target, Hue::Sum, true},
                                  {" = " + number_text(*c.after), Hue::None, true}}}});
  }
  const ThreadView view(narrated_.recording, narrated_.source, *statement_.before, narrated_.block,
                        static_cast<std::uint32_t>(other));
  const std::optional<Number> taken = value_of(call->parts[1], view);
  Pieces result = {{c.target, Hue::Sum, true}, {" = ", Hue::None, false}};
  const std::optional<Addend> add = addend(*c.assignment);
  if (taken && c.before && add && add->what.is(Form::Call)) {
    const std::string sum =
        fmt::format("{} {} {}", number_text(*c.before), add->negative ? "−" : "+",
                    taken->as_real() < 0.0 ? "(" + number_text(*taken) + ")" : number_text(*taken));
    const Holds how = holds(sum, *c.after);
    if (how != Holds::Not) {
      result.push_back({sum + (how == Holds::Exactly ? " = " : " ≈ "), Hue::None, false});
    }
  }
  result.push_back({number_text(*c.after), Hue::Sum, true});
  return say(Kind::Shuffle, "shuffle",
             {{"thread", who()},
              {"other", thread_name(static_cast<std::uint32_t>(other))},
              {"value", strong(taken ? number_text(*taken) : "?", Hue::Sum)},
              {"result", std::move(result)}});
}

}  // namespace tilestep::narration
