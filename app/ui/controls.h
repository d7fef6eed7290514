// The top bar: the run (kernel, M, N, K, BLOCK_SIZE, inputs, schedule), the tabs, the theme.
#pragma once

#include "problem/describe/catalog.h"
#include "ui/panel.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tilestep::ui {

[[nodiscard]] Commands draw_controls(const Context& context);

// The list of kernels in the top bar, grouped by family, each with its sentence; typing filters it.

// The catalog's kernels whose title, id, family and sentence contain every word of `typed`, in
// English or in the current language, by family.
struct KernelGroup {
  std::string family;
  std::vector<std::size_t> kernels;  // indices into Catalog::kernels
};
[[nodiscard]] std::vector<KernelGroup> matching_kernels(const problem::Catalog& catalog,
                                                        const std::string& typed);

// The caller has begun the popup.
[[nodiscard]] Commands draw_kernel_list(const Context& context);

}  // namespace tilestep::ui
