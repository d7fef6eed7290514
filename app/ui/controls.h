// The top bar: what runs (kernel, M, N, K, BLOCK_SIZE, inputs, schedule), which tab, which theme.
#pragma once

#include "problem/describe/catalog.h"
#include "ui/panel.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tilestep::ui {

[[nodiscard]] Commands draw_controls(const Context& context);

// The list of kernels in the top bar: by families, each with its sentence; typing leaves those that
// have the words.

// Those of the catalog whose title, id, family and sentence have every word of `typed`, in English
// or in the language that is spoken, by families.
struct KernelGroup {
  std::string family;
  std::vector<std::size_t> kernels;  // indices into Catalog::kernels
};
[[nodiscard]] std::vector<KernelGroup> matching_kernels(const problem::Catalog& catalog,
                                                        const std::string& typed);

// Within a popup that the caller has begun.
[[nodiscard]] Commands draw_kernel_list(const Context& context);

}  // namespace tilestep::ui
