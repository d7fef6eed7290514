#include "narration/thread_view.h"

#include "narration/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace tilestep::narration {
namespace {

constexpr int kLongestNumber = 8;  // characters

std::string real_text(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "∞" : "-∞";
  }
  const double shown = value == 0.0 ? 0.0 : value;  // no "-0"
  const std::string text = fmt::format("{}", static_cast<float>(shown));
  return text.size() <= kLongestNumber ? text : fmt::format("{:.5g}", shown);
}

std::uint32_t axis(const problem::Dim3& d, const std::string& name) {
  return name == "x" ? d.x : name == "y" ? d.y : d.z;
}

// "matmul<4, true>": the arguments as text.
std::vector<std::string> template_arguments(const std::string& entry) {
  std::vector<std::string> all;
  const std::size_t open = entry.find('<');
  if (open == std::string::npos) {
    return all;
  }
  std::string one;
  for (std::size_t i = open + 1; i < entry.size(); ++i) {
    if (entry[i] == ',' || entry[i] == '>') {
      all.push_back(std::move(one));
      one.clear();
    } else if (entry[i] != ' ') {
      one += entry[i];
    }
  }
  return all;
}

std::optional<Number> parsed(const std::string& text) {
  if (text == "true" || text == "false") {
    return whole(text == "true" ? 1 : 0);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(whole(value))
                                                                  : std::nullopt;
}

}  // namespace

std::optional<Number> decoded(const ptx::SourceType& type, const std::vector<std::byte>& bytes) {
  if (bytes.size() < type.bytes || type.bytes == 0 || type.bytes > 8) {
    return std::nullopt;
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), type.bytes);
  const std::uint32_t unused = 64 - 8 * type.bytes;
  switch (type.kind) {
    case ptx::TypeKind::Bool:
      return whole(bits != 0 ? 1 : 0);
    case ptx::TypeKind::SignedInteger:
    case ptx::TypeKind::SignedChar:
    case ptx::TypeKind::Enumeration:
      return whole(static_cast<std::int64_t>(bits << unused) >> unused);
    case ptx::TypeKind::UnsignedInteger:
    case ptx::TypeKind::UnsignedChar:
      return whole(static_cast<std::int64_t>(bits));
    case ptx::TypeKind::Float: {
      float f = 0.0F;
      double d = 0.0;
      std::memcpy(&f, bytes.data(), sizeof f);
      if (type.bytes == 8) {
        std::memcpy(&d, bytes.data(), sizeof d);
      }
      return type.bytes == 4   ? std::optional(real_number(static_cast<double>(f)))
             : type.bytes == 8 ? std::optional(real_number(d))
                               : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::string number_text(const Number& number) {
  std::string text = number.is_real ? real_text(number.real) : fmt::format("{}", number.integer);
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at)) {
    text.replace(at, 1, "−");
  }
  return text;
}

ThreadView::ThreadView(const record::Recording& recording, const SourceMap& source,
                       const record::State& state, std::uint32_t block, std::uint32_t thread)
    : recording_(recording), source_(source), state_(state), block_(block), thread_(thread) {
  for (record::NamedValue& v : state.variables(block, thread)) {
    if (v.value.status == record::Value::Status::Ok ||
        v.value.status == record::Value::Status::ThreadExited) {
      variables_.push_back(std::move(v));
    }
  }
}

const record::NamedValue* ThreadView::find(const std::string& name) const {
  const auto found =
      std::ranges::find_if(variables_, [&](const record::NamedValue& v) { return v.name == name; });
  return found == variables_.end() ? nullptr : &*found;
}

const ptx::SourceType* ThreadView::type(ptx::TypeId id) const {
  const auto& types = recording_.program().module().types;
  return id < types.size() ? &types[id] : nullptr;
}

std::optional<Spot> ThreadView::at_address(std::uint64_t address, ptx::TypeId id) const {
  const ptx::SourceType* t = type(id);
  if (t == nullptr) {
    return std::nullopt;
  }
  Spot spot{id, {}, address};
  if (t->bytes > 0 && t->bytes <= 16) {
    if (auto bytes = state_.machine().read(block_, thread_, address, t->bytes)) {
      spot.bytes = std::move(*bytes);
    }
  }
  return spot;
}

