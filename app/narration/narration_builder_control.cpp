// Conditions and functions: control flow of the threads, and the reasons.
#include "narration/narration_builder.h"
#include "record/value.h"
#include "simt/exec/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace tilestep::narration {
namespace {

[[nodiscard]] std::string size_text(std::uint32_t rows, std::uint32_t columns) {
  return fmt::format("{}×{}", rows, columns);
}

}  // namespace

// Whether the thread enters the body after the condition.
bool NarrationBuilder::goes_in(std::uint32_t thread, const SourceStatement& s, int index) const {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  for (const SourceStatement& inner : narrated_.source.statements()) {
    if (inner.parent == index && !inner.in_else && inner.first_line > 0) {
      first = first == 0 ? inner.first_line : first;
      last = std::max(last, inner.end_line);
    }
  }
  for (std::size_t i = 0; i < narrated_.source.statements().size(); ++i) {
    const SourceStatement& block = narrated_.source.statements()[i];
    if (block.kind != StatementKind::Block || block.parent != index || block.in_else) {
      continue;
    }
    for (const SourceStatement& inner : narrated_.source.statements()) {
      if (inner.parent == static_cast<int>(i) && inner.first_line > 0) {
        first = first == 0 ? inner.first_line : first;
        last = std::max(last, inner.end_line);
      }
    }
  }
  const std::uint32_t now = statement_.after.line(narrated_.block, thread);
  const bool has_body = first > s.last_line;
  const bool is_inside = has_body && now >= first && now <= last;
  // A jump over the body may have the body's line, so the condition decides. But in a device
  // function a template's parameter may have the name of one of the kernel's.
  const std::string& function = narrated_.source[narrated_.source.function_at(line_)].name;
  const std::string& entry = program().launch().entry;
  const bool can_be_told = s.condition && (function == entry.substr(0, entry.find('<')) ||
                                           narrated_.source.template_parameters(function).empty());
  if (has_body && (!is_inside || !can_be_told)) {
    return is_inside;
  }
  if (!s.condition) {
    return false;
  }
  const ThreadView view(narrated_.recording, narrated_.source, statement_.after, narrated_.block,
                        thread);
  const std::optional<Number> n = value_of(*s.condition, view);
  return n ? n->is_true() : is_inside;
}

// Whether the code under the condition stores to an output.
bool NarrationBuilder::stores_result(int index) const {
  const SourceStatement& s = narrated_.source[index];
  const auto touches = narrated_.run.touches();
  return std::ranges::any_of(touches, [&](const Touch& t) {
    if (t.kind == simt::AccessKind::Load || t.allocation == simt::kNoAllocation ||
        t.line <= s.last_line || t.line > s.end_line) {
      return false;
    }
    const simt::Array& a = program().arrays()[t.allocation];
    return a.kind == simt::AllocationKind::Buffer && narrated_.roles.is_output(a.launch_buffer);
  });
}

Sentence NarrationBuilder::guard(int index) {
  const SourceStatement& s = narrated_.source[index];
  std::uint32_t in = 0;
  std::uint32_t warp_in = 0;
  std::uint32_t warp_all = 0;
  const auto lanes = program().warp_size();
  for (std::uint32_t t = 0; t < executed_.size(); ++t) {
    if (executed_[t]) {
      const bool goes = goes_in(t, s, index);
      in += goes ? 1 : 0;
      if (t / lanes == subject_ / lanes) {
        ++warp_all;
        warp_in += goes ? 1 : 0;
      }
    }
  }
  const bool own_in = goes_in(subject_, s, index);
  auto p =
      s.condition ? printed(*s.condition, *after_, narrated_.roles.hue_of(line_)) : std::nullopt;
  if (p && p->value.is_true() != own_in) {
    p.reset();  // for example, a template parameter of a device function has a kernel parameter's
                // name
  }
  const Places places{{"in", strong(fmt::format("{}", in))},
                      {"all", plain(counted(executed_count_, Noun::Thread))},
                      {"out", plain(fmt::format("{}", executed_count_ - in))},
                      {"thread", who()},
                      {"condition", p ? p->pieces : plain(s.written)},
                      {"line", plain(fmt::format("{}", line_))},
                      {"warp", plain(fmt::format("{}", subject_ / lanes))},
                      {"warp_in", strong(fmt::format("{}", warp_in))},
                      {"warp_all", plain(counted(warp_all, Noun::Lane))},
                      {"warp_out", plain(fmt::format("{}", warp_all - warp_in))}};
  const bool result = s.end_line > s.last_line && stores_result(index);
  if (in == executed_count_) {
    return say(Kind::Guard, result ? Say("output_all") : Say("guard_all"), places);
  }
  if (in == 0) {
    return say(Kind::Guard, result ? Say("output_none") : Say("guard_none"), places);
  }
  if (result && narrated_.roles.is_product()) {
    return say(Kind::Guard, own_in ? Say("output_some") : Say("output_some_not"), places);
  }
  if (warp_in > 0 && warp_in < warp_all) {
    return say(Kind::Guard, own_in ? Say("splits") : Say("splits_not"), places);
  }
  return say(Kind::Guard, own_in ? Say("guard_some") : Say("guard_some_not"), places);
}

