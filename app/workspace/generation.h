// Identifies a scene, also among those of other workspaces: side 2 of a comparison gets a new
// workspace each time, which the panels' memory outlives.
#pragma once

#include <memory>

namespace tilestep::workspace {

class Generation {
 public:
  Generation() = default;  // of no scene
  [[nodiscard]] static Generation next() {
    Generation made;
    made.mark_ = std::make_shared<const char>();
    return made;
  }
  friend bool operator==(const Generation&, const Generation&) = default;

 private:
  std::shared_ptr<const char> mark_;  // kept, so that no other mark gets its address
};

}  // namespace tilestep::workspace
