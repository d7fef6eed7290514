// Comparing profiles of launches.
#pragma once

#include "insight/count/counters.h"
#include "insight/count/profile.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tilestep::test {

// The class of every block, by linear index.
inline std::vector<std::size_t> class_of_blocks(const insight::Profile& profile,
                                                const simt::Program& program) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> classes(program.block_count(), kNone);
  for (std::size_t c = 0; c < profile.classes.size(); ++c) {
    for (const insight::BlockSet& set : profile.classes[c].where) {
      for (std::uint64_t i = 0; i < set.blocks(); ++i) {
        const problem::Dim3 n = problem::Dim3{set.count[0], set.count[1], set.count[2]}.at(i);
        const problem::Dim3 index{set.first[0] + n.x * set.step[0],
                                  set.first[1] + n.y * set.step[1],
                                  set.first[2] + n.z * set.step[2]};
        std::size_t& found = classes.at(program.launch().grid.linear(index));
        EXPECT_EQ(found, kNone) << "a block is in two classes";
        found = c;
      }
    }
  }
  return classes;
}

// A warp that waits for an mbarrier polls it repeatedly: the count depends on the schedule.
inline bool asks_mbarriers(const simt::Program& program) {
  for (const ptx::Function& function : program.module().functions) {
    for (const ptx::Instruction& i : function.instructions) {
      if (ptx::asks_mbarrier(i.mode)) {
        return true;
      }
    }
  }
  return false;
}

// The set of executed instructions does not depend on it.
inline void forget_counts(insight::BlockProfile& profile) {
  for (insight::Execution& e : profile.executions) {
    e = {e.spot, 0, 0, 0};
  }
}

inline void expect_same(const insight::Profile& a, const insight::Profile& b,
                        const simt::Program& program) {
  const std::vector<std::size_t> in_a = class_of_blocks(a, program);
  const std::vector<std::size_t> in_b = class_of_blocks(b, program);
  for (std::size_t block = 0; block < in_a.size(); ++block) {
    ASSERT_LT(in_a[block], a.classes.size()) << "block " << block << " is in no class";
    ASSERT_LT(in_b[block], b.classes.size()) << "block " << block << " is in no class";
    insight::BlockProfile of_a = a.classes[in_a[block]].profile;
    insight::BlockProfile of_b = b.classes[in_b[block]].profile;
    if (asks_mbarriers(program)) {
      forget_counts(of_a);
      forget_counts(of_b);
    }
    ASSERT_EQ(of_a, of_b) << "block " << block;
  }
  EXPECT_EQ(a.classes.size(), b.classes.size());
  ASSERT_EQ(a.reuse.size(), b.reuse.size());
  for (std::size_t buffer = 0; buffer < a.reuse.size(); ++buffer) {
    EXPECT_EQ(a.reuse[buffer].elements_by_reads, b.reuse[buffer].elements_by_reads)
        << "buffer " << buffer;
  }
}

inline void expect_counts(const insight::Profile& profile, const insight::Counters& counters,
                          const simt::Program& program) {
  insight::Counters sum;
  sum.buffers.resize(program.launch().buffers.size());
  for (const insight::BlockClass& c : profile.classes) {
    for (const insight::Execution& e : c.profile.executions) {
      sum.warp_instructions += e.instructions * c.blocks;
    }
    for (const insight::Access& a : c.profile.accesses) {
      const bool shared = a.target == insight::kSharedTarget;
      const bool load = a.kind == simt::AccessKind::Load;
      const bool store = a.kind == simt::AccessKind::Store;
      insight::AccessCounters& target = shared ? (load    ? sum.shared_loads
                                                  : store ? sum.shared_stores
                                                          : sum.shared_atomics)
                                               : (load    ? sum.global_loads
                                                  : store ? sum.global_stores
                                                          : sum.global_atomics);
      target.requests += a.traffic.requests * c.blocks;
      target.elements += a.traffic.threads * c.blocks;
      target.bytes += a.traffic.bytes * c.blocks;
      target.sectors += a.traffic.sectors * c.blocks;
      target.wavefronts += a.traffic.wavefronts * c.blocks;
      if (!shared && a.target != insight::kOtherTarget) {
        sum.buffers[a.target].loads += store ? 0 : a.traffic.elements * c.blocks;
        sum.buffers[a.target].stores += load ? 0 : a.traffic.elements * c.blocks;
      }
    }
  }
  if (!asks_mbarriers(program)) {
    EXPECT_EQ(sum.warp_instructions, counters.warp_instructions);
  }
  const auto expect_equal = [](const insight::AccessCounters& a, const insight::AccessCounters& b) {
    EXPECT_EQ(a.requests, b.requests);
    EXPECT_EQ(a.elements, b.elements);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.sectors, b.sectors);
    EXPECT_EQ(a.wavefronts, b.wavefronts);
  };
  expect_equal(sum.global_loads, counters.global_loads);
  expect_equal(sum.global_stores, counters.global_stores);
  expect_equal(sum.global_atomics, counters.global_atomics);
  expect_equal(sum.shared_loads, counters.shared_loads);
  expect_equal(sum.shared_stores, counters.shared_stores);
  expect_equal(sum.shared_atomics, counters.shared_atomics);
  for (std::size_t buffer = 0; buffer < sum.buffers.size(); ++buffer) {
    EXPECT_EQ(sum.buffers[buffer].loads, counters.buffers[buffer].loads);
    EXPECT_EQ(sum.buffers[buffer].stores, counters.buffers[buffer].stores);
    // A read of a row's padding is a load, but not a read of an element.
    const problem::Buffer& shape = program.launch().buffers[buffer];
    if (shape.pitch > shape.cols) {
      EXPECT_LE(profile.reuse[buffer].reads(), counters.buffers[buffer].loads);
    } else {
      EXPECT_EQ(profile.reuse[buffer].reads(), counters.buffers[buffer].loads);
    }
  }
}

}  // namespace tilestep::test
