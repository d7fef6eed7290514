#include "narration/roles.h"

#include "narration/templates.h"

#include <algorithm>

namespace tilestep::narration {

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
    const bool is_parameter =
        std::find(f.parameters.begin(), f.parameters.end(), name) != f.parameters.end();
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
