// Every equation that the window shows holds: parsed and evaluated, over the whole catalog.
#include "catalog_launch.h"
#include "insight/trace/accumulators.h"
#include "record/recording.h"
#include "simulated.h"
#include "ui/sum_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

namespace tilestep::ui {
namespace {

struct Evaluated {
  double sum = 0.0;    // of the terms, exactly
  double size = 0.0;   // of their magnitudes
  float fused = 0.0F;  // as float hardware adds them
  float separate = 0.0F;
  std::string relation;
  float value = 0.0F;  // on the right
};

// A number in the window's format: "(−7)", "1.5e−05". Nullopt if it is not a single number.
std::optional<float> number(std::string text) {
  if (text.starts_with('(') && text.ends_with(')')) {
    text = text.substr(1, text.size() - 2);
    if (!text.starts_with("−")) {
      return std::nullopt;
    }
  }
  EXPECT_EQ(text.find('-'), std::string::npos) << text;
  for (std::size_t at = text.find("−"); at != std::string::npos; at = text.find("−")) {
    text.replace(at, 3, "-");
  }
  std::istringstream in(text);
  float value = 0.0F;
  return in >> value && in.peek() == EOF ? std::optional(value) : std::nullopt;
}

// "acc = 1 + 6·2 − 2·3·2 = 1": words separated by blanks, factors separated by dots.
Evaluated evaluate(const std::string& line) {
  Evaluated e;
  std::istringstream words(line.substr(line.find('=') + 1));
  double sign = 1.0;
  for (std::string word; words >> word;) {
    if (word == "=" || word == "≈") {
      e.relation = word;
      words >> word;
      e.value = number(word).value();
    } else if (word == "+" || word == "−") {
      sign = word == "+" ? 1.0 : -1.0;
    } else {
      float product = static_cast<float>(sign);
      float last = 1.0F;
      const std::string dot = "·";
      double exact = sign;
      for (std::size_t from = 0; from < word.size();) {
        const std::size_t to = std::min(word.find(dot, from), word.size());
        const std::string text = word.substr(from, to - from);
        const bool is_factor = word.find(dot) != std::string::npos;
        EXPECT_TRUE(!is_factor || !text.starts_with("−")) << word << ": a sign runs into a dot";
        product *= last;
        last = number(text).value();
        exact *= last;
        from = to + dot.size();
      }
      e.sum += exact;
      e.size += std::abs(exact);
      e.fused = std::fma(product, last, e.fused);
      const float rounded = product * last;
      e.separate += rounded;
    }
  }
  return e;
}

void expect_holds(const std::string& line) {
  const Evaluated e = evaluate(line);
  if (e.relation == "=") {
    EXPECT_TRUE(e.fused == e.value || e.separate == e.value) << line;
  } else {
    EXPECT_EQ(e.relation, "≈") << line;
    EXPECT_NEAR(e.sum, e.value, 1e-5 * e.size) << line;
  }
}

struct Walked {
  std::size_t equations = 0;
  std::size_t open = 0;     // with terms that are not products
  std::size_t stored = 0;   // elements that store a sum of products
  std::size_t nowhere = 0;  // stored elements without a sum
};

// The sum's equation at a step, as printed in the strip and the inspector.
void check(const insight::BlockSums& sums, std::size_t sum, std::uint64_t step, Walked& walked) {
  const auto terms = sums.accumulation(sum, step);
  const insight::SumNow now = sums.now(sum, step);
  EXPECT_EQ(terms.has_value(), now.values > 0);
  if (!terms) {
    return;
  }
  if (std::isnan(now.value)) {  // a broken kernel adds something that is not an input
    EXPECT_TRUE(std::isnan(terms->value));
    return;
  }
  EXPECT_EQ(terms->value, now.value) << "the strip and the cell say the same";
  walked.open += terms->complete ? 0U : 1U;
  if (terms->complete && !terms->terms.empty()) {
    expect_holds(sum_line(*terms));
    ++walked.equations;
  }
}

// At the end the element equals the sum, or the text says otherwise. `held`: the element.
void check_end(const insight::BlockSums& sums, std::size_t sum, std::uint64_t end, float held,
               Walked& walked) {
  const insight::OwnedSum& owned = sums.sums()[sum];
  EXPECT_EQ(owned.kind, insight::SumKind::Products);
  const insight::SumNow now = sums.now(sum, end);
  EXPECT_TRUE(now.grown);
  EXPECT_TRUE(now.stored);
  if (!owned.atomic && !owned.overwritten) {
    EXPECT_TRUE(now.value == held || (std::isnan(now.value) && std::isnan(held))) << held;
    ++walked.stored;
  }
}

float element(const record::State& state, const insight::ElementRef& at) {
  const problem::Buffer& buffer = state.machine().program().launch().buffers[at.launch_buffer];
  float value = 0.0F;
  std::memcpy(&value,
              state.machine().buffer(at.launch_buffer).data() +
                  static_cast<std::size_t>(at.row * buffer.pitch + at.col) * sizeof value,
              sizeof value);
  return value;
}

// All sums of all threads of every block at the end; for two blocks at every seventh statement too.
Walked walk(const record::Recording& recording) {
  Walked walked;
  const std::uint32_t blocks = recording.program().block_count();
  const auto starts = recording.statement_starts();
  const record::State end = recording.state_at(recording.step_count());
  std::set<std::tuple<std::uint32_t, int, int>> landed;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const insight::BlockSums sums(recording, block);
    for (std::size_t sum = 0; sum < sums.sums().size(); ++sum) {
      const insight::ElementRef at = sums.sums()[sum].at;
      landed.insert({at.launch_buffer, at.row, at.col});
      if (recording.program().launch().buffers[at.launch_buffer].type ==
          problem::ElementType::S32) {
        continue;  // counters are integers, which are not followed
      }
      for (std::size_t i = 0; (block == 0 || block + 1 == blocks) && i < starts.size(); i += 7) {
        check(sums, sum, starts[i], walked);
      }
      check(sums, sum, recording.step_count(), walked);
      check_end(sums, sum, recording.step_count(), element(end, at), walked);
    }
  }
  const auto& buffers = recording.program().launch().buffers;
  for (std::uint32_t b = 0; b < buffers.size(); ++b) {
    for (int row = 0; row < buffers[b].rows; ++row) {
      for (int col = 0; col < buffers[b].cols; ++col) {
        const auto word = static_cast<std::uint64_t>(row * buffers[b].pitch + col);
        const bool stored = end.buffer_writer(b, word).written;
        walked.nowhere += stored && !landed.contains({b, row, col}) ? 1U : 0U;
      }
    }
  }
  return walked;
}

class Equations : public testing::TestWithParam<std::string> {
 protected:
  static problem::Launch launch(const problem::InputSpec& input) {
    const problem::LaunchSpec& spec = *test::repository_catalog().find(GetParam());
    const int block_size = spec.default_block_size;
    // Odd sizes if the kernel accepts them.
    for (const problem::Problem& size :
         {problem::Problem{3, 5, 4}, spec.default_problem.value_or(problem::Problem{8, 8, 8})}) {
      if (Result<problem::Launch> found = problem::evaluate(spec, {size, block_size}, input)) {
        return std::move(*found);
      }
    }
    throw std::runtime_error("no launch of " + GetParam());
  }