// A function's first line: its arguments.
Sentence NarrationBuilder::enter(int index) {
  const SourceStatement& s = narrated_.source[index];
  std::vector<Pieces> arguments;
  std::uint64_t more = 0;
  const auto add = [&](const std::string& name, const Expression& what) {
    constexpr std::size_t kMost = 4;
    const std::optional<Number> n = after_->number(what);
    if (!n || arguments.size() == kMost) {
      more += n ? 1 : 0;
      return;
    }
    const std::optional<Spot> at = after_->spot(what);
    const auto& all_types = program().module().types;
    const bool truth =
        at && at->type < all_types.size() && all_types[at->type].kind == ptx::TypeKind::Bool;
    const Pieces value =
        truth ? part(n->is_true() ? Say("true") : Say("false"), {}) : strong(number_text(*n));
    arguments.push_back(part(
        "is_value",
        {{"name", strong(name, narrated_.roles.hue(base_name(what), line_))}, {"value", value}}));
  };
  for (const std::string& name : s.parameters) {
    const record::NamedValue* v = after_->find(name);
    const auto& types = program().module().types;
    if (v == nullptr || v->value.type >= types.size()) {
      continue;
    }
    add(name, name_expression(name));
    for (const ptx::Member& m : types[v->value.type].members) {
      Expression member;
      member.kind = Form::Member;
      member.text = m.name;
      member.parts = {name_expression(name)};
      add(name + "." + m.name, member);
    }
  }
  Places places{{"thread", who()},
                {"threads", plain(counted(executed_count_, Noun::Thread))},
                {"function", strong(s.name)}};
  const bool kernel = narrated_.source.enclosing(index, StatementKind::Function) == kNoStatement &&
                      launch().entry.starts_with(s.name);
  if (arguments.empty()) {
    return say(Kind::Enter, kernel ? Say("begins") : Say("enters"), places);
  }
  if (more > 0) {
    arguments.push_back(part("more", {{"count", plain(fmt::format("{}", more))}}));
  }
  places.emplace_back("arguments", listed(arguments));
  return say(Kind::Enter, kernel ? Say("arguments") : Say("enters_with"), places);
}

// A function's last line.
Sentence NarrationBuilder::leave(int index) {
  const bool kernel = statement_.after.line(narrated_.block, subject_) == 0;
  if (!kernel) {
    return say(Kind::Return, "comes_back",
               {{"thread", who()}, {"function", strong(narrated_.source[index].name)}});
  }
  const auto results = narrated_.run.results(subject_);
  if (results.empty() && !narrated_.run.is_known()) {
    return say(Kind::Return, "all_done",
               {{"threads", plain(counted(executed_count_, Noun::Thread))}});
  }
  if (results.empty()) {
    return say(Kind::Return, "leaves",
               {{"thread", who()}, {"threads", plain(counted(executed_count_, Noun::Thread))}});
  }
  std::set<std::uint64_t> elements;
  std::uint64_t count = 0;
  for (const BlockRun::Result& result : results) {
    const auto at = element_at(program(), result.address, result.bytes);
    const std::uint32_t size =
        at ? std::max(1U, element_bytes(program(), program().arrays()[at->allocation])) : 4;
    count += elements.insert(result.address).second ? std::max(1U, result.bytes / size) : 0;
  }
  const BlockRun::Result& r = results.back();
  const auto n = number_at(statement_.after, narrated_.block, r.address);
  const auto e = element_at(program(), r.address, r.bytes);
  const Hue own_hue = e ? hue(e->allocation) : Hue::None;
  if (count > 1 && e) {
    return say(Kind::Return, "leaves_results",
               {{"thread", who()},
                {"threads", plain(counted(executed_count_, Noun::Thread))},
                {"elements", strong(counted(count, Noun::Element), own_hue)},
                {"array", strong(program().arrays()[e->allocation].name, own_hue)}});
  }
  return say(Kind::Return, "leaves_result",
             {{"thread", who()},
              {"threads", plain(counted(executed_count_, Noun::Thread))},
              {"element", strong(place_text(program(), r.address, 1), own_hue)},
              {"value", strong(n ? number_text(*n) : "?", own_hue)}});
}

