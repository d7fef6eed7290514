// Whether what a load brings is used, or only put elsewhere in the thread's local memory: copies of
// structures take members along that nobody has set, and a bit-field is stored by loading its whole
// word first.
#pragma once

#include "ptx/model/module.h"
#include "simt/machine/machine.h"

#include <cstdint>
#include <unordered_map>

namespace tilestep::insight {

// `load`: pc of an ld. True where its results are stored, and all their uses, in the text of the
// function, are stores
// back to where they came from, bits of them also by way of and, or, bfi with something else; or,
// with BackOrFrame, to the function's own frame ([%SP+n]).
enum class CopyTo { Back, BackOrFrame };
[[nodiscard]] bool is_plain_copy(const ptx::Function& function, std::uint32_t load, CopyTo to);

// The same of instructions that are executed again and again.
class PlainCopies {
 public:
  PlainCopies(const simt::Program& program, CopyTo to) : program_(program), to_(to) {}
  [[nodiscard]] bool has(const simt::StepInfo& info);

 private:
  const simt::Program& program_;
  CopyTo to_;
  std::unordered_map<const ptx::Instruction*, bool> known_;
};

}  // namespace tilestep::insight
