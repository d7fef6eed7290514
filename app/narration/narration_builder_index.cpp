// Whole numbers: places in the block, rows and columns, bounds, booleans.
#include "narration/narration_builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep::narration {
namespace {

// Whether a name is in a multiplied term of a sum.
bool is_multiplied(const Expression& e, const std::string& name, bool inside) {
  if (e.is(Form::Name)) {
    return inside && e.text == name;
  }
  const bool product = inside || e.is_binary("*");
  return std::ranges::any_of(
      e.parts, [&](const Expression& part) { return is_multiplied(part, name, product); });
}

bool names(const Expression& e, const std::string& name) {
  bool found = false;
  for_each_part(e, [&](const Expression& part) {
    found = found || (part.is(Form::Name) && part.text == name);
  });
  return found;
}

// Calls f(expression, first line, last line) for every expression of a statement.
template <class F>
void for_each_expression(const SourceStatement& s, F&& f) {
  for (const Assignment& a : s.assignments) {
    f(a.target);
    if (a.value) {
      f(*a.value);
    }
  }
  for (const Expression& e : s.others) {
    f(e);
  }
  if (s.condition) {
    f(*s.condition);
  }
}

}  // namespace

// Whether an element is one of a shared array.
bool NarrationBuilder::is_shared(const Expression& element) const {
  const std::string name = base_name(element);
  const auto all = program().arrays();
  return std::ranges::any_of(all, [&](const simt::Array& a) {
    return a.kind == simt::AllocationKind::Shared && a.name == name;
  });
}

// The value of the thread's variable, and the first element that the thread then accesses with a
// statement; empty if only one of the two exists.
std::optional<NarrationBuilder::Reached> NarrationBuilder::reached(std::uint32_t thread,
                                                                   const std::string& name,
                                                                   const SourceStatement& s) const {
  const auto value = statement_.after.variable(narrated_.block, thread, name);
  const auto& types = program().module().types;
  const std::optional<Number> number = value && value->type < types.size()
                                           ? decoded(types[value->type], value->bytes)
                                           : std::nullopt;
  if (!number || number->is_real) {
    return std::nullopt;
  }
  for (const BlockRun::Global& g : narrated_.run.globals(thread)) {
    if (g.step < statement_.activity.last_step || g.line < s.first_line || g.line > s.last_line) {
      continue;
    }
    const auto e = element_at(program(), g.address, 1);
    if (e && program().arrays()[e->allocation].kind == simt::AllocationKind::Buffer) {
      return Reached{*e, number->integer};
    }
  }
  return std::nullopt;
}

// Whether the variable is the row, the column or the linear index of the following element, for
// every participating thread (a sample if there are many). A single thread is not enough: in a
// block's first column every value looks like a column.
NarrationBuilder::Meaning NarrationBuilder::meaning(const std::string& name,
                                                    const SourceStatement& s,
                                                    Guide::Axis axis) const {
  constexpr std::uint32_t kAsked = 40;
  const auto count = static_cast<std::uint32_t>(executed_.size());
  const std::uint32_t stride = std::max(1U, count / kAsked) | 1U;
  Meaning meaning;
  meaning.is_line = true;
  meaning.is_number = true;
  for (std::uint32_t t = 0; t < count; t += stride) {
    const auto at = executed_[t] ? reached(t, name, s) : std::nullopt;
    if (!at) {
      continue;
    }
    meaning.buffer = program().arrays()[at->element.allocation].launch_buffer;
    const problem::Buffer& buffer = launch().buffers[meaning.buffer];
    const std::int64_t line = axis == Guide::Axis::Row ? at->element.row : at->element.col;
    meaning.is_line = meaning.is_line && !at->element.is_flat && line == at->value;
    meaning.is_number = meaning.is_number && !at->element.is_flat &&
                        at->element.row * buffer.pitch + at->element.col == at->value;
    meaning.is_known = true;
  }
  return meaning;
}

// Calls f(statement, axis, is alone) for every element outside shared memory whose index uses the
// variable, alone or with others.
template <class F>
void NarrationBuilder::for_each_use(const std::string& name, F&& f) const {
  for (const SourceStatement& s : narrated_.source.statements()) {
    for_each_expression(s, [&](const Expression& e) {
      for_each_part(e, [&](const Expression& part) {
        if (part.is(Form::Subscript) && !is_shared(part) && names(part.parts[1], name)) {
          f(s, is_multiplied(part.parts[1], name, false) ? Guide::Axis::Row : Guide::Axis::Column,
            part.parts[1].is(Form::Name));
        }
      });
    });
  }
}

// Index sums that use the variable, each confirmed by the threads' next accesses there.
std::vector<Guide> NarrationBuilder::guides() const {
  std::vector<Guide> all;
  const std::optional<Change> c = executed_count_ == 0 ? std::nullopt : change();
  if (!c || !c->after || c->after->is_real || !c->assignment->target.is(Form::Name)) {
    return all;
  }
  for_each_use(c->target, [&](const SourceStatement& s, Guide::Axis axis, bool) {
    const auto own = reached(subject_, c->target, s);
    const Meaning m = own ? meaning(c->target, s, axis) : Meaning{};
    const Guide guide{c->target, axis, m.buffer, c->after->integer};
    if (m.is_known && m.is_line && std::ranges::find(all, guide) == all.end()) {
      all.push_back(guide);
    }
  });
  return all;
}

