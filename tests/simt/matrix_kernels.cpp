#include "matrix_kernels.h"

#include "folders.h"
#include "loading/loader.h"
#include "loading/prepare.h"

#include <stdexcept>

namespace tilestep::simt {
namespace {

template <class T>
T value_of(Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().message);
  }
  return std::move(*result);
}

}  // namespace

MatrixKernels::MatrixKernels()
    : catalog_(value_of(problem::load_catalog(tilestep::test::source_folder() / "kernels"))),
      compiler_({{}, {test::share_folder() / "ptx-cache"}}) {}

problem::Launch MatrixKernels::launch(const std::string& id, problem::Problem size,
                                      int block_size) const {
  return value_of(problem::evaluate(*catalog_.find(id), {size, block_size}, {}));
}

const loading::Kernel& MatrixKernels::kernel(const std::string& id, int block_size,
                                             compile::Build build) {
  const std::tuple key{id, block_size, build};
  const auto known = kernels_.find(key);
  if (known != kernels_.end()) {
    return known->second;
  }
  const problem::Problem any{block_size, block_size, block_size};
  auto loaded = loading::load_kernel(compiler_, launch(id, any, block_size), build,
                                     loading::Declarations::Always);
  if (!loaded) {
    throw std::runtime_error(loaded.error().error.message);
  }
  return kernels_.emplace(key, std::move(*loaded)).first->second;
}

std::shared_ptr<const Program> MatrixKernels::program(const problem::Launch& launch,
                                                      compile::Build build, int warp_size) {
  const loading::Kernel& compiled = kernel(launch.id, launch.parameters.block_size, build);
  return value_of(loading::make_program(compiled, launch, warp_size));
}

std::shared_ptr<const Program> MatrixKernels::program(const std::string& id, problem::Problem size,
                                                      int block_size, compile::Build build,
                                                      int warp_size) {
  return program(launch(id, size, block_size), build, warp_size);
}

Machine run(const std::shared_ptr<const Program>& program, const Schedule& schedule,
            Observer* observer) {
  Machine machine(program);
  Scheduler scheduler(*program, schedule);
  run_to_end(machine, scheduler, observer);
  return machine;
}

problem::Numbers expected_product(const Program& program) {
  return *problem::expected_result(program.launch(), problem::Reference::Plain);
}

std::size_t wrong_elements(const Machine& machine, const problem::Numbers& expected) {
  const problem::Launch& launch = machine.program().launch();
  const problem::Buffer& c = *problem::find_buffer(launch, "C");
  const auto index = static_cast<std::uint32_t>(&c - launch.buffers.data());
  const std::span<const std::byte> bytes = machine.buffer(index);
  const problem::Numbers got = problem::to_numbers(c, bytes);
  return problem::compare(got, expected, 0.0).wrong;
}

std::size_t wrong_elements(const Machine& machine) {
  return wrong_elements(machine, expected_product(machine.program()));
}

}  // namespace tilestep::simt
