// What the bytes of a buffer or an array are.
#pragma once

#include "problem/values/element.h"
#include "ptx/model/module.h"
#include "simt/machine/program.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace tilestep::ui {

// Nothing for structs and what is no number.
[[nodiscard]] std::optional<problem::ElementType> element_type(const ptx::SourceType& type);

// Of the elements of a buffer, or of a declared variable; nothing where no type is known.
[[nodiscard]] std::optional<problem::ElementType> element_type(const simt::Program& program,
                                                               const simt::Place& place);

// "3", "0.5, 1, 2, 3": the numbers in bytes; empty where they are no whole number of elements.
[[nodiscard]] std::string numbers_text(problem::ElementType type, std::span<const std::byte> bytes);

}  // namespace tilestep::ui
