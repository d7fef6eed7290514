// An AppState as TOML: a state that was read reads the same after writing.
#include "require.h"
#include "state/scene.h"
#include "targets.h"

namespace tilestep::fuzz {

void read_state(Bytes bytes) {
  const auto state = state::from_toml(text_of(bytes), "fuzz.toml");
  if (!state) {
    require(state.error().message.starts_with("fuzz.toml"), "an error names the file");
    return;
  }
  const std::string written = state::to_toml(*state);
  const auto again = state::from_toml(written, "fuzz.toml");
  require(again && *again == *state, "what is written is read again\n" + written);
}

}  // namespace tilestep::fuzz