std::optional<Spot> ThreadView::element(const Spot& base, std::int64_t index) const {
  const ptx::SourceType* t = type(base.type);
  const ptx::SourceType* inner = t == nullptr ? nullptr : type(t->element);
  if (inner == nullptr || inner->bytes == 0) {
    return std::nullopt;
  }
  const std::int64_t offset = index * static_cast<std::int64_t>(inner->bytes);
  if (t->kind == ptx::TypeKind::Pointer) {
    if (base.bytes.size() < 8) {
      return std::nullopt;
    }
    std::uint64_t pointer = 0;
    std::memcpy(&pointer, base.bytes.data(), sizeof pointer);
    return at_address(pointer + static_cast<std::uint64_t>(offset), t->element);
  }
  if (t->kind != ptx::TypeKind::Array || offset < 0) {
    return std::nullopt;
  }
  const auto begin = static_cast<std::size_t>(offset);
  Spot spot{t->element, {}, std::nullopt};
  if (base.address) {
    spot.address = *base.address + begin;
  }
  if (begin + inner->bytes <= base.bytes.size()) {
    const auto from = base.bytes.begin() + static_cast<std::ptrdiff_t>(begin);
    spot.bytes.assign(from, from + inner->bytes);
  }
  return spot.bytes.empty() && !spot.address ? std::nullopt : std::optional(std::move(spot));
}

