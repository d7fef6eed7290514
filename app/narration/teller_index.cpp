// Whole numbers: places in the block, rows and columns, bounds, truths.
#include "narration/teller.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep::narration {
namespace {

// The terms of a sum, and whether a name stands in one that is multiplied.
bool is_multiplied(const Expression& e, const std::string& name, bool inside) {
  if (e.is(Form::Name)) {
    return inside && e.text == name;
  }
  const bool product = inside || e.is_binary("*");
  return std::any_of(e.parts.begin(), e.parts.end(),
                     [&](const Expression& part) { return is_multiplied(part, name, product); });
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
bool Teller::is_shared(const Expression& element) const {
  const std::string name = base_name(element);
  const auto all = program().arrays();
  return std::any_of(all.begin(), all.end(), [&](const simt::Array& a) {
    return a.kind == simt::AllocationKind::Shared && a.name == name;
  });
}

// Index sums that use the variable, each confirmed by the thread's next access there.
std::vector<Guide> Teller::guides() const {
  std::vector<Guide> all;
  const std::optional<Change> c = executed_count_ == 0 ? std::nullopt : change();
  if (!c || !c->after || c->after->is_real || !c->assignment->target.is(Form::Name)) {
    return all;
  }
  const std::string& name = c->target;
  const auto confirm = [&](const SourceStatement& s, Guide::Axis axis) {
    for (const BlockRun::Global& g : scene_.run.globals(subject_)) {
      if (g.step < told_.statement.last_step || g.line < s.first_line || g.line > s.last_line) {
        continue;
      }
      const auto e = element_at(program(), g.address, 1);
      const std::int64_t at = !e ? -1 : axis == Guide::Axis::Row ? e->row : e->col;
      const simt::Array& a = program().arrays()[e ? e->allocation : 0];
      if (e && !e->is_flat && a.kind == simt::AllocationKind::Buffer && at == c->after->integer) {
        const Guide guide{name, axis, a.launch_buffer, at};
        if (std::find(all.begin(), all.end(), guide) == all.end()) {
          all.push_back(guide);
        }
        return;
      }
    }
  };
  for (const SourceStatement& s : scene_.source.statements()) {
    for_each_expression(s, [&](const Expression& e) {
      for_each_part(e, [&](const Expression& part) {
        if (part.is(Form::Subscript) && !is_shared(part) && names(part.parts[1], name)) {
          confirm(s, is_multiplied(part.parts[1], name, false) ? Guide::Axis::Row
                                                               : Guide::Axis::Column);
        }
      });
    });
  }
  return all;
}

// A row or column that no matrix has: where the variable would be an index, others of the block
// show of which.
std::optional<Sentence> Teller::beyond(const Change& c, const Places& places) const {
  if (!c.assignment->target.is(Form::Name)) {
    return std::nullopt;
  }
  std::optional<Sentence> best;
  const auto check = [&](const SourceStatement& s, bool row) {
    const auto touches = scene_.run.touches();
    const auto near = std::find_if(touches.begin(), touches.end(), [&](const Touch& t) {
      return t.line >= s.first_line && t.line <= s.last_line && !t.is_flat &&
             t.allocation != simt::kNoAllocation &&
             program().arrays()[t.allocation].kind == simt::AllocationKind::Buffer;
    });
    if (near == touches.end()) {
      return;
    }
    const simt::Array& a = program().arrays()[near->allocation];
    const problem::Buffer& buffer = launch().buffers[a.launch_buffer];
    const int size = row ? buffer.rows : buffer.cols;
    if (c.after->integer >= size) {
      Places all = places;
      all.front().second = who();
      all.emplace_back("last", plain(fmt::format("{}", size - 1)));
      all.emplace_back("array", strong(buffer.name, scene_.roles.hue(buffer.name)));
      best = say(Kind::Index, row ? Say("beyond_row") : Say("beyond_column"), all);
    }
  };
  for (const SourceStatement& s : scene_.source.statements()) {
    for_each_expression(s, [&](const Expression& e) {
      for_each_part(e, [&](const Expression& part) {
        if (part.is(Form::Subscript) && !is_shared(part) && names(part.parts[1], c.target)) {
          check(s, is_multiplied(part.parts[1], c.target, false));
        }
      });
    });
  }
  return best;
}

std::optional<Sentence> Teller::whole_number(const Change& c) {
  const Assignment& a = *c.assignment;
  const ThreadView& view = before_ ? *before_ : *after_;
  Places places{{"thread", who()},
                {"some", plain(fmt::format("{}", executed_count_))},
                {"all", plain(counted(live_, Noun::Thread))},
                {"variable", strong(c.target)},
                {"equation", equation(a, c.target, *c.after, view, scene_.roles.hue_of())}};
  const record::NamedValue* v = after_->find(base_name(a.target));
  const auto& types = program().module().types;
  if (v != nullptr && v->value.type < types.size() && a.value &&
      types[v->value.type].kind == ptx::TypeKind::Bool) {
    const auto p = printed(*a.value, view, scene_.roles.hue_of());
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
    const bool output = scene_.roles.is_output(g.launch_buffer);
    if (output || array.empty()) {
      row = g.axis == Guide::Axis::Row;
      own_axis = output;
      array = launch().buffers[g.launch_buffer].name;
    }
  }
  const bool every = executed_count_ == live_ && live_ > 1;
  if (array.empty()) {
    if (std::optional<Sentence> s = beyond(c, places)) {
      return s;
    }
    return say(Kind::Index, every ? Say("index_all") : Say("index_some"), places);
  }
  places.emplace_back("array", strong(array, scene_.roles.hue(array)));
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
