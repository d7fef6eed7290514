// Address spaces: layout, the bytes of an access, and accesses outside.
#include "own_kernels.h"
#include "simt/exec/isa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace tilestep::simt {
namespace {

[[nodiscard]] std::string header(const std::string& declarations = "") {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + declarations +
         ".visible .entry kernel(.param .u64 a, .param .u64 b)\n{\n"
         ".reg .b64 %a, %b, %c, %d, %l<8>;\n.reg .b32 %t, %r<16>;\n.reg .b16 %h<8>;\n"
         ".reg .pred %p<4>;\nmov.u32 %t, %tid.x;\nld.param.u64 %a, [a];\nld.param.u64 %b, [b];\n";
}

[[nodiscard]] std::vector<std::byte> counting(std::size_t bytes, unsigned first = 1) {
  std::vector<std::byte> values(bytes);
  for (std::size_t k = 0; k < bytes; ++k) {
    values[k] = static_cast<std::byte>(first + 37 * k);
  }
  return values;
}

[[nodiscard]] std::shared_ptr<const Program> two_buffers(
    const std::string& ptx, std::vector<std::byte> a, std::vector<std::byte> b,
    std::uint32_t threads = 32, const Isa* isa = nullptr, std::uint32_t shared = 0) {
  return program_of(ptx, {1, 1, 1}, {threads, 1, 1}, {std::move(a), std::move(b)}, {}, kWarpSize,
                    isa, shared);
}

// Every width, in consecutive, equal, strided and scattered order, moved through each space.
struct Move {
  std::string type;
  int bytes;
  int vector;
};
const Move kMoves[] = {{"u8", 1, 1},  {"s8", 1, 1},  {"u16", 2, 1}, {"s16", 2, 1}, {"u32", 4, 1},
                       {"f32", 4, 1}, {"u64", 8, 1}, {"f64", 8, 1}, {"u32", 4, 2}, {"f32", 4, 4},
                       {"u64", 8, 2}, {"u8", 1, 4},  {"u16", 2, 2}, {"b16", 2, 4}};

[[nodiscard]] std::string registers_of(const Move& move) {
  const std::string bank = move.bytes == 8 ? "%l" : move.bytes == 4 ? "%r" : "%h";
  std::string text;
  for (int k = 0; k < move.vector; ++k) {
    text += (k == 0 ? "" : ", ") + bank + std::to_string(k);
  }
  return move.vector == 1 ? text : "{" + text + "}";
}

// b[lane] = a[order(lane)], copied through `space` memory; lanes with mask bit 0 take no part.
[[nodiscard]] std::string copy_kernel(const Move& move, const std::string& order,
                                      const std::string& space, bool masked) {
  const std::string vector = move.vector == 1 ? "" : ".v" + std::to_string(move.vector);
  const std::string bytes = std::to_string(move.bytes * move.vector);
  const std::string values = registers_of(move);
  const std::string declaration = space == "shared"  ? ".shared .align 16 .b8 room[1024];\n"
                                  : space == "local" ? ".local .align 16 .b8 room[32];\n"
                                                     : "";
  std::string text = header() + declaration;
  text += masked ? "popc.b32 %r9, %t;\nand.b32 %r9, %r9, 1;\nsetp.eq.u32 %p0, %r9, 0;\n"
                   "@%p0 bra done;\n"
                 : "";
  text += "mov.u32 %r8, %t;\n" + order;
  text += "mul.lo.u32 %r8, %r8, " + bytes + ";\ncvt.u64.u32 %c, %r8;\nadd.u64 %a, %a, %c;\n";
  text += "mul.lo.u32 %r10, %t, " + bytes + ";\ncvt.u64.u32 %d, %r10;\nadd.u64 %b, %b, %d;\n";
  text += "ld.global" + vector + "." + move.type + " " + values + ", [%a];\n";
  if (!space.empty()) {
    text += "mov.u64 %l7, room;\n";
    text += space == "shared" ? "add.u64 %l7, %l7, %d;\n" : "";
    text += "st." + space + vector + "." + move.type + " [%l7], " + values + ";\n";
    text += "cvta." + space + ".u64 %l7, %l7;\n";
    text += "ld" + vector + "." + move.type + " " + values + ", [%l7];\n";
  }
  return text + "st.global" + vector + "." + move.type + " [%b], " + values + ";\ndone:\nret;\n}\n";
}

TEST(Memory, MovesEveryWidthInEveryOrderThroughEverySpace) {
  const std::pair<std::string, std::function<std::uint32_t(std::uint32_t)>> orders[] = {
      {"", [](std::uint32_t t) { return t; }},
      {"mov.u32 %r8, 5;\n", [](std::uint32_t) { return 5U; }},
      {"shr.u32 %r8, %r8, 3;\n", [](std::uint32_t t) { return t >> 3; }},
      {"and.b32 %r8, %r8, 15;\n", [](std::uint32_t t) { return t & 15; }},
      {"shl.b32 %r8, %r8, 1;\n", [](std::uint32_t t) { return 2 * t; }},
      {"mul.lo.u32 %r8, %r8, 13;\nand.b32 %r8, %r8, 63;\n",
       [](std::uint32_t t) { return 13 * t & 63; }}};
  const Isa best = best_isa();
  const Isa plain = baseline::isa();
  for (const Move& move : kMoves) {
    const auto size = static_cast<std::size_t>(move.bytes * move.vector);
    const auto input = counting(64 * size);
    for (const auto& [text, order] : orders) {
      for (const std::string space : {"", "shared", "local"}) {
        for (const bool masked : {false, true}) {
          for (const Isa* const isa : {&best, &plain}) {
            const auto program = two_buffers(copy_kernel(move, text, space, masked), input,
                                             std::vector<std::byte>(32 * size), 32, isa);
            Log log;
            const Machine machine = run_to_the_end(program, {ScheduleKind::Sequential}, &log);
            ASSERT_TRUE(log.faults.empty()) << copy_kernel(move, text, space, masked);
            for (std::uint32_t lane = 0; lane < 32; ++lane) {
              const bool executes = !masked || std::popcount(lane) % 2 == 1;
              for (std::size_t k = 0; k < size; ++k) {
                const std::byte wanted = executes ? input[order(lane) * size + k] : std::byte{0};
                ASSERT_EQ(machine.buffer(1)[lane * size + k], wanted)
                    << move.type << move.vector << text << space << " lane " << lane;
              }
            }
          }
        }
      }
    }
  }
}

// Bytes of narrow loads are extended into registers of every width.
TEST(Memory, ExtendsNarrowLoadsBySign) {
  const std::string ptx = header() +
                          "cvt.u64.u32 %c, %t;\nadd.u64 %d, %a, %c;\n"
                          "ld.global.s8 %r0, [%d];\nld.global.u8 %r1, [%d];\n"
                          "ld.global.s8 %l0, [%d];\nld.global.s8 %h0, [%d];\n"
                          "shl.b64 %c, %c, 5;\nadd.u64 %b, %b, %c;\n"
                          "st.global.u32 [%b], %r0;\nst.global.u32 [%b+4], %r1;\n"
                          "st.global.u64 [%b+8], %l0;\ncvt.u32.u16 %r2, %h0;\n"
                          "st.global.u32 [%b+16], %r2;\nret;\n}\n";
  const auto input = counting(32, 90);
  const Machine machine = run_to_the_end(two_buffers(ptx, input, std::vector<std::byte>(32 * 32)));
  for (std::size_t lane = 0; lane < 32; ++lane) {
    std::uint32_t words[8];
    std::memcpy(words, machine.buffer(1).data() + lane * 32, 32);
    const auto byte = static_cast<std::uint32_t>(input[lane]);
    const auto extended = byte < 128 ? byte : byte | 0xffffff00U;
    EXPECT_EQ(words[0], extended);
    EXPECT_EQ(words[1], byte);
    EXPECT_EQ(words[2], extended);
    EXPECT_EQ(words[3], byte > 127 ? ~0U : 0U);
    EXPECT_EQ(words[4], extended & 0xffff);
  }
}

[[nodiscard]] std::string load_at(const std::string& offset) {
  return header() + "mul.wide.u32 %c, %t, 4;\nadd.u64 %d, %b, %c;\nadd.u64 %c, %a, %c;\n" +
         "mov.u32 %r0, 77;\nld.global.u32 %r0, [%c" + offset +
         "];\nst.global.u32 [%d], %r0;\nst.global.u32 [%c" + offset + "], 9;\nret;\n}\n";
}

TEST(OutOfRange, LoadsGiveZeroStoresAreDroppedAndLanesAreNamed) {
  const auto program = two_buffers(load_at("+64"), counting(128), std::vector<std::byte>(128));
  Log log;
  const Machine machine = run_to_the_end(program, {ScheduleKind::Sequential}, &log);
  ASSERT_EQ(log.faults.size(), 2U);
  EXPECT_EQ(log.faults[0].kind, FaultKind::OutOfRange);
  EXPECT_EQ(log.faults[0].access, AccessKind::Load);
  EXPECT_EQ(log.faults[1].access, AccessKind::Store);
  for (const FaultEvent& fault : log.faults) {
    EXPECT_EQ(fault.mask, 0xffff0000U);
    EXPECT_EQ(fault.bytes, 4U);
    EXPECT_EQ(fault.address, fault.addresses[16]);
    const Place place = program->locate(fault.addresses[20], 4);
    EXPECT_FALSE(place.inside);
    EXPECT_EQ(program->allocations()[place.allocation].name, "A");
    EXPECT_EQ(place.offset, 64 + 20 * 4);
  }
  const auto values = contents<std::uint32_t>(machine, 1);
  const auto input = counting(128);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    std::uint32_t wanted = 0;
    std::memcpy(&wanted, input.data() + (lane < 16 ? 64 + lane * 4 : 0), 4);
    EXPECT_EQ(values[lane], lane < 16 ? wanted : 0U);
  }
  ASSERT_EQ(log.accesses.size(), 3U) << "each told for the lanes that are inside";
  EXPECT_EQ(log.accesses[0].mask, 0x0000ffffU);
}

