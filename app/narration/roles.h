// Whose numbers an array or a variable holds, and which variables are sums: found by where values
// came from (insight/trace/accumulators.h), never by a name's looks.
#pragma once

#include "insight/trace/accumulators.h"
#include "narration/arithmetic.h"
#include "narration/source_map.h"
#include "record/recording.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace tilestep::narration {

[[nodiscard]] Hue hue_of_role(insight::ValueRole role);

class Roles {
 public:
  // `sums`: of the block; null where they are not there yet: nothing has a hue then. `source`: the
  // kernel's, outlives this.
  Roles(const record::Recording& recording, const insight::BlockSums* sums,
        const SourceMap& source);

  // Of an array of the launch or of a block.
  [[nodiscard]] Hue hue(const std::string& name) const;
  // Of a name in a line of the source. A parameter of a device function has none: it is what each
  // call passes.
  [[nodiscard]] Hue hue(const std::string& name, std::uint32_t line) const;
  [[nodiscard]] HueOf hue_of(std::uint32_t line) const;
  // "As, Bs[1] and s", each in its hue.
  [[nodiscard]] Pieces arrays(const std::set<std::string>& names) const;
  // What a compensated sum keeps of its error: "y"; empty where there is none.
  [[nodiscard]] const std::string& compensation() const { return compensation_; }
  // Whether the block multiplies elements of two buffers.
  [[nodiscard]] bool is_product() const { return sums_ != nullptr && sums_->factors().has_value(); }
  [[nodiscard]] bool is_output(std::uint32_t launch_buffer) const;
  // The element that a thread's sum in a place ("acc[1][2]") goes to, where it has several.
  [[nodiscard]] std::optional<std::string> element_of(std::uint32_t thread,
                                                      const std::string& place) const;

  // How the first of a thread's sums changed between two steps.
  struct Growth {
    std::string element;  // "C[1][6]"
    double before = 0.0;  // 0 where it had not begun
    double after = 0.0;
    std::uint64_t products_before = 0;
    std::uint64_t products = 0;  // in it at the end
    bool stored = false;         // in these steps
  };
  [[nodiscard]] std::optional<Growth> growth(std::uint32_t thread, std::uint64_t first,
                                             std::uint64_t last) const;

 private:
  const record::Recording& recording_;
  const insight::BlockSums* sums_;
  const SourceMap& source_;
  // Parameters by their arguments (the kernel may call A what the launch calls d_in), and the
  // buffers of a kernel that is no product.
  std::map<std::string, Hue> hues_;
  std::string compensation_;
};

}  // namespace tilestep::narration
