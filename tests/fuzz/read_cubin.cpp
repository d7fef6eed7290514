// Cubins: the resources of a kernel named k, and its machine code; or a sentence.
#include "ptx/sass/decode.h"
#include "ptx/sass/loops.h"
#include "require.h"
#include "targets.h"

namespace tilestep::fuzz {
namespace {

constexpr int kFirstWithLongInstructions = 70;

}  // namespace

void read_cubin(Bytes bytes) {
  const auto kernel = ptx::read_cubin(text_of(bytes), "k");
  if (!kernel) {
    require(!kernel.error().message.empty(), "an error has a sentence");
    return;
  }
  require(kernel->code.size() <= bytes.size(), "the code stands in the file");
  if (kernel->architecture >= kFirstWithLongInstructions) {
    const ptx::SassListing listing = ptx::list_sass(*kernel);
    require(listing.lines.size() >= kernel->code.size() / ptx::kSassBytes,
            "an instruction is a line");
    require(ptx::read_loops(*kernel).size() <= listing.lines.size(), "a loop has a branch");
  }
}

}  // namespace tilestep::fuzz
