// Reconvergence points against the definition of a post-dominator, on random control flow.
#include "ptx/text/parsed_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tilestep::ptx::test {
namespace {

Function only_function(const std::string& body) {
  Result<ParsedText> parsed = parse_text(
      ".version 9.0\n.target sm_80\n.entry k()\n{\n.reg .pred %p;\n.reg .b32 %r;\n" + body + "}\n");
  if (!parsed) {
    ADD_FAILURE() << parsed.error().message << "\n" << body;
    return {};
  }
  return std::move(parsed->module.functions[0]);
}

// Possible successors of `pc`; size() is the end.
std::vector<std::uint32_t> successors(const Function& function, std::uint32_t pc) {
  const Instruction& instruction = function.instructions[pc];
  const auto end = static_cast<std::uint32_t>(function.instructions.size());
  std::vector<std::uint32_t> next;
  if (instruction.op == Opcode::Bra) {
    next.push_back(instruction.target);
  } else if (instruction.op == Opcode::BrxIdx) {
    next = function.branch_tables[instruction.target];
  } else if (instruction.op == Opcode::Ret) {
    next.push_back(end);
  } else {
    return {pc + 1};
  }
  if (instruction.guard != kNoGuard) {
    next.push_back(pc + 1);
  }
  return next;
}

// All pcs that can be reached from `from` without passing `without`.
std::vector<bool> reach(const Function& function, std::uint32_t from, std::uint32_t without) {
  const auto end = static_cast<std::uint32_t>(function.instructions.size());
  std::vector<bool> seen(end + 1, false);
  std::vector<std::uint32_t> open{from};
  while (!open.empty()) {
    const std::uint32_t pc = open.back();
    open.pop_back();
    if (pc == without || seen[pc]) {
      continue;
    }
    seen[pc] = true;
    if (pc < end) {
      for (const std::uint32_t next : successors(function, pc)) {
        open.push_back(next);
      }
    }
  }
  return seen;
}

// Whether every path from `pc` to the end passes `candidate`.
bool post_dominates(const Function& function, std::uint32_t candidate, std::uint32_t pc) {
  return !reach(function, pc, candidate)[function.instructions.size()];
}

// By the definition: the post-dominator that all other post-dominators of pc post-dominate.
std::uint32_t meeting_point(const Function& function, std::uint32_t pc) {
  const auto end = static_cast<std::uint32_t>(function.instructions.size());
  std::vector<std::uint32_t> all;
  for (std::uint32_t candidate = 0; candidate < end; ++candidate) {
    if (candidate != pc && post_dominates(function, candidate, pc)) {
      all.push_back(candidate);
    }
  }
  for (const std::uint32_t candidate : all) {
    if (std::all_of(all.begin(), all.end(), [&](std::uint32_t other) {
          return other == candidate || post_dominates(function, other, candidate);
        })) {
      return candidate;
    }
  }
  return kNoPc;
}

// Blocks of one to three instructions that end in any kind of branch to anywhere.
std::string random_body(std::minstd_rand& random) {
  const auto pick = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  const std::uint32_t blocks = 2 + pick(8);
  std::string body;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    body += fmt::format("L{}:\n", block);
    for (std::uint32_t i = 0; i <= pick(2); ++i) {
      body += "add.s32 %r, %r, 1;\n";
    }
    const std::uint32_t target = pick(blocks);
    switch (pick(6)) {
      case 0:
      case 1:
        body += fmt::format("@%p bra L{};\n", target);
        break;
      case 2:
        body += fmt::format("bra.uni L{};\n", target);
        break;
      case 3:
        body += pick(2) == 0 ? "@%p ret;\n" : "ret;\n";
        break;
      case 4:
        body += fmt::format("T{0}: .branchtargets L{1}, L{2}, L{1};\nbrx.idx %r, T{0};\n", block,
                            target, pick(blocks));
        break;
      default:
        break;
    }
  }
  return body;
}

TEST(Reconvergence, IsTheImmediatePostDominatorOnRandomControlFlow) {
  std::minstd_rand random(42);
  int compared = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string body = random_body(random);
    const Function function = only_function(body);
    const auto end = static_cast<std::uint32_t>(function.instructions.size());
    const std::vector<bool> live = reach(function, 0, kNoPc);
    for (std::uint32_t pc = 0; pc < end; ++pc) {
      const Instruction& instruction = function.instructions[pc];
      const bool may_diverge = instruction.op == Opcode::BrxIdx ||
                               (instruction.op == Opcode::Bra && instruction.guard != kNoGuard);
      // The definition does not apply if no path leads to the end.
      if (!may_diverge || !reach(function, pc, kNoPc)[end]) {
        continue;
      }
      // Nor does the reader's rule follow it if a path can stay in a loop forever.
      bool can_get_caught = false;
      const std::vector<bool> after = reach(function, pc, kNoPc);
      for (std::uint32_t other = 0; other < end; ++other) {
        can_get_caught = can_get_caught || (after[other] && !reach(function, other, kNoPc)[end]);
      }
      if (!can_get_caught) {
        EXPECT_EQ(instruction.reconverge, meeting_point(function, pc)) << body << "pc " << pc;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 2000);
}

TEST(Reconvergence, OfAnEndlessLoopLiesInsideTheLoop) {
  const Function function = only_function(
      "LOOP:\n@%p bra SKIP;\nadd.s32 %r, %r, 1;\nSKIP:\nadd.s32 %r, %r, 2;\nbra.uni LOOP;\n");
  EXPECT_EQ(function.instructions[0].reconverge, 2U);
}

TEST(Reconvergence, IsNotSoughtForBranchesThatAllLanesTake) {
  const Function function = only_function("bra.uni END;\nadd.s32 %r, %r, 1;\nEND:\nret;\n");
  EXPECT_EQ(function.instructions[0].reconverge, kNoPc);
}

TEST(ControlFlow, NeverRunsPastTheLastInstruction) {
  for (const char* body :
       {"", "add.s32 %r, %r, 1;\n", "@%p ret;\n", "bra.uni END;\nEND:\n",
        "T: .branchtargets END;\nbrx.idx %r, T;\nEND:\n", "@%p bra END;\nret;\nEND:\n"}) {
    const Function function = only_function(body);
    ASSERT_FALSE(function.instructions.empty()) << body;
    EXPECT_EQ(function.instructions.back().op, Opcode::Ret) << body;
    EXPECT_EQ(function.instructions.back().guard, kNoGuard) << body;
  }
}

}  // namespace
}  // namespace tilestep::ptx::test
