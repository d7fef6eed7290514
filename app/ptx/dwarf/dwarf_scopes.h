// Private to app/ptx: a subprogram's entries as scopes, source variables and assignment events.
#pragma once

#include "ptx/dwarf/dwarf_reader.h"
#include "ptx/dwarf/dwarf_types.h"
#include "ptx/model/source_file.h"
#include "ptx/text/parsed_text.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace tilestep::ptx::dwarf {

inline constexpr std::uint32_t kNoFunction = 0xffffffffU;

// What reading variables needs of the whole file.
class Context {
 public:
  Context(ParsedText& parsed, const Sections& all_sections, const DieTree& dies);

  // The instruction a label stands before.
  [[nodiscard]] std::optional<LabelPlace> place(std::string_view label) const;
  // The place that an address attribute (low_pc, high_pc) names.
  [[nodiscard]] std::optional<LabelPlace> place(std::uint32_t die, At attribute) const;
  // Index into Module::variables; a function's own before another's of the same symbol.
  [[nodiscard]] std::optional<std::uint32_t> memory_variable(std::string_view symbol,
                                                             std::uint32_t function) const;
  // Name, type, declaration, constant value: everything but the location.
  [[nodiscard]] SourceVariable describe(std::uint32_t die);

  Module& module;
  const std::unordered_map<std::string_view, LabelPlace>& labels;
  const Sections& sections;
  const DieTree& tree;
  TypeReader types;
  std::uint32_t source_file = kSourceFile;  // the kernel's own text, as the entries number it

 private:
  std::unordered_map<std::string_view, std::uint32_t> memory_variables_;
};

// Fills scopes, source_variables and events of the function whose code subprogram `die` describes.
// The function's own parameters are its first source variables, in their order.
void attach_subprogram(Context& context, std::uint32_t die);

}  // namespace tilestep::ptx::dwarf