std::optional<Spot> ThreadView::spot(const Expression& e) const {
  switch (e.kind) {
    case Form::Name: {
      if (const record::NamedValue* v = find(e.text)) {
        return Spot{v->value.type, v->value.bytes, std::nullopt};
      }
      for (const simt::Allocation& a : recording_.program().allocations()) {
        if (a.name == e.text && a.is_variable()) {
          Spot spot{recording_.program().declared_type(a), {}, a.base};
          if (auto bytes = state_.machine().read(block_, thread_, a.base, a.bytes)) {
            spot.bytes = std::move(*bytes);
          }
          return spot;
        }
      }
      return std::nullopt;
    }
    case Form::Subscript: {
      const std::optional<Spot> base = spot(e.parts[0]);
      const std::optional<Number> index = base ? value_of(e.parts[1], *this) : std::nullopt;
      return index && !index->is_real ? element(*base, index->integer) : std::nullopt;
    }
    case Form::Member: {
      const std::optional<Spot> base = spot(e.parts[0]);
      const ptx::SourceType* t = base ? type(base->type) : nullptr;
      if (t == nullptr) {
        return std::nullopt;
      }
      for (const ptx::Member& m : t->members) {
        const ptx::SourceType* inner = type(m.type);
        if (m.name == e.text && inner != nullptr && m.bit_size == 0 &&
            m.offset + inner->bytes <= base->bytes.size()) {
          const auto from = base->bytes.begin() + m.offset;
          return Spot{m.type, {from, from + inner->bytes}, std::nullopt};
        }
      }
      return std::nullopt;
    }
    case Form::Unary: {
      const std::optional<Spot> base = e.text == "*" ? spot(e.parts[0]) : std::nullopt;
      return base ? element(*base, 0) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<Number> ThreadView::number(const Spot& at) const {
  const ptx::SourceType* t = type(at.type);
  return t == nullptr ? std::nullopt : decoded(*t, at.bytes);
}

std::optional<Number> ThreadView::number(const Expression& e) const {
  const std::optional<Spot> at = spot(e);
  return at ? number(*at) : std::nullopt;
}

std::optional<Number> ThreadView::built_in(const Expression& e) const {
  if (!e.is(Form::Member) || !e.parts[0].is(Form::Name) ||
      (e.text != "x" && e.text != "y" && e.text != "z")) {
    return std::nullopt;
  }
  const simt::Program& program = recording_.program();
  const std::string& name = e.parts[0].text;
  const problem::Dim3 one = name == "threadIdx"  ? program.thread_index(thread_)
                            : name == "blockIdx" ? program.block_index(block_)
                            : name == "blockDim" ? program.launch().block
                            : name == "gridDim"  ? program.launch().grid
                                                 : problem::Dim3{0, 0, 0};
  const bool known =
      name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim";
  return known ? std::optional(whole(axis(one, e.text))) : std::nullopt;
}

std::optional<Number> ThreadView::constant(const std::string& name) const {
  const problem::Launch& launch = recording_.program().launch();
  if (name == "true" || name == "false") {
    return whole(name == "true" ? 1 : 0);
  }
  if (name == "warpSize") {
    return whole(recording_.program().warp_size());
  }
  const std::string kernel = launch.entry.substr(0, launch.entry.find('<'));
  const std::vector<std::string>& names = source_.template_parameters(kernel);
  const std::vector<std::string> values = template_arguments(launch.entry);
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
    if (names[i] == name) {
      return parsed(values[i]);
    }
  }
  if (const auto define = launch.defines.find(name); define != launch.defines.end()) {
    return parsed(define->second);
  }
  if (const auto macro = source_.macros().find(name); macro != source_.macros().end()) {
    return whole(macro->second.integer);
  }
  return std::nullopt;
}

Hue hue_of_role(insight::ValueRole role) {
  switch (role) {
    case insight::ValueRole::A:
      return Hue::FromA;
    case insight::ValueRole::B:
      return Hue::FromB;
    case insight::ValueRole::Sum:
      return Hue::Sum;
    case insight::ValueRole::None:
      break;
  }
  return Hue::None;
}

Roles::Roles(const record::Recording& recording, const insight::BlockSums* sums,
             const SourceMap& source)
    : recording_(recording), sums_(sums), source_(source) {
  if (sums == nullptr) {
    return;
  }
  const problem::Launch& launch = recording.program().launch();
  std::vector<Hue> of_buffer;
  std::size_t inputs = 0;
  for (const problem::Buffer& buffer : launch.buffers) {
    const bool input = buffer.role == problem::BufferRole::Input;
    Hue hue = hue_of_role(sums_->role_of(buffer.name));
    if (hue == Hue::None && !is_product()) {
      hue = !input ? Hue::Sum : inputs == 0 ? Hue::FromA : inputs == 1 ? Hue::FromB : Hue::None;
    }
    inputs += input ? 1 : 0;
    of_buffer.push_back(hue);
    hues_[buffer.name] = hue;
  }
  std::size_t argument = 0;
  for (const ptx::SourceVariable& v : recording.program().entry().source_variables) {
    if (!v.is_parameter || argument >= launch.arguments.size()) {
      continue;
    }
    const problem::Argument& a = launch.arguments[argument++];
    if (a.kind == problem::ArgumentSpec::Kind::Buffer) {
      hues_[v.name] = of_buffer[a.buffer];
    }
    for (const problem::Argument::Member& m : a.members) {
      if (m.value.kind == problem::ArgumentSpec::Kind::Buffer) {
        hues_[v.name] = of_buffer[m.value.buffer];
      }
    }
  }
  for (const insight::OwnedSum& sum : sums_->sums()) {
    if (sum.compensation.kind == insight::SumHome::Kind::Variable) {
      compensation_ = sum.compensation.name;
      break;
    }
  }
}

Hue Roles::hue(const std::string& name) const {
  const auto found = hues_.find(name);
  if (found != hues_.end()) {
    return found->second;
  }
  return sums_ == nullptr ? Hue::None : hue_of_role(sums_->role_of(name));
}

Hue Roles::hue(const std::string& name, std::uint32_t line) const {
  const int function = source_.function_at(line);
  if (function != kNoStatement) {
    const SourceStatement& f = source_[function];
    const std::string& entry = recording_.program().entry().name;
    const bool is_parameter = std::ranges::find(f.parameters, name) != f.parameters.end();
    if (is_parameter && f.name != entry.substr(0, entry.find('<'))) {
      return Hue::None;
    }
  }
  return hue(name);
}

HueOf Roles::hue_of(std::uint32_t line) const {
  return [this, line](const std::string& name) { return hue(name, line); };
}

Pieces Roles::arrays(const std::set<std::string>& names) const {
  std::vector<Pieces> items;
  for (const std::string& name : names) {
    items.push_back(strong(name, hue(name.substr(0, name.find('[')))));
  }
  return listed(items);
}

bool Roles::is_output(std::uint32_t launch_buffer) const {
  return recording_.program().launch().buffers[launch_buffer].role != problem::BufferRole::Input;
}

std::optional<std::string> Roles::element_of(std::uint32_t thread, const std::string& place) const {
  const insight::BlockSums::Range range =
      sums_ == nullptr ? insight::BlockSums::Range{} : sums_->of_thread(thread);
  if (range.size() < 2) {
    return std::nullopt;
  }
  for (std::size_t i = range.first; i < range.last; ++i) {
    if (sums_->sums()[i].home.name == place) {
      return insight::name_of(recording_.program(), sums_->sums()[i].at);
    }
  }
  return std::nullopt;
}

std::optional<Roles::Growth> Roles::growth(std::uint32_t thread, std::uint64_t first,
                                           std::uint64_t last) const {
  const insight::BlockSums::Range range =
      sums_ == nullptr ? insight::BlockSums::Range{} : sums_->of_thread(thread);
  if (range.size() == 0) {
    return std::nullopt;
  }
  const insight::OwnedSum& sum = sums_->sums()[range.first];
  const insight::SumNow before = sums_->now(range.first, first);
  const insight::SumNow after = sums_->now(range.first, last);
  if (!after.assigned) {
    return std::nullopt;
  }
  const std::optional<insight::Accumulation> terms = sums_->accumulation(range.first, last);
  const std::optional<insight::Accumulation> earlier = sums_->accumulation(range.first, first);
  Growth growth;
  growth.products_before = earlier ? earlier->terms.size() : 0;
  growth.element = insight::name_of(recording_.program(), sum.at);
  growth.before = before.assigned ? static_cast<double>(before.value) : 0.0;
  growth.after = static_cast<double>(after.value);
  growth.products = terms ? terms->terms.size() : 0;
  growth.stored = sum.stored >= first && sum.stored < last;
  return growth;
}

}  // namespace tilestep::narration
