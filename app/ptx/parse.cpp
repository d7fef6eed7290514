#include "ptx/parse.h"

#include "ptx/dwarf/debug_info.h"
#include "ptx/text/parsed_text.h"

#include <utility>

namespace tilestep::ptx {

Result<Module> parse(std::string ptx_text) {
  Result<ParsedText> parsed = parse_text(std::move(ptx_text));
  if (!parsed) {
    return tl::unexpected(parsed.error());
  }
  if (const Result<void> attached = attach_debug_info(*parsed); !attached) {
    return tl::unexpected(attached.error());
  }
  return std::move(parsed->module);
}

}  // namespace tilestep::ptx
