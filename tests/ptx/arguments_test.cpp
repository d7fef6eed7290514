// loading::pack_arguments: the bytes, and the sentences if description and kernel disagree.
#include "loading/arguments.h"

#include "ptx/debug_fixture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>

namespace tilestep::ptx::test {
namespace {

using problem::Argument;
using problem::Launch;
using ::testing::HasSubstr;
using Kind = problem::ArgumentSpec::Kind;

Argument integer(std::int64_t value) {
  Argument argument;
  argument.integer = value;
  return argument;
}

Argument real(double value) {
  Argument argument;
  argument.real = value;
  argument.is_real = true;
  return argument;
}

Argument buffer(std::size_t index) {
  Argument argument;
  argument.kind = Kind::Buffer;
  argument.buffer = index;
  return argument;
}

Argument table(std::vector<Argument::Member> members) {
  Argument argument;
  argument.kind = Kind::Struct;
  argument.members = std::move(members);
  return argument;
}

loading::Kernel kernel_of(const std::string& data, const std::string& entry) {
  loading::Kernel kernel;
  auto module = std::make_shared<Module>(debug_module(data));
  for (std::uint32_t i = 0; i < module->functions.size(); ++i) {
    kernel.entry = module->functions[i].name == entry ? i : kernel.entry;
  }
  kernel.module = std::move(module);
  return kernel;
}

// Like a fast build of the same text: the same parameters, no debug information.
loading::Kernel without_debug_info(const loading::Kernel& kernel) {
  loading::Kernel fast = kernel;
  auto module = std::make_shared<Module>(*kernel.module);
  module->types.clear();
  for (Function& function : module->functions) {
    function.scopes.clear();
    function.source_variables.clear();
  }
  fast.module = std::move(module);
  return fast;
}

Launch launch_with(std::vector<Argument> arguments) {
  Launch launch;
  for (const char* name : {"A", "B", "C"}) {
    launch.buffers.emplace_back();
    launch.buffers.back().name = name;
  }
  launch.arguments = std::move(arguments);
  return launch;
}

const std::vector<std::uint64_t> kAddresses{0x1000, 0x2000, 0x3000};

Result<std::vector<std::byte>> pack(const loading::Kernel& kernel,
                                    std::vector<Argument> arguments) {
  return loading::pack_arguments(kernel, launch_with(std::move(arguments)), kAddresses,
                                 loading::machine_tensor_map);
}

template <class T>
T at(const std::vector<std::byte>& bytes, std::size_t offset) {
  T value;
  EXPECT_LE(offset + sizeof value, bytes.size());
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

TEST(PackArguments, PutsAddressesAndNumbersWhereTheKernelReadsThem) {
  const loading::Kernel kernel = kernel_of("tiled", "matmul_tiled<4>");
  const auto packed =
      pack(kernel, {buffer(0), buffer(1), buffer(2), integer(5), integer(-6), integer(7)});
  ASSERT_TRUE(packed) << packed.error().message;
  ASSERT_EQ(packed->size(), 36U);
  EXPECT_EQ(at<std::uint64_t>(*packed, 0), 0x1000U);
  EXPECT_EQ(at<std::uint64_t>(*packed, 16), 0x3000U);
  EXPECT_EQ(at<std::int32_t>(*packed, 24), 5);
  EXPECT_EQ(at<std::int32_t>(*packed, 28), -6);
}

TEST(PackArguments, LaysStructuresOutByTheirDebugInformation) {
  const loading::Kernel kernel = kernel_of("submatrix", "matmul_submatrix<4>");
  auto matrix = [](std::size_t index) {
    return table({{"elements", buffer(index)},
                  {"width", integer(8)},
                  {"height", integer(4)},
                  {"stride", integer(12)}});
  };
  for (const bool is_fast : {false, true}) {
    loading::Kernel executed = is_fast ? without_debug_info(kernel) : kernel;
    if (is_fast) {
      executed.step = std::make_shared<const loading::Kernel>(kernel);
    }
    const auto packed = pack(executed, {matrix(0), matrix(1), matrix(2)});
    ASSERT_TRUE(packed) << packed.error().message;
    ASSERT_EQ(packed->size(), 72U);
    EXPECT_EQ(at<std::int32_t>(*packed, 24), 8);
    EXPECT_EQ(at<std::int32_t>(*packed, 28), 4);
    EXPECT_EQ(at<std::int32_t>(*packed, 32), 12);
    EXPECT_EQ(at<std::uint64_t>(*packed, 40), 0x2000U);
  }
}

// aggregates(float* out, Point p, Flags flags, Word word, Mixed mixed, Node node, float4 quad,
//            dim3 shape, int n)
std::vector<Argument> aggregate_arguments() {
  const Argument point = table({{"x", real(0.5)}, {"y", integer(2)}});
  return {buffer(0),
          point,
          table({{"id", integer(9)},  // of the base class
                 {"weight", real(1.5)},
                 {"low", integer(5)},
                 {"high", integer(100)},
                 {"sign", integer(-1)}}),
          table({{"f", real(1.0)}}),  // one alternative of a union
          table({{"tag", integer(1)},
                 {"as_int", integer(77)},  // of an unnamed union
                 {"a", integer(-3)},
                 {"b", integer(4)},
                 {"corners", table({{"0", point}, {"1", point}})},
                 {"data", buffer(1)}}),
          table({{"next", integer(0)}, {"value", integer(3)}}),
          table({{"x", real(1)}, {"y", real(2)}, {"z", real(3)}, {"w", real(4)}}),
          table({{"x", integer(1)}, {"y", integer(2)}, {"z", integer(3)}}),
          integer(6)};
}

TEST(PackArguments, KnowsBasesUnionsBitFieldsArraysAndVectors) {
  const loading::Kernel kernel = kernel_of("aggregates", "aggregates");
  const auto packed = pack(kernel, aggregate_arguments());
  ASSERT_TRUE(packed) << packed.error().message;
  const Function& entry = kernel.module->functions[kernel.entry];
  auto offset = [&](std::size_t parameter) { return entry.params[parameter].offset; };
  EXPECT_EQ(at<float>(*packed, offset(1)), 0.5F);
  EXPECT_EQ(at<std::int32_t>(*packed, offset(2)), 9);
  EXPECT_EQ(at<double>(*packed, offset(2) + 8), 1.5);
  EXPECT_EQ(at<std::uint32_t>(*packed, offset(2) + 16), 5U | (100U << 3U) | (3U << 10U));
  EXPECT_EQ(at<float>(*packed, offset(3)), 1.0F);
  EXPECT_EQ(at<std::int32_t>(*packed, offset(4) + 4), 77);
  EXPECT_EQ(at<std::int16_t>(*packed, offset(4) + 8), -3);
  EXPECT_EQ(at<float>(*packed, offset(4) + 24), 2.0F);  // corners[1].y
  EXPECT_EQ(at<std::uint64_t>(*packed, offset(4) + 32), 0x2000U);
  EXPECT_EQ(at<std::uint64_t>(*packed, offset(5)), 0U);
  EXPECT_EQ(at<float>(*packed, offset(6) + 12), 4.0F);
  EXPECT_EQ(at<std::uint32_t>(*packed, offset(7) + 8), 3U);
  EXPECT_EQ(at<std::int32_t>(*packed, offset(8)), 6);
}

std::string sentence(const Result<std::vector<std::byte>>& packed) {
  return packed ? "(no error)" : packed.error().message;
}

TEST(PackArguments, SaysWhenTheNumberOfArgumentsIsWrong) {
  const loading::Kernel kernel = kernel_of("naive", "matmul_naive");
  EXPECT_EQ(sentence(pack(kernel, {buffer(0), buffer(1), buffer(2), integer(1), integer(1)})),
            "matmul_naive takes 6 arguments (const float* A, const float* B, float* C, int M, int "
            "N, int K), but the description gives 5: add 1 in `arguments`.");
  EXPECT_EQ(sentence(pack(without_debug_info(kernel), std::vector<Argument>(8))),
            "matmul_naive takes 6 arguments, but the description gives 8: remove 2 in "
            "`arguments`.");
}

TEST(PackArguments, SaysWhenAnArgumentIsOfTheWrongKind) {
  const loading::Kernel kernel = kernel_of("naive", "matmul_naive");
  auto with = [&](std::size_t place, const Argument& argument) {
    std::vector<Argument> all{buffer(0), buffer(1), buffer(2), integer(1), integer(1), integer(1)};
    all[place] = argument;
    return sentence(pack(kernel, all));
  };
  EXPECT_EQ(with(3, buffer(1)),
            "Argument 4 of matmul_naive (int M) is given the buffer B: give an integer, or an "
            "expression of M, N, K and BLOCK_SIZE.");
  EXPECT_THAT(with(3, real(0.5)), HasSubstr("(int M) is given 0.5: give an integer"));
  EXPECT_THAT(with(3, table({})), HasSubstr("is given a table of members"));
  EXPECT_EQ(with(0, integer(8)),
            "Argument 1 of matmul_naive (const float* A) is given 8: give the name of a buffer, or "
            "0 for a null pointer.");
  EXPECT_EQ(with(0, integer(0)), "(no error)");
}

TEST(PackArguments, SaysWhenANumberDoesNotFit) {
  const loading::Kernel kernel = kernel_of("naive", "matmul_naive");
  std::vector<Argument> arguments{buffer(0),  buffer(1),  buffer(2),
                                  integer(1), integer(1), integer(3'000'000'000)};
  EXPECT_EQ(sentence(pack(kernel, arguments)),
            "Argument 6 of matmul_naive (int K) is given 3000000000: out of range; choose "
            "-2147483648 to 2147483647.");
  // Without debug information it may be an unsigned.
  EXPECT_TRUE(pack(without_debug_info(kernel), arguments));
  arguments[5] = integer(5'000'000'000);
  EXPECT_THAT(sentence(pack(without_debug_info(kernel), arguments)),
              HasSubstr("choose -2147483648 to 4294967295."));
}

TEST(PackArguments, ChecksEveryWidthOfNumber) {
  const loading::Kernel kernel = kernel_of("scalars", "scalars");
  // in, out, flag, letter, tiny, byte, s, us, i, u, ll, ull, d, kind, colour, anything, rows, …
  std::vector<Argument> arguments{buffer(0),   buffer(1),           integer(1),  integer(-128),
                                  integer(-1), integer(255),        integer(-1), integer(65535),
                                  integer(-1), integer(4294967295), integer(-1), integer(1),
                                  integer(3),  integer(2),          integer(-1), buffer(2),
                                  buffer(2),   buffer(2),           integer(0),  integer(1)};
  const auto packed = pack(kernel, arguments);
  ASSERT_TRUE(packed) << packed.error().message;
  const Function& entry = kernel.module->functions[kernel.entry];
  EXPECT_EQ(at<double>(*packed, entry.params[12].offset), 3.0);
  EXPECT_EQ(at<std::uint32_t>(*packed, entry.params[9].offset), 4294967295U);
  auto rejects = [&](std::size_t place, std::int64_t value) {
    std::vector<Argument> wrong = arguments;
    wrong[place] = integer(value);
    return sentence(pack(kernel, wrong));
  };
  EXPECT_THAT(rejects(2, 2), HasSubstr("(bool flag) is given 2: out of range; choose 0 to 1."));
  EXPECT_THAT(rejects(3, 128), HasSubstr("choose -128 to 127."));
  EXPECT_THAT(rejects(5, 256), HasSubstr("choose 0 to 255."));
  EXPECT_THAT(rejects(6, 32768), HasSubstr("choose -32768 to 32767."));
  EXPECT_THAT(rejects(7, -1), HasSubstr("choose 0 to 65535."));
  EXPECT_THAT(rejects(9, -1), HasSubstr("choose 0 to 4294967295."));
  EXPECT_THAT(rejects(11, -1), HasSubstr("choose 0 to 18446744073709551615."));
}

TEST(PackArguments, SaysWhichMemberIsWrong) {
  const loading::Kernel kernel = kernel_of("submatrix", "matmul_submatrix<4>");
  auto with = [&](const Argument& first) { return sentence(pack(kernel, {first, first, first})); };
  EXPECT_EQ(with(table({{"widht", integer(8)}})),
            "Argument 1 of matmul_submatrix<4> (Matrix A) has no member 'widht'. Matrix has width, "
            "height, stride, elements.");
  EXPECT_EQ(with(table({{"width", integer(8)}, {"height", integer(8)}, {"elements", buffer(0)}})),
            "Argument 1 of matmul_submatrix<4> (Matrix A) has no value for its member 'stride'. "
            "Add stride = … to its table.");
  EXPECT_THAT(with(table({{"width", buffer(0)}})),
              HasSubstr("Member width of argument 1 of matmul_submatrix<4> (Matrix A) is given the "
                        "buffer A"));
  EXPECT_THAT(
      with(integer(3)),
      HasSubstr(
          "Matrix is a struct. Give a table of its members: width, height, stride, elements."));
}

TEST(PackArguments, SaysWhenAnArraysElementsAreWrong) {
  const loading::Kernel kernel = kernel_of("aggregates", "aggregates");
  auto with_corners = [&](const Argument& corners) {
    std::vector<Argument> arguments = aggregate_arguments();
    arguments[4].members[4].value = corners;
    return sentence(pack(kernel, arguments));
  };
  const Argument point = table({{"x", real(0.5)}, {"y", integer(2)}});
  EXPECT_EQ(with_corners(table({{"0", point}})), "(no error)");
  EXPECT_THAT(with_corners(table({{"2", point}})),
              HasSubstr("has no element '2'. Elements of Point[2] are 0 to 1."));
  EXPECT_THAT(with_corners(table({{"0x", point}})), HasSubstr("has no element '0x'"));
  EXPECT_THAT(with_corners(integer(1)), HasSubstr("Point[2] is an array"));
  EXPECT_THAT(with_corners(table({{"0", table({{"z", integer(1)}})}})),
              HasSubstr("Element 0 of member corners of argument 5 of aggregates (Mixed mixed) has "
                        "no member 'z'"));
}

TEST(PackArguments, SaysThatAStructureNeedsTheStepBuild) {
  const loading::Kernel kernel = without_debug_info(kernel_of("submatrix", "matmul_submatrix<4>"));
  EXPECT_THAT(sentence(pack(kernel, {table({}), table({}), table({})})),
              HasSubstr("Argument 1 of matmul_submatrix<4>: the memory layout is unknown"));
}

}  // namespace
}  // namespace tilestep::ptx::test
