#include "ptx/model/module.h"
#include "ptx/text/parsed_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace tilestep::ptx::test {
namespace {

Module order_module(const std::string& statements) {
  Result<ParsedText> parsed = parse_text(fmt::format(
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n"
      ".shared .align 8 .b64 bar;\n.reg .pred %p<3>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
      "{}\nret;\n}}\n",
      statements));
  if (!parsed) {
    throw std::runtime_error(parsed.error().message);
  }
  return std::move(parsed->module);
}

Instruction first_instruction(const std::string& statement) {
  return order_module(statement).functions.at(0).instructions.at(0);
}

struct OrderCase {
  const char* text;
  MemoryOrder order;
  MemoryScope scope;
};
using OrderIs = MemoryOrder;
using ScopeIs = MemoryScope;

constexpr OrderCase kOrderCases[] = {
    {"ld.global.u32 %r1, [%rd1];", OrderIs::None, ScopeIs::None},
    {"ld.weak.global.u32 %r1, [%rd1];", OrderIs::Weak, ScopeIs::None},
    {"ld.volatile.global.u32 %r1, [%rd1];", OrderIs::Volatile, ScopeIs::None},
    {"ld.relaxed.cta.shared::cta.u32 %r1, [%rd1];", OrderIs::Relaxed, ScopeIs::Cta},
    {"ld.relaxed.cluster.global.u32 %r1, [%rd1];", OrderIs::Relaxed, ScopeIs::Cluster},
    {"ld.relaxed.gpu.global.u32 %r1, [%rd1];", OrderIs::Relaxed, ScopeIs::Gpu},
    {"@%p1 ld.acquire.sys.u32 %r1, [%rd1];", OrderIs::Acquire, ScopeIs::Sys},
    {"ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];", OrderIs::Relaxed, ScopeIs::Sys},
    {"st.volatile.shared.u32 [%rd1], %r1;", OrderIs::Volatile, ScopeIs::None},
    {"st.release.gpu.global.u32 [%rd1], %r1;", OrderIs::Release, ScopeIs::Gpu},
    {"atom.global.add.u32 %r1, [%rd1], %r2;", OrderIs::None, ScopeIs::None},
    {"atom.cta.add.u32 %r1, [%rd1], %r2;", OrderIs::None, ScopeIs::Cta},
    {"atom.acq_rel.sys.global.add.u32 %r1, [%rd1], %r2;", OrderIs::AcqRel, ScopeIs::Sys},
    {"red.release.gpu.global.add.u32 [%rd1], %r2;", OrderIs::Release, ScopeIs::Gpu},
    {"membar.cta;", OrderIs::None, ScopeIs::Cta},
    {"membar.gl;", OrderIs::None, ScopeIs::Gpu},
    {"membar.sys;", OrderIs::None, ScopeIs::Sys},
    {"fence.sc.gpu;", OrderIs::Sc, ScopeIs::Gpu},
    {"fence.acq_rel.cta;", OrderIs::AcqRel, ScopeIs::Cta},
    {"fence.acquire.cluster;", OrderIs::Acquire, ScopeIs::Cluster},
    {"fence.release.sys;", OrderIs::Release, ScopeIs::Sys},
    {"mbarrier.arrive.release.cta.shared::cta.b64 %rd1, [bar];", OrderIs::Release, ScopeIs::Cta},
};

TEST(MemoryOrder, IsDecodedWithItsScope) {
  for (const OrderCase& c : kOrderCases) {
    const Instruction instruction = first_instruction(c.text);
    EXPECT_NE(instruction.op, Opcode::Unknown) << c.text;
    EXPECT_EQ(instruction.order, c.order) << c.text;
    EXPECT_EQ(instruction.scope, c.scope) << c.text;
  }
}

TEST(MemoryOrder, IsSaidOnce) {
  EXPECT_EQ(first_instruction("ld.relaxed.acquire.gpu.u32 %r1, [%rd1];").op, Opcode::Unknown);
  EXPECT_EQ(first_instruction("ld.volatile.relaxed.gpu.u32 %r1, [%rd1];").op, Opcode::Unknown);
  EXPECT_EQ(first_instruction("ld.relaxed.gpu.sys.u32 %r1, [%rd1];").op, Opcode::Unknown);
}

TEST(StrongAccess, IsOneThatSaysSo) {
  for (const OrderCase& c : kOrderCases) {
    const Instruction instruction = first_instruction(c.text);
    EXPECT_EQ(is_strong(instruction), c.order != OrderIs::None && c.order != OrderIs::Weak)
        << c.text;
    const bool is_mmio = std::string(c.text).find(".mmio") != std::string::npos;
    EXPECT_EQ((instruction.flags & kMmio) != 0, is_mmio) << c.text;
  }
}

// Requirements of an opcode's row on its words.
TEST(OpcodeForm, IsUnknownWhenItSaysTooLittleOrTooMuch) {
  for (const char* const text :
       {"mul.s32 %r1, %r1, %r2;", "mad.lo.rn.s32 %r1, %r1, %r2, %r3;",
        "mul.wide.u64 %rd1, %rd1, %rd2;", "mul24.wide.s32 %r1, %r1, %r2;",
        "setp.s32 %p1, %r1, %r2;", "atom.global.u32 %r1, [%rd1], %r2;", "cvta.u64 %rd1, %rd2;",
        "div.rn.s32 %r1, %r1, %r2;", "div.f32 %r1, %r1, %r2;", "fma.f32 %r1, %r1, %r2, %r3;",
        "mad.f32 %r1, %r1, %r2, %r3;", "cvt.f32.s32 %r1, %r2;", "cvt.rn.s64.s32 %rd1, %r2;",
        "dp4a.s32 %r1, %r1, %r2, %r3;", "vabsdiff4.u32.u32.s32 %r1, %r1, %r2, %r3;",
        "shfl.sync.b32 %r1, %r1, 1, 31, -1;"}) {
    EXPECT_EQ(first_instruction(text).op, Opcode::Unknown) << text;
  }
  for (const char* const text :
       {"mul.lo.s32 %r1, %r1, %r2;", "mul.wide.u32 %rd1, %r1, %r2;", "mul24.hi.s32 %r1, %r1, %r2;",
        "setp.lt.s32 %p1, %r1, %r2;", "cvta.to.global.u64 %rd1, %rd2;", "div.s32 %r1, %r1, %r2;",
        "div.rn.f32 %r1, %r1, %r2;", "mad.rn.f32 %r1, %r1, %r2, %r3;", "cvt.rn.f32.s32 %r1, %r2;",
        "dp4a.s32.u32 %r1, %r1, %r2, %r3;", "vabsdiff4.u32.s32.s32 %r1, %r1, %r2, %r3;",
        "bar.red.popc.u32 %r1, 0, %p1;"}) {
    EXPECT_NE(first_instruction(text).op, Opcode::Unknown) << text;
  }
}

TEST(OpcodeText, IsTheOpcodeWithoutGuardAndOperands) {
  const Module module =
      order_module("@!%p1\tshfl.sync.down.b32 %r1|%p2, %r1, 1, 31, -1; bar.sync 0;");
  const Function& function = module.functions[0];
  EXPECT_EQ(opcode_text(module, function.instructions[0]), "shfl.sync.down.b32");
  EXPECT_EQ(opcode_text(module, function.instructions[1]), "bar.sync");
  EXPECT_EQ(opcode_text(module, function.instructions[2]), "ret");
}

}  // namespace
}  // namespace tilestep::ptx::test
