#include "narration/roles.h"

#include <algorithm>

namespace tilestep::narration {
namespace {

// "c = (t - s) + c", or with the sides the other way round.
bool keeps_error(const Assignment& a) {
  if (!a.target.is(Form::Name) || !a.value || a.op != "=" || !a.value->is_binary("+")) {
    return false;
  }
  const Expression& l = a.value->parts[0];
  const Expression& r = a.value->parts[1];
  const auto is_own = [&](const Expression& e) {
    return e.is(Form::Name) && e.text == a.target.text;
  };
  return (l.is_binary("-") && is_own(r)) || (r.is_binary("-") && is_own(l));
}

// "c = (t - sum) - y": Kahan as textbooks have it.
bool keeps_difference(const Assignment& a) {
  return a.target.is(Form::Name) && a.value && a.op == "=" && a.value->is_binary("-") &&
         a.value->parts[0].is_binary("-") && a.value->parts[1].is(Form::Name) &&
         a.value->parts[0].parts[0].is(Form::Name) && a.value->parts[0].parts[1].is(Form::Name);
}

}  // namespace

Roles::Roles(const record::Recording& recording, const SourceMap& source)
    : recording_(recording), hue_of_([this](const std::string& name) { return hue(name); }) {
  const problem::Launch& launch = recording.program().launch();
  std::vector<Hue> of_buffer(launch.buffers.size(), Hue::None);
  std::size_t inputs = 0;
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    const bool input = launch.buffers[i].role == problem::BufferRole::Input;
    of_buffer[i] = !input        ? Hue::Sum
                   : inputs == 0 ? Hue::FromA
                   : inputs == 1 ? Hue::FromB
                                 : Hue::None;
    inputs += input ? 1 : 0;
  }
  for (const problem::Buffer& buffer : launch.buffers) {
    if (buffer.expected && buffer.expected->of.size() == 2) {
      of_buffer[buffer.expected->of[0]] = Hue::FromA;
      of_buffer[buffer.expected->of[1]] = Hue::FromB;
      is_product_ = true;
    }
  }
  is_product_ = is_product_ || launch.reference == "matmul";
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    hues_[launch.buffers[i].name] = of_buffer[i];
  }
  // Parameters by their arguments: the kernel may call A what the launch calls d_in.
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
  for (bool changed = true; changed;) {
    changed = false;
    for (const SourceStatement& s : source.statements()) {
      for (const Assignment& a : s.assignments) {
        changed = learn(a) || changed;
      }
      for (const Expression& e : s.others) {
        changed = learn_call(e) || changed;
      }
    }
  }
  find_compensation(source);
}

Hue Roles::hue(const std::string& name) const {
  const auto found = hues_.find(name);
  return found == hues_.end() ? Hue::None : found->second;
}

bool Roles::is_output(std::uint32_t launch_buffer) const {
  return recording_.program().launch().buffers[launch_buffer].role != problem::BufferRole::Input;
}

// A product of a number of A and one of B belongs to a sum.
Hue Roles::of_value(
    const Expression& value) const {  // NOLINT(misc-no-recursion): the parser's depth
  switch (value.kind) {
    case Form::Integer:
    case Form::Real:
      return Hue::None;
    case Form::Call:
    case Form::Binary:
    case Form::Ternary: {
      Hue all = Hue::None;
      for (std::size_t i = value.is(Form::Ternary) ? 1 : 0; i < value.parts.size(); ++i) {
        const Hue one = of_value(value.parts[i]);
        all = all == Hue::None || one == all ? one : one == Hue::None ? all : Hue::Sum;
      }
      return all;
    }
    default:
      return hue(base_name(value));
  }
}

bool Roles::learn(const Assignment& a) {
  const std::string name = base_name(a.target);
  if (name.empty() || !a.value || hue(name) != Hue::None) {
    return false;
  }
  const Hue found = of_value(*a.value);
  if (found != Hue::None) {
    hues_[name] = found;
  }
  return found != Hue::None;
}

// "copy_async(&As[ty][tx], inside ? &A[…] : A, inside)": its first argument is where to.
bool Roles::learn_call(const Expression& call) {
  if (!call.is(Form::Call) || call.parts.size() < 2) {
    return false;
  }
  const std::string name = base_name(call.parts[0]);
  if (name.empty() || hue(name) != Hue::None) {
    return false;
  }
  const Hue found = of_value(call.parts[1]);
  if (found != Hue::None) {
    hues_[name] = found;
  }
  return found != Hue::None;
}

void Roles::find_compensation(const SourceMap& source) {
  for (const SourceStatement& s : source.statements()) {
    for (const Assignment& a : s.assignments) {
      if (keeps_error(a) || keeps_difference(a)) {
        compensation_ = a.target.text;
      }
    }
  }
}

}  // namespace tilestep::narration