TEST(OutOfRange, InFrontOfABufferIsNamedAfterIt) {
  const auto program = two_buffers(load_at("+-8"), counting(128), std::vector<std::byte>(128));
  Log log;
  run_to_the_end(program, {ScheduleKind::Sequential}, &log);
  ASSERT_FALSE(log.faults.empty());
  EXPECT_EQ(log.faults[0].mask, 3U);
  const Place place = program->locate(log.faults[0].address, 4);
  EXPECT_EQ(program->allocations()[place.allocation].name, "A");
  EXPECT_EQ(place.offset, -8);
}

TEST(OutOfRange, NullPointersBelongToNoAllocation) {
  const std::string ptx = header() + "ld.global.u32 %r0, [0];\nst.u32 [4], %r0;\nret;\n}\n";
  const auto program = two_buffers(ptx, counting(4), counting(4));
  Log log;
  run_to_the_end(program, {ScheduleKind::Sequential}, &log);
  ASSERT_EQ(log.faults.size(), 2U);
  EXPECT_EQ(log.faults[0].mask, ~0U);
  EXPECT_EQ(program->locate(0, 4).allocation, kNoAllocation);
}

TEST(OutOfRange, BeyondABlocksSharedMemory) {
  const std::string ptx = header() +
                          ".shared .align 4 .b8 room[64];\nmov.u64 %c, room;\n"
                          "mul.wide.u32 %d, %t, 4;\nadd.u64 %c, %c, %d;\n"
                          "st.shared.u32 [%c], %t;\nld.shared.u32 %r0, [%c];\n"
                          "add.u64 %b, %b, %d;\nst.global.u32 [%b], %r0;\nret;\n}\n";
  const auto program = two_buffers(ptx, counting(4), std::vector<std::byte>(128));
  Log log;
  const Machine machine = run_to_the_end(program, {ScheduleKind::Sequential}, &log);
  ASSERT_EQ(log.faults.size(), 2U);
  EXPECT_EQ(log.faults[0].mask, 0xffff0000U);
  const Place place = program->locate(log.faults[0].address, 4);
  EXPECT_EQ(program->allocations()[place.allocation].name, "room");
  EXPECT_EQ(contents(machine, 1)[15], 15);
  EXPECT_EQ(contents(machine, 1)[16], 0);
}