Sentence NarrationBuilder::returns(const SourceStatement& s) {
  const int function = narrated_.source.function_at(line_);
  const Pieces name = strong(function == kNoStatement ? "?" : narrated_.source[function].name);
  Places places{{"thread", who()},
                {"threads", plain(counted(executed_count_, Noun::Thread))},
                {"function", name}};
  if (!s.condition) {
    return say(Kind::Return, "returns_early", places);
  }
  if (const LaneTouch* t = own(simt::AccessKind::Load)) {
    places.emplace_back("source", place(*t));
    places.emplace_back("value", value(*t));
    return say(Kind::Return, "returns_element", places);
  }
  const auto n = before_ ? value_of(*s.condition, *before_) : std::nullopt;
  if (!n) {
    places.front().second = who();
    return say(Kind::Return, "comes_back", places);
  }
  places.emplace_back("value", strong(number_text(*n)));
  return say(Kind::Return, "returns_value", places);
}

// The focus thread is not among those that moved: an enclosing condition is the reason.
std::optional<Sentence> NarrationBuilder::masked() {
  const record::State& state = statement_.before != nullptr ? *statement_.before : statement_.after;
  const std::uint32_t focus_line = state.line(narrated_.block, statement_.thread);
  Places places{{"thread", thread_name(statement_.thread)},
                {"others", ordinary().short_form},
                {"own_line", plain(fmt::format("{}", focus_line))},
                {"line", plain(fmt::format("{}", line_))},
                {"warp", plain(fmt::format("{}", own_warp()))}};
  // Lockstep executes the same line in all warps that are there. Under another schedule one warp
  // runs, and its work is a note: values on stage are the focus thread's.
  const bool is_alone = narrated_.recording.schedule().kind != simt::ScheduleKind::Lockstep &&
                        own_warp() != warp_of(statement_.thread);
  if (focus_line == 0) {
    return say(Kind::Masked, is_alone ? Say("left_alone") : Say("masked_left"), places);
  }
  if (is_alone) {
    return say(Kind::Masked, "waits_its_turn", places);
  }
  const ThreadView focus(narrated_.recording, narrated_.source, state, narrated_.block,
                         statement_.thread);
  for (const int i : narrated_.source.at(focus_line)) {
    const SourceStatement& s = narrated_.source[i];
    const auto p =
        s.kind == StatementKind::If && s.condition && !narrated_.source.contains(i, line_)
            ? printed(*s.condition, focus, narrated_.roles.hue_of(line_))
            : std::nullopt;
    if (p && p->value.is_true()) {
      places.emplace_back("condition", p->pieces);
      return say(Kind::Masked, "masked_away", places);
    }
  }
  const auto& here_ = narrated_.source.at(line_);
  for (int i = here_.empty() ? kNoStatement : here_.front(); i != kNoStatement;
       i = narrated_.source[i].parent) {
    const SourceStatement& s = narrated_.source[i];
    const bool inside = narrated_.source.contains(i, focus_line) && focus_line > s.last_line;
    if (!s.condition || inside || s.kind == StatementKind::Return) {
      continue;
    }
    if (s.kind == StatementKind::If) {
      const auto p = printed(*s.condition, focus, narrated_.roles.hue_of(line_));
      if (p && !p->value.is_true()) {
        places.emplace_back("condition", p->pieces);
        return say(Kind::Masked, "masked", places);
      }
      continue;
    }
    const std::optional<Passes> p = passes(i, focus, true);
    if (p && p->count == 0) {
      places.emplace_back("condition", plain(p->condition));
      return say(Kind::Masked, "masked", places);
    }
  }
  return say(Kind::Masked, "masked_elsewhere", places);
}

// Products on tensor cores: of a warp (mma, wmma) and of a warpgroup (wgmma).

Sentence NarrationBuilder::warp_product(const UnitStep& step) const {
  const ptx::MatrixForm& form =
      program().module().functions[step.function].matrix_forms[step.instruction->target];
  const simt::TileShape shape = simt::tile_shape(form.shape);
  Places places{
      {"thread", who()},
      {"warp", plain(fmt::format("{}", step.warp))},
      {"left", plain(size_text(shape.m, shape.k))},
      {"right", plain(size_text(shape.k, shape.n))},
      {"products",
       strong(counted(std::uint64_t{shape.m} * shape.n * shape.k, Noun::Product), Hue::Sum)}};
  Pieces sums = own_sums(step);
  if (sums.empty()) {
    return say(Kind::Product, "warp_product", places);
  }
  places.emplace_back("sums", std::move(sums));
  return say(Kind::Product, "warp_product_own", places);
}

