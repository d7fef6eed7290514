// Every known opcode is explained.
#include "problem/source/cuda_glossary.h"
#include "ptx/text/opcode_form.h"
#include "ptx/text/ptx_glossary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tilestep::ptx {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// The opcode must have its own row, not one that only begins like it: "bar.warp" is not "bar".
TEST(PtxGlossary, ExplainsEveryOpcodeThatIsUnderstood) {
  ASSERT_GT(opcode_rows().size(), 100U);
  std::set<std::string_view> forms;
  for (const OpcodeRow& row : opcode_rows()) {
    const OpcodeMeaning known = meaning_of_opcode(row.name);
    ASSERT_TRUE(known.is_known()) << row.name;
    EXPECT_TRUE(known.meaning.ends_with('.')) << row.name;
    EXPECT_THAT(known.section, StartsWith("PTX ISA 9.0, ")) << row.name;
    EXPECT_THAT(known.section, HasSubstr(" Instructions: ")) << row.name;
    forms.insert(known.form);
  }
  EXPECT_GT(forms.size(), 95U) << "a row each, but for words of one meaning";
}

TEST(PtxGlossary, NamesTheChapterOfTheTypes) {
  const auto section = [](std::string_view word) { return meaning_of_opcode(word).section; };
  EXPECT_EQ(section("add.s32"), "PTX ISA 9.0, Integer Arithmetic Instructions: add");
  EXPECT_EQ(section("add.rn.f32"), "PTX ISA 9.0, Floating-Point Instructions: add");
  EXPECT_EQ(section("fma.rn.f16x2"),
            "PTX ISA 9.0, Half Precision Floating-Point Instructions: fma");
  EXPECT_EQ(section("mad.lo.cc.u32"),
            "PTX ISA 9.0, Extended-Precision Integer Arithmetic Instructions: mad.cc");
  EXPECT_EQ(section("ld.global.nc.f32"),
            "PTX ISA 9.0, Data Movement and Conversion Instructions: ld.global.nc");
  EXPECT_EQ(section("ld.shared.v4.f32"),
            "PTX ISA 9.0, Data Movement and Conversion Instructions: ld");
  EXPECT_FALSE(meaning_of_opcode("nothing.u32").is_known());
  EXPECT_FALSE(meaning_of_opcode("").is_known());
}

TEST(PtxGlossary, SaysWhatTheWordsAfterAnOpcodeAdd) {
  EXPECT_EQ(meaning_of_modifiers("ld.shared.v4.f32"),
            ".shared: memory of the block; .v4: four elements");
  EXPECT_EQ(meaning_of_modifiers("mov.u32"), "");
}

TEST(PtxGlossary, FindsTheOpcodeInALine) {
  const std::string_view line = "\t@%p1 ld.shared.f32 \t%f1, [%r2+4];";
  const std::size_t at = line.find("ld");
  EXPECT_EQ(opcode_at(line, at), "ld.shared.f32");
  EXPECT_EQ(opcode_at(line, at + 12), "ld.shared.f32");
  EXPECT_EQ(opcode_at(line, at + 13), "") << "behind it";
  EXPECT_EQ(opcode_at(line, 2), "") << "the guard";
  EXPECT_EQ(opcode_at(line, line.find("%f1")), "");
  EXPECT_EQ(opcode_at("ret;", 0), "ret");
  EXPECT_EQ(opcode_at("$L__BB0_1:", 3), "");
  EXPECT_EQ(opcode_at("loop: add.s32 %r1, %r1, 1;", 1), "") << "a label";
  EXPECT_EQ(opcode_at("\t.reg .b32 %r<5>;", 2), "");
  EXPECT_EQ(opcode_at("", 0), "");
  EXPECT_EQ(opcode_at("\t@%p1", 3), "");
}

TEST(PtxGlossary, LeadsFromIntrinsicsToOpcodes) {
  EXPECT_EQ(opcode_of_intrinsic("__syncthreads"), "bar.sync");
  EXPECT_EQ(opcode_of_intrinsic("threadIdx"), "");
  std::size_t found = 0;
  for (const problem::CudaTerm& term : problem::cuda_terms()) {
    const std::string_view opcode = opcode_of_intrinsic(term.word);
    EXPECT_TRUE(opcode.empty() || meaning_of_opcode(opcode).is_known()) << term.word;
    found += opcode.empty() ? 0 : 1;
  }
  EXPECT_GT(found, 50U);
}

}  // namespace
}  // namespace tilestep::ptx
