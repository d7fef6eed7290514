// Recorded launches, for queries about their sums.
#pragma once

#include "insight/trace/accumulators.h"
#include "simulated.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace tilestep::insight {

class Accumulators : public testing::Test {
 protected:
  std::shared_ptr<const record::Recording> record_program(
      std::shared_ptr<const simt::Program> program, const simt::Schedule& schedule = {}) {
    auto recording = record::Recording::make(std::move(program), schedule);
    if (!recording) {
      throw std::runtime_error(recording.error().message);
    }
    return *recording;
  }
  std::shared_ptr<const record::Recording> run(const std::string& kernel, problem::Problem size,
                                               int block_size,
                                               const simt::Schedule& schedule = {}) {
    return record_program(simulated_.program(kernel, size, block_size), schedule);
  }
  // A kernel with buffers A, B, C of floats, each with distinct values.
  std::shared_ptr<const record::Recording> run_own(const std::string& source, std::uint32_t threads,
                                                   int length, int outputs = 1) {
    test::OwnKernel kernel;
    kernel.source = source;
    kernel.block = {threads, 1, 1};
    kernel.buffers = {{"A", length}, {"B", length}, {"C", outputs}};
    problem::Launch launch = test::launch_of(kernel);
    for (std::size_t b = 0; b < 2; ++b) {
      for (int i = 0; i < length; ++i) {
        const float value = static_cast<float>(i % 7) - 2.0F + static_cast<float>(b);
        std::memcpy(launch.buffers[b].contents.data() + static_cast<std::size_t>(i) * 4, &value, 4);
      }
    }
    return record_program(simulated_.program(launch));
  }
  static std::set<std::string> homes(const BlockSums& sums, std::uint32_t thread) {
    std::set<std::string> names;
    const BlockSums::Range range = sums.of_thread(thread);
    for (std::size_t i = range.first; i < range.last; ++i) {
      names.insert(sums.sums()[i].home.name);
    }
    return names;
  }
  static double total(const Accumulation& sum) {
    double total = static_cast<double>(sum.initial);
    for (const Term& term : sum.terms) {
      total += term.times * static_cast<double>(term.a.value) * static_cast<double>(term.b.value);
    }
    return total;
  }
  // A float of a variable of a thread.
  static std::optional<float> held(const record::State& state, std::uint32_t block,
                                   std::uint32_t thread, const SumHome& home) {
    const auto value = state.variable(block, thread, home.variable);
    if (!value || value->bytes.size() < home.offset + 4) {
      return std::nullopt;
    }
    float number = 0.0F;
    std::memcpy(&number, value->bytes.data() + home.offset, sizeof number);
    const bool is_there = value->status == record::Value::Status::Ok ||
                          value->status == record::Value::Status::ThreadExited;
    return is_there ? std::optional(number) : std::nullopt;
  }
  // Each sum has the value of its home, at the end of every statement, and the terms that produce
  // it.
  static std::size_t compare_with_homes(const record::Recording& recording, std::uint32_t block) {
    const BlockSums sums(recording, block);
    record::State state = recording.state_at(0);
    std::size_t compared = 0;
    for (const std::uint64_t k : recording.statement_starts()) {
      state = recording.state_at(k, std::move(state));
      for (std::size_t i = 0; i < sums.sums().size(); ++i) {
        const OwnedSum& sum = sums.sums()[i];
        const SumNow now = sums.now(i, k);
        const auto value = held(state, block, sum.thread, sum.home);
        if (now.assigned && value) {
          EXPECT_EQ(now.value, *value) << sum.home.name << " at step " << k;
          ++compared;
        }
        const auto terms = sums.accumulation(i, k);
        EXPECT_EQ(terms.has_value(), now.values > 0);
        if (terms) {
          EXPECT_EQ(terms->value, now.value);
          EXPECT_EQ(total(*terms), static_cast<double>(now.value));
        }
      }
    }
    return compared;
  }

  test::Simulated simulated_;
};

}  // namespace tilestep::insight
