#include "workspace/disassembler.h"

#include "compile/request.h"
#include "problem/file.h"
#include "problem/posix.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "workspace/child.h"
#include "workspace/workspace.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace tilestep::workspace {
namespace {

namespace fs = std::filesystem;

constexpr int kUsualArchitecture = 90;
constexpr const char* kTool = "nvdisasm";
constexpr Message kNoTool =
    "nvdisasm, which turns machine code into text, is not installed. Install the CUDA Toolkit, or "
    "run `pip install nvidia-cuda-nvdisasm` and put the folder of nvdisasm on PATH.";

// The machine code as a temporary file.
class CubinFile {
 public:
  CubinFile()
      : path_(fs::temp_directory_path() / fmt::format("tilestep-{}-{}.cubin", getpid(),
                                                      reinterpret_cast<std::uintptr_t>(this))) {}
  ~CubinFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  CubinFile(const CubinFile&) = delete;
  CubinFile& operator=(const CubinFile&) = delete;
  CubinFile(CubinFile&&) = delete;
  CubinFile& operator=(CubinFile&&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// On a worker's thread.
Disassembly disassemble(compile::Compiler& compiler, const problem::Launch& launch,
                        int architecture) {
  Disassembly made;
  made.architecture = architecture > 0 ? architecture : kUsualArchitecture;
  const fs::path tool = find_cuda_tool(kTool);
  if (tool.empty()) {
    made.why_not = kNoTool.text();
    return made;
  }
  const auto output = compiler.compile(compile::make_cubin_request(launch, made.architecture));
  if (!output || output->cubin.empty()) {
    made.why_not = output ? tr("NVRTC produced no machine code for compute capability {}.{}.",
                               made.architecture / 10, made.architecture % 10)
                          : output.error().message;
    return made;
  }
  const CubinFile file;
  if (const auto written =
          problem::write_file(file.path(), output->cubin, problem::Keep::WhileRunning);
      !written) {
    made.why_not = written.error().message;
    return made;
  }
  auto text = output_of({tool.string(), "-g", "-c", file.path().string()});
  if (text) {
    made.listing = ptx::read_listing(*text, launch.source_name);
  } else {
    made.why_not = text.error().message;
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