TEST(OutOfRange, AnAccessThroughTheWrongSpaceIsOutside) {
  const std::string ptx = header() +
                          ".shared .align 4 .b8 room[64];\nmov.u64 %c, room;\n"
                          "cvta.shared.u64 %c, %c;\nld.global.u32 %r0, [%c];\nret;\n}\n";
  Log log;
  run_to_the_end(two_buffers(ptx, counting(4), counting(4)), {ScheduleKind::Sequential}, &log);
  ASSERT_EQ(log.faults.size(), 1U);
  EXPECT_EQ(log.faults[0].kind, FaultKind::OutOfRange);
}

TEST(Misaligned, AccessesAreReportedAndAlignedDown) {
  const std::string ptx = header() +
                          "mul.wide.u32 %c, %t, 4;\nadd.u64 %d, %b, %c;\nadd.u64 %c, %a, %c;\n"
                          "ld.global.u32 %r0, [%c+2];\nst.global.u32 [%d], %r0;\nret;\n}\n";
  Log log;
  const auto input = counting(128);
  const Machine machine = run_to_the_end(two_buffers(ptx, input, std::vector<std::byte>(128)),
                                         {ScheduleKind::Sequential}, &log);
  ASSERT_EQ(log.faults.size(), 1U);
  EXPECT_EQ(log.faults[0].kind, FaultKind::Misaligned);
  EXPECT_EQ(log.faults[0].mask, ~0U);
  EXPECT_EQ(std::memcmp(machine.buffer(1).data(), input.data(), 128), 0);
  EXPECT_EQ(log.accesses[0].addresses[3] % 4, 0U);
}

