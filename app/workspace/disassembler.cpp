#include "workspace/disassembler.h"

#include "compile/request.h"
#include "problem/tr.h"
#include "workspace/workspace.h"

namespace tilestep::workspace {
namespace {

constexpr int kUsualArchitecture = 90;
constexpr int kOldest = 70;  // older instructions have 64 bits

// On a worker's thread.
Disassembly disassemble(compile::Compiler& compiler, const problem::Launch& launch,
                        int architecture) {
  Disassembly made;
  made.architecture = architecture > 0 ? architecture : kUsualArchitecture;
  const auto output = compiler.compile(compile::make_cubin_request(launch, made.architecture));
  if (!output || output->cubin.empty()) {
    made.why_not = output ? tr("NVRTC produced no machine code for compute capability {}.{}.",
                               made.architecture / 10, made.architecture % 10)
                          : output.error().message;
    return made;
  }
  const auto kernel = ptx::read_cubin(output->cubin, output->entry);
  if (!kernel) {
    made.why_not = kernel.error().message;
  } else if (kernel->architecture < kOldest) {
    made.why_not = tr("Machine code is shown from compute capability 7.0 on, not for {}.{}.",
                      kernel->architecture / 10, kernel->architecture % 10);
  } else {
    made.listing = ptx::list_sass(*kernel);
  }
  return made;
}

}  // namespace

std::shared_ptr<const Disassembly> Disassembler::follow(const Scene& scene,
                                                        const state::AppState& state,
                                                        int architecture) {
  if (state.source_page != state::SourcePage::Sass) {
    return nullptr;
  }
  if (scene.generation != asked_ || architecture != asked_for_) {
    asked_ = scene.generation;
    asked_for_ = architecture;
    pool_.submit([this, launch = scene.launch, generation = asked_, architecture]() -> Completion {
      auto made = std::make_shared<const Disassembly>(disassemble(compiler_, launch, architecture));
      return [this, made, generation, architecture] {
        if (generation == asked_ && architecture == asked_for_) {
          made_ = made;
        }
      };
    });
  }
  return made_;
}

}  // namespace tilestep::workspace
