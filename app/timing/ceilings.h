// The ceilings of a roofline, measured: kernels that do one thing (kernels/ceilings.cu), the
// fastest of ten launches each; copies between the host and the GPU likewise; and the row pitch
// that cuMemAllocPitch chooses.
#pragma once

#include "compile/compiler.h"
#include "gpu/device.h"
#include "timing/dataset.h"

#include <string>

namespace tilestep::timing {

// The PTX of a file of kernels that measure the GPU: any GPU from 8.0 on runs it. Fails if it does
// not compile.
[[nodiscard]] Result<std::string> compile_probes(compile::Compiler& compiler, const char* file,
                                                 const std::string& source);

// `source`: the text of kernels/ceilings.cu. Takes one or two seconds and a quarter of the GPU's
// memory, at most 4 GiB. Fails if it does not compile; throws gpu::GpuError.
[[nodiscard]] Result<Ceilings> measure_ceilings(gpu::Device& device, compile::Compiler& compiler,
                                                const std::string& source);

// Host and time for a data set's provenance.

[[nodiscard]] std::string utc_now();           // "2026-11-21T10:24:44Z"
[[nodiscard]] std::string host_description();  // "Ubuntu 24.04.1 LTS, AMD EPYC …"

}  // namespace tilestep::timing
