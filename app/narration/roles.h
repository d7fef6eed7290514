// Whose numbers an array or a variable holds, and which variables are sums.
//
// A stand-in, read from the source's assignments, until insight tells it by where values came from.
#pragma once

#include "narration/arithmetic.h"
#include "narration/source_map.h"
#include "record/recording.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilestep::narration {

class Roles {
 public:
  Roles(const record::Recording& recording, const SourceMap& source);

  [[nodiscard]] Hue hue(const std::string& name) const;
  [[nodiscard]] const HueOf& hue_of() const { return hue_of_; }
  // What a compensated sum keeps of its error: "y"; empty where there is none.
  [[nodiscard]] const std::string& compensation() const { return compensation_; }
  // Whether the launch is a product of two matrices: then A and B have rows and columns to name.
  [[nodiscard]] bool is_product() const { return is_product_; }
  [[nodiscard]] bool is_output(std::uint32_t launch_buffer) const;

 private:
  bool learn(const Assignment& assignment);
  bool learn_call(const Expression& call);
  [[nodiscard]] Hue of_value(const Expression& value) const;
  void find_compensation(const SourceMap& source);

  const record::Recording& recording_;
  std::map<std::string, Hue> hues_;
  HueOf hue_of_;
  std::string compensation_;
  bool is_product_ = false;
};

}  // namespace tilestep::narration