  test::Simulated simulated_;
};

TEST_P(Equations, Hold) {
  for (const problem::Pattern pattern :
       {problem::Pattern::SmallIntegers, problem::Pattern::Random}) {
    problem::InputSpec input;
    input.pattern = pattern;
    auto program = simulated_.program(launch(input));
    const auto recording = record::Recording::make(std::move(program), {});
    ASSERT_TRUE(recording) << recording.error().message;
    const Walked walked = walk(**recording);
    EXPECT_EQ(walked.open, 0U);
    EXPECT_EQ(walked.nowhere, 0U);
    EXPECT_GT(walked.equations, walked.stored);
    RecordProperty("equations", static_cast<int>(walked.equations));
  }
}

// The compensated kernels: the sum itself, not the compensation.
TEST(KahanEquations, AreOfTheSumAndNotOfTheCompensation) {
  const auto recording =
      record::Recording::make(test::Simulated().program("pitched", {3, 33, 4}, 6), {});
  ASSERT_TRUE(recording);
  EXPECT_EQ(insight::BlockSums(**recording, 0).common_name(), "t");
  EXPECT_GT(walk(**recording).equations, 0U);
}

// A tensor core adds products of elements if TF32 represents these exactly: for others no sum
// claims to be one. Every printed equation holds.
TEST(TensorEquations, AreOfProductsWhereTf32HoldsTheElements) {
  for (const char* kernel : {"tensor_tf32x3_teaching", "warpgroup_tf32x3_teaching"}) {
    for (const auto pattern : {problem::Pattern::SmallIntegers, problem::Pattern::Random}) {
      problem::InputSpec input;
      input.pattern = pattern;
      const auto recording = record::Recording::make(
          test::Simulated().program(test::launch_of(kernel, {8, 8, 8}, 4, input)), {});
      ASSERT_TRUE(recording);
      const insight::BlockSums sums(**recording, 0);
      ASSERT_FALSE(sums.sums().empty());
      Walked walked;
      for (std::size_t sum = 0; sum < sums.sums().size(); ++sum) {
        EXPECT_EQ(sums.sums()[sum].kind == insight::SumKind::Products,
                  pattern == problem::Pattern::SmallIntegers);
        for (const std::uint64_t start : (**recording).statement_starts()) {
          check(sums, sum, start, walked);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, Equations, testing::ValuesIn([] {
                           std::vector<std::string> ids;
                           for (const auto& kernel : test::repository_catalog().kernels) {
                             // Tensor cores are tested above. split_k stores 8,192 parts per block,
                             // which takes minutes: split_k_teaching is tested here.
                             if (!kernel.id.starts_with("tensor") &&
                                 !kernel.id.starts_with("warpgroup") && kernel.id != "split_k") {
                               ids.push_back(kernel.id);
                             }
                           }
                           return ids;
                         }()),
                         [](const auto& kernel) { return kernel.param; });

}  // namespace
}  // namespace tilestep::ui