// A row or column outside every matrix: other threads of the block show which index the variable
// would be.
std::optional<Sentence> NarrationBuilder::beyond(const Change& c, const Places& places) const {
  std::optional<Sentence> best;
  for_each_use(c.target, [&](const SourceStatement& s, Guide::Axis axis, bool) {
    const Meaning m = meaning(c.target, s, axis);
    if (!m.is_known || !m.is_line) {
      return;
    }
    const bool row = axis == Guide::Axis::Row;
    const problem::Buffer& buffer = launch().buffers[m.buffer];
    const int size = row ? buffer.rows : buffer.cols;
    if (c.after->integer >= size) {
      Places all = places;
      all.front().second = who();
      all.emplace_back("last", plain(fmt::format("{}", size - 1)));
      all.emplace_back("array", strong(buffer.name, narrated_.roles.hue(buffer.name)));
      best = say(Kind::Index, row ? Say("beyond_row") : Say("beyond_column"), all);
    }
  });
  return best;
}

// The linear index of an element: b_index = 9, and B[9] is row 3, column 0.
std::optional<Sentence> NarrationBuilder::element_number(const Change& c,
                                                         const Places& places) const {
  std::optional<Sentence> best;
  for_each_use(c.target, [&](const SourceStatement& s, Guide::Axis axis, bool is_alone) {
    const auto own = is_alone ? reached(subject_, c.target, s) : std::nullopt;
    const Meaning m = own ? meaning(c.target, s, axis) : Meaning{};
    if (best || !m.is_known || !m.is_number) {
      return;
    }
    const problem::Buffer& buffer = launch().buffers[m.buffer];
    Places all = places;
    all.front().second = who();
    all.emplace_back("value", strong(number_text(*c.after)));
    all.emplace_back("array", strong(buffer.name, narrated_.roles.hue(buffer.name)));
    all.emplace_back("element",
                     strong(problem::element_name(buffer, static_cast<int>(own->element.row),
                                                  static_cast<int>(own->element.col)),
                            narrated_.roles.hue(buffer.name)));
    best = say(Kind::Index, "element_number", all);
  });
  return best;
}

std::optional<Sentence> NarrationBuilder::whole_number(const Change& c) {
  const Assignment& a = *c.assignment;
  const ThreadView& view = before_ ? *before_ : *after_;
  Places places{{"thread", who()},
                {"some", plain(fmt::format("{}", executed_count_))},
                {"all", plain(counted(live_, Noun::Thread))},
                {"variable", strong(c.target)},
                {"equation", equation(a, c.target, *c.after, view, narrated_.roles.hue_of(line_))}};
  const record::NamedValue* v = after_->find(base_name(a.target));
  const auto& types = program().module().types;
  if (v != nullptr && v->value.type < types.size() && a.value &&
      types[v->value.type].kind == ptx::TypeKind::Bool) {
    const auto p = printed(*a.value, view, narrated_.roles.hue_of(line_));
    places.emplace_back("condition", p ? p->pieces : plain(spelled(*a.value)));
    return say(Kind::Index, c.after->is_true() ? Say("flag_true") : Say("flag_false"), places);
  }
  if (a.value && a.value->is(Form::Member) && a.value->parts[0].is(Form::Name)) {
    const std::string& builtin = a.value->parts[0].text;
    if (builtin == "threadIdx" || builtin == "blockIdx") {
      return say(Kind::Index,
                 builtin == "threadIdx" ? Say("place_in_block") : Say("place_of_block"), places);
    }
  }
  const std::vector<Guide> all = guides();
  bool row = false;
  bool own_axis = false;
  std::string array;
  for (const Guide& g : all) {
    const bool output = narrated_.roles.is_output(g.launch_buffer);
    if (output || array.empty()) {
      row = g.axis == Guide::Axis::Row;
      own_axis = output;
      array = launch().buffers[g.launch_buffer].name;
    }
  }
  const bool every = executed_count_ == live_ && live_ > 1;
  if (array.empty()) {
    const bool is_name = c.assignment->target.is(Form::Name);
    std::optional<Sentence> s = is_name ? element_number(c, places) : std::nullopt;
    s = s || !is_name ? s : beyond(c, places);
    if (s) {
      return s;
    }
    return say(Kind::Index, every ? Say("index_all") : Say("index_some"), places);
  }
  places.emplace_back("array", strong(array, narrated_.roles.hue(array)));
  if (own_axis) {
    return say(Kind::Index,
               every ? (row ? Say("row_all") : Say("column_all"))
                     : (row ? Say("row_some") : Say("column_some")),
               places);
  }
  places.front().second = who();
  places.emplace_back("value", strong(number_text(*c.after)));
  return say(Kind::Index, row ? Say("row_of") : Say("column_of"), places);
}

}  // namespace tilestep::narration