TEST(SharedMemory, LiesAsDeclaredWithDynamicMemoryLast) {
  const std::string ptx = header(".extern .shared .align 4 .b8 dynamic[];\n") +
                          ".shared .align 1 .b8 first[3];\n.shared .align 16 .b8 second[8];\n"
                          ".shared .align 2 .b8 third[2];\n"
                          "mov.u64 %c, dynamic;\nmov.u64 %d, third;\nst.global.u64 [%b], %c;\n"
                          "mov.u64 %c, first;\nst.global.u64 [%b+8], %c;\nmov.u64 %c, second;\n"
                          "st.global.u64 [%b+16], %c;\nst.global.u64 [%b+24], %d;\nret;\n}\n";
  const auto program = two_buffers(ptx, counting(4), std::vector<std::byte>(32), 32, nullptr, 100);
  const auto places = contents<std::uint64_t>(run_to_the_end(program), 1);
  EXPECT_EQ(places[1], 0U);
  // Each has the same bank as on a GPU, 256 bytes further on.
  EXPECT_EQ(places[2], 16U + 256);
  EXPECT_EQ(places[3], 24U + 2 * 256);
  EXPECT_EQ(places[0], 32U + 3 * 256) << "16-byte aligned behind the static arrays";
  EXPECT_EQ(program->shared_bytes(), 132U);
  EXPECT_EQ(program->shared_room(), 132U + 3 * 256);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> gaps;
  for (const SharedGap& gap : program->shared_gaps()) {
    gaps.emplace_back(gap.offset, gap.bytes);
  }
  EXPECT_THAT(gaps, ::testing::ElementsAre(std::pair(3U, 269U), std::pair(280U, 256U),
                                           std::pair(538U, 262U)));
}

TEST(SharedMemory, CanBeAddressedByWords) {
  const std::string ptx = header() +
                          ".shared .align 8 .b8 room[256];\nmov.u64 %c, room;\n"
                          "cvt.u32.u64 %r0, %c;\nmad.lo.u32 %r0, %t, 8, %r0;\n"
                          "st.shared.u32 [%r0+4], %t;\natom.shared.add.u32 %r1, [%r0+4], 7;\n"
                          "setp.lt.u32 %p0, %t, 20;\nmov.u32 %r2, 3;\n"
                          "@%p0 ld.shared.u32 %r2, [%r0+4];\n"
                          "mul.wide.u32 %d, %t, 4;\nadd.u64 %b, %b, %d;\n"
                          "st.global.u32 [%b], %r2;\nret;\n}\n";
  const Machine machine =
      run_to_the_end(two_buffers(ptx, counting(4), std::vector<std::byte>(128)));
  EXPECT_EQ(contents(machine, 1)[19], 26);
  EXPECT_EQ(contents(machine, 1)[20], 3);
}

TEST(Variables, StartWithTheirValuesAndPointToEachOther) {
  test::OwnKernel kernel;
  kernel.source = R"(
__constant__ int table[4] = {7, 8, 9, 10};
__device__ int cell = 5;
__device__ int* pointer = &cell;
__device__ int row[3] = {11, 12, 13};
__device__ int* into_row = row + 2;
extern "C" __global__ void kernel(int* out) {
  if (threadIdx.x == 0) { *pointer += 100; }
  __syncthreads();
  out[threadIdx.x] = threadIdx.x < 4 ? table[threadIdx.x] : threadIdx.x == 4 ? cell : *into_row;
})";
  kernel.buffers = {{"out", 6}};
  kernel.block.x = 6;
  test::Simulated simulated;
  for (const auto build : {compile::Build::Step, compile::Build::Fast}) {
    Log log;
    const Machine machine = run_to_the_end(simulated.program(test::launch_of(kernel), build),
                                           {ScheduleKind::Sequential}, &log);
    EXPECT_TRUE(log.faults.empty());
    EXPECT_EQ(contents(machine), (std::vector<std::int32_t>{7, 8, 9, 10, 105, 13}));
  }
}

