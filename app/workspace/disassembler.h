// The machine code of the kernel on stage as text: NVRTC compiles it, ptx/sass/decode.h reads it.
#pragma once

#include "compile/compiler.h"
#include "problem/launch/launch.h"
#include "ptx/sass/decode.h"
#include "state/app_state.h"
#include "workspace/generation.h"
#include "workspace/pool.h"

#include <memory>
#include <string>

namespace tilestep::workspace {

struct Scene;

// A listing for one architecture, or the reason why there is none.
struct Disassembly {
  ptx::SassListing listing;
  int architecture = 0;  // 90: compute capability 9.0
  std::string why_not;   // a sentence if there is no text
};

class Disassembler {
 public:
  // Both must outlive this object; the pool's threads must end before it.
  Disassembler(Pool& pool, compile::Compiler& compiler) : pool_(pool), compiler_(compiler) {}

  // The disassembly of the scene while the state shows SASS; null until it is ready.
  [[nodiscard]] std::shared_ptr<const Disassembly> follow(const Scene& scene,
                                                          const state::AppState& state,
                                                          int architecture);

 private:
  Pool& pool_;
  compile::Compiler& compiler_;
  Generation asked_;   // of the scene
  int asked_for_ = 0;  // architecture
  std::shared_ptr<const Disassembly> made_;
};

}  // namespace tilestep::workspace