// "[0][0] = 95, [0][1] = 75, …": rows and columns of the product, by the layout of its fragments.
Pieces NarrationBuilder::own_sums(const UnitStep& step) const {
  const ptx::Function& function = program().module().functions[step.function];
  const simt::Fragment fragment =
      simt::fragment_of(*step.instruction, function.matrix_forms[step.instruction->target], 0);
  const std::uint32_t lane = own_lane();
  if (fragment.is_wmma || fragment.type != ptx::Type::F32) {
    return {};  // its layout is not specified; halves
  }
  std::vector<Pieces> all;
  for (std::uint32_t e = 0; e < fragment.per_lane(); ++e) {
    const std::optional<std::uint64_t> bits = operand_value(step, operands(step)[e]);
    if (!bits) {
      return {};
    }
    const simt::Fragment::Cell place = fragment.place(lane, e);
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(*bits));
    all.push_back(part("is_value", {{"name", plain(fmt::format("[{}][{}]", place.row, place.col))},
                                    {"value", strong(number_text(real_number(value)), Hue::Sum)}}));
  }
  return listed(all);
}

// If the tensor core reads the factor itself, its place follows from the addresses that it reads.
Pieces NarrationBuilder::factor(const UnitStep& step, std::uint32_t number,
                                const std::string& size) const {
  std::vector<Pieces> arrays;
  std::vector<std::string> names;
  for (const record::Access& a : statement_.activity.accesses) {
    if (a.step != step.step || a.event.agent != simt::AccessAgent::TensorCore) {
      continue;
    }
    for (std::uint32_t rest = a.event.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const auto e = element_at(program(), a.event.addresses[lane], a.event.bytes);
      const std::string name = e ? array_text(program(), *e) : "?";
      if (std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
        arrays.push_back(strong(name, e ? hue(e->allocation) : Hue::None));
      }
    }
  }
  // Both factors may be in the same array.
  const std::size_t at = std::min<std::size_t>(number, arrays.empty() ? 0 : arrays.size() - 1);
  return arrays.empty() ? plain(size)
                        : part("size_of_array", {{"size", plain(size)}, {"array", arrays[at]}});
}

Sentence NarrationBuilder::warpgroup_product(const UnitStep& step) const {
  const ptx::MatrixForm& form =
      program().module().functions[step.function].matrix_forms[step.instruction->target];
  const std::uint32_t warps = std::max(executed_count_ / program().warp_size(), 1U);
  const simt::TileShape shape = simt::warpgroup_shape(form, std::min(warps, 4U));
  const bool in_registers = form.group_sizes[1] > 1;
  const std::string left = size_text(shape.m, shape.k);
  Places places{{"threads", plain(counted(executed_count_, Noun::Thread))},
                {"left", in_registers ? part("size_in_registers", {{"size", plain(left)}})
                                      : factor(step, 0, left)},
                {"right", factor(step, in_registers ? 0 : 1, size_text(shape.k, shape.n))}};
  const std::size_t predicate = form.group_sizes[0] + form.group_sizes[1] + 1U;
  const std::optional<std::uint64_t> adds = operand_value(step, operands(step)[predicate]);
  const bool begins = adds && (*adds & 1U) == 0;
  return say(Kind::Product, begins ? Say("warpgroup_begins") : Say("warpgroup_adds"), places);
}

// Earlier products and waits of the warp are found in its run.
Sentence NarrationBuilder::products_done(const UnitStep& step) const {
  std::vector<std::uint64_t> groups;  // group of each product that may be under way
  std::uint64_t group = 0;
  std::uint64_t done = 0;
  for (const UnitStep& earlier : narrated_.run.units(0, step.step + 1)) {
    if (earlier.warp != step.warp) {
      continue;
    }
    if (earlier.is(ptx::Opcode::WgmmaMma)) {
      groups.push_back(group);
    } else if (earlier.is(ptx::Opcode::WgmmaCommit)) {
      ++group;
    } else if (earlier.is(ptx::Opcode::WgmmaWait)) {
      const auto left = operand_value(earlier, operands(earlier).front()).value_or(0);
      done = std::erase_if(groups, [&](std::uint64_t of) { return of + left < group; });
    }
  }
  const bool waits = step.is(ptx::Opcode::WgmmaWait);
  const auto in_group =
      static_cast<std::uint64_t>(std::ranges::count(groups, group - std::uint64_t{1}));
  const Places places{{"thread", who()},
                      {"threads", plain(counted(executed_count_, Noun::Thread))},
                      {"products", strong(counted(waits ? done : in_group, Noun::Product))}};
  if (waits) {
    return say(Kind::Product, done > 0 ? Say("warpgroup_done") : Say("warpgroup_wait"), places);
  }
  return say(Kind::Product, "warpgroup_group", places);
}

}  // namespace tilestep::narration