TEST(GenericAddresses, TellTheirSpace) {
  const std::string ptx =
      header(".global .u32 g;\n.const .u32 k;\n") +
      ".shared .u32 s;\n.local .u32 l;\n"
      "mov.u64 %l0, g;\ncvta.global.u64 %l0, %l0;\nmov.u64 %l1, s;\ncvta.shared.u64 %l1, %l1;\n"
      "mov.u64 %l2, l;\ncvta.local.u64 %l2, %l2;\nmov.u64 %l3, k;\ncvta.const.u64 %l3, %l3;\n"
      "mov.u32 %r0, 0;\n"
      "isspacep.global %p0, %l0;\nselp.u32 %r1, 1, 0, %p0;\nor.b32 %r0, %r0, %r1;\n"
      "isspacep.shared %p0, %l1;\nselp.u32 %r1, 2, 0, %p0;\nor.b32 %r0, %r0, %r1;\n"
      "isspacep.local %p0, %l2;\nselp.u32 %r1, 4, 0, %p0;\nor.b32 %r0, %r0, %r1;\n"
      "isspacep.const %p0, %l3;\nselp.u32 %r1, 8, 0, %p0;\nor.b32 %r0, %r0, %r1;\n"
      "isspacep.shared %p0, %l0;\nselp.u32 %r1, 16, 0, %p0;\nor.b32 %r0, %r0, %r1;\n"
      "isspacep.global %p0, %l2;\nselp.u32 %r1, 32, 0, %p0;\nor.b32 %r0, %r0, %r1;\n"
      "cvta.to.shared.u64 %l4, %l1;\nmov.u64 %l5, s;\nsetp.eq.u64 %p0, %l4, %l5;\n"
      "selp.u32 %r1, 64, 0, %p0;\nor.b32 %r0, %r0, %r1;\nst.global.u32 [%b], %r0;\nret;\n}\n";
  const Machine machine = run_to_the_end(two_buffers(ptx, counting(4), counting(4)));
  EXPECT_EQ(contents(machine, 1)[0], 1 + 2 + 4 + 8 + 64);
}

// A warp whose lanes point to three spaces at once.
TEST(GenericAddresses, MayLeadLanesToDifferentSpaces) {
  const std::string ptx = header() +
                          ".shared .align 4 .b8 s[128];\n.local .align 4 .b8 l[8];\n"
                          "mul.wide.u32 %c, %t, 4;\nmov.u64 %l1, s;\nadd.u64 %l1, %l1, %c;\n"
                          "cvta.shared.u64 %l1, %l1;\nmov.u64 %l2, l;\ncvta.local.u64 %l2, %l2;\n"
                          "add.u64 %l0, %a, %c;\nrem.u32 %r1, %t, 3;\n"
                          "setp.eq.u32 %p0, %r1, 1;\nsetp.eq.u32 %p1, %r1, 2;\n"
                          "selp.b64 %l0, %l1, %l0, %p0;\nselp.b64 %l0, %l2, %l0, %p1;\n"
                          "add.u32 %r2, %t, 1000;\nst.u32 [%l0], %r2;\nld.u32 %r3, [%l0];\n"
                          "add.u64 %b, %b, %c;\nst.global.u32 [%b], %r3;\nret;\n}\n";
  const auto program = two_buffers(ptx, std::vector<std::byte>(128), std::vector<std::byte>(128));
  Log log;
  const Machine machine = run_to_the_end(program, {ScheduleKind::Sequential}, &log);
  EXPECT_TRUE(log.faults.empty());
  ASSERT_EQ(log.accesses.size(), 7U) << "three spaces twice, and the last store";
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(contents(machine, 1)[static_cast<std::size_t>(lane)], 1000 + lane);
    EXPECT_EQ(contents(machine, 0)[static_cast<std::size_t>(lane)],
              lane % 3 == 0 ? 1000 + lane : 0);
  }
}

