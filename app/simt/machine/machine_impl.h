// What a Machine holds, for schedules.
#pragma once

#include "simt/machine/machine.h"
#include "simt/state/machine_state.h"

#include <memory>
#include <utility>

namespace tilestep::simt {

struct Machine::Impl {
  Impl(std::shared_ptr<const Program> p, BlockPart part)
      : program(std::move(p)), state(program->data(), part) {}
  Impl(const Impl& other, MachineState::Form form)
      : program(other.program), state(other.state, form) {}

  std::shared_ptr<const Program> program;
  MachineState state;
};

}  // namespace tilestep::simt
