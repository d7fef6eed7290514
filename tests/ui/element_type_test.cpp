// The inspector's text for the bytes of an access.
#include "simulated.h"
#include "ui/number_text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace tilestep::ui {
namespace {

using problem::ElementType;

TEST(ElementTypeOf, ComesFromTheBufferOrTheDeclaration) {
  test::OwnKernel kernel;
  kernel.source =
      "extern \"C\" __global__ void kernel(float* x, int* n) {\n"
      "  __shared__ int counts[2][4];\n"
      "  counts[0][threadIdx.x % 4] = n[threadIdx.x];\n"
      "  x[threadIdx.x] = counts[0][0];\n}\n";
  kernel.buffers = {{"x", 32}, {"n", 32}};
  problem::Launch launch = test::launch_of(kernel);
  launch.buffers[1].type = ElementType::S32;
  const auto program = test::Simulated().program(launch);
  const auto of = [&](const std::string& name) -> std::optional<ElementType> {
    for (const simt::Allocation& allocation : program->allocations()) {
      if (allocation.name == name) {
        return element_type(*program, program->locate(allocation.base, 4));
      }
    }
    ADD_FAILURE() << "no " << name;
    return std::nullopt;
  };
  EXPECT_EQ(of("x"), ElementType::F32);
  EXPECT_EQ(of("n"), ElementType::S32);
  EXPECT_EQ(of("counts"), ElementType::S32);
}

TEST(NumbersText, AreThoseOfTheType) {
  std::array<std::byte, 8> bytes{};
  const std::array<std::int32_t, 2> numbers{1, -7};
  std::memcpy(bytes.data(), numbers.data(), sizeof numbers);
  EXPECT_EQ(numbers_text(ElementType::S32, bytes), "1, -7");
  EXPECT_EQ(numbers_text(ElementType::S32, std::span(bytes).first(4)), "1");
  EXPECT_EQ(numbers_text(ElementType::S32, std::span(bytes).first(6)), "");
}

}  // namespace
}  // namespace tilestep::ui