TEST(Machine, ReadsWhatAThreadSees) {
  const std::string ptx = header() +
                          ".shared .align 4 .b8 s[128];\n.local .align 4 .b8 l[8];\n"
                          "mul.wide.u32 %c, %t, 4;\nmov.u64 %l1, s;\nadd.u64 %l1, %l1, %c;\n"
                          "st.shared.u32 [%l1], %t;\nst.local.u32 [l+4], %t;\n"
                          "bar.sync 0;\nret;\n}\n";
  const auto program = two_buffers(ptx, counting(16), counting(4), 64);
  Machine machine(program);
  while (machine.warp({0, 0}).status == WarpStatus::Ready) {
    machine.step({0, 0}, nullptr);
  }
  const auto word = [&](std::uint32_t thread, std::uint64_t address) {
    const auto bytes = machine.read(0, thread, address, 4);
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.value().data(), 4);
    return value;
  };
  EXPECT_EQ(word(3, kSharedWindow + 20), 5U);
  EXPECT_EQ(word(3, kLocalWindow + 4), 3U);
  EXPECT_EQ(word(31, kLocalWindow + 4), 31U);
  EXPECT_FALSE(machine.read(0, 0, kSharedWindow + 126, 4).has_value());
  EXPECT_FALSE(machine.read(0, 0, kGlobalWindow + 14, 4).has_value());
  EXPECT_FALSE(machine.read(0, 0, 0, 4).has_value());
  EXPECT_TRUE(machine.read(0, 0, kGlobalWindow + 12, 4).has_value());
  EXPECT_EQ(machine.shared(0).size(), 128U);
}

// In its own space its address fits in a word; ptxas also refuses that for .global variables.
TEST(AddressOfAVariable, FitsInA32BitRegister_WhereItsSpaceIsSmall) {
  const auto run = [](const std::string& space) {
    return run_to_the_end(
        two_buffers(header() + "." + space +
                        " .align 4 .b8 room[32];\nmov.u32 %r0, room;\nmov.u32 %r1, room+8;\n"
                        "sub.u32 %r2, %r1, %r0;\nst." +
                        space + ".u32 [%r1], %r2;\nld." + space +
                        ".u32 %r3, [room+8];\nst.global.u32 [%b], %r3;\nret;\n}\n",
                    counting(4), std::vector<std::byte>(16)));
  };
  for (const std::string space : {"local", "shared"}) {
    EXPECT_EQ(contents<std::uint32_t>(run(space), 1)[0], 8U) << space;
  }
}

// As on an H100: 1 KiB below the block's own arrays, of which 288 bytes are in use.
TEST(ReservedSharedMemory, LiesBelowTheArraysOfAKernelThatAsksForIt) {
  const auto kernel = [](const std::string& asks) {
    return header() + ".shared .align 4 .b8 s[128];\n.shared .align 4 .b8 t[64];\n" + asks +
           "mov.u32 %r3, s;\nst.shared.u32 [%r3], %t;\nmov.u32 %r4, t;\n"
           "st.shared.u32 [%r4], %t;\n"
           "st.global.v4.u32 [%b], {%r0, %r1, %r2, %r3};\nret;\n}\n";
  };
  const Machine with =
      run_to_the_end(two_buffers(kernel("mov.u32 %r0, %reserved_smem_offset_0;\n"
                                        "mov.u32 %r1, %reserved_smem_offset_end;\n"
                                        "mov.u32 %r2, %reserved_smem_offset_cap;\n"),
                                 counting(4), std::vector<std::byte>(16)));
  EXPECT_THAT(contents<std::uint32_t>(with, 1), testing::ElementsAre(0, 288, 1024, 1024 + 256))
      << "256 bytes further on than on a GPU, as every array";
  const Machine without =
      run_to_the_end(two_buffers(kernel(""), counting(4), std::vector<std::byte>(16)));
  EXPECT_EQ(contents<std::uint32_t>(without, 1)[3], 0U);
}

TEST(Parameters, CanBeReadByAddress) {
  const std::string ptx = header() +
                          "mov.b64 %c, a;\ncvta.param.u64 %d, %c;\nld.u64 %l0, [%d];\n"
                          "ld.param.u64 %l1, [%c+8];\nst.global.u64 [%b], %l0;\n"
                          "st.global.u64 [%b+8], %l1;\nret;\n}\n";
  const Machine machine = run_to_the_end(two_buffers(ptx, counting(4), std::vector<std::byte>(16)));
  EXPECT_EQ(contents<std::uint64_t>(machine, 1)[0], kGlobalWindow);
  EXPECT_EQ(contents<std::uint64_t>(machine, 1)[1], kGlobalWindow + kWindowBytes);
}

}  // namespace
}  // namespace tilestep::simt
