// Every equation that the window prints holds: read back and evaluated, over the whole catalog.
#include "catalog_launch.h"
#include "insight/trace/provenance.h"
#include "record/recording.h"
#include "simulated.h"
#include "ui/sum_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

namespace tilestep::ui {
namespace {

struct Evaluated {
  double sum = 0.0;    // of the terms, exactly
  double size = 0.0;   // of their magnitudes
  float fused = 0.0F;  // as float hardware adds them up
  float separate = 0.0F;
  std::string relation;
  float value = 0.0F;  // on the right
};

// "acc = 1 + 6·2 − 2·3·2 = 1": words between blanks, and factors between dots.
Evaluated evaluate(const std::string& line) {
  Evaluated e;
  std::istringstream words(line.substr(line.find('=') + 1));
  double sign = 1.0;
  for (std::string word; words >> word;) {
    if (word == "=" || word == "≈") {
      e.relation = word;
      words >> e.value;
    } else if (word == "+" || word == "−") {
      sign = word == "+" ? 1.0 : -1.0;
    } else {
      float product = static_cast<float>(sign);
      float last = 1.0F;
      std::istringstream factors(word);
      double exact = sign;
      for (float factor = 0.0F; factors >> factor;) {
        product *= last;
        last = factor;
        exact *= factor;
        factors.ignore(2);  // the dot, two bytes
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
  std::size_t open = 0;  // with terms that are no products
};

// All threads of two blocks, at every seventh statement and at the end.
Walked walk(const record::Recording& recording) {
  Walked walked;
  const std::string name = insight::accumulator_name(recording);
  const auto& program = recording.program();
  const auto threads =
      static_cast<std::uint32_t>(program.launch().block.x * program.launch().block.y);
  const std::uint32_t last = program.block_count() - 1;
  for (const std::uint32_t block : {0U, last}) {
    const insight::BlockAccumulations sums(recording, block);
    const auto starts = recording.statement_starts();
    for (std::size_t i = 0; i < starts.size() + 7; i += 7) {
      const std::uint64_t step = i < starts.size() ? starts[i] : recording.step_count();
      for (std::uint32_t thread = 0; thread < threads; ++thread) {
        const auto sum = sums.at(step, thread, name);
        if (!sum) {
          continue;
        }
        walked.open += sum->complete ? 0U : 1U;
        if (sum->complete) {
          expect_holds(sum_line(*sum));
          ++walked.equations;
        }
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
    // Odd sizes where the kernel takes them.
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
       {problem::Pattern::DistinctIntegers, problem::Pattern::Random}) {
    problem::InputSpec input;
    input.pattern = pattern;
    auto program = simulated_.program(launch(input));
    const auto recording = record::Recording::make(std::move(program), {});
    ASSERT_TRUE(recording) << recording.error().message;
    const Walked walked = walk(**recording);
    EXPECT_EQ(walked.open, 0U);
    RecordProperty("equations", static_cast<int>(walked.equations));
  }
}

// The compensated kernels: the sum itself, not the compensation.
TEST(KahanEquations, AreOfTheSumAndNotOfTheCompensation) {
  const auto recording =
      record::Recording::make(test::Simulated().program("pitched", {3, 33, 4}, 6), {});
  ASSERT_TRUE(recording);
  EXPECT_EQ(insight::accumulator_name(**recording), "t");
  EXPECT_GT(walk(**recording).equations, 0U);
}

INSTANTIATE_TEST_SUITE_P(Catalog, Equations, testing::ValuesIn([] {
                           std::vector<std::string> ids;
                           for (const auto& kernel : test::repository_catalog().kernels) {
                             ids.push_back(kernel.id);
                           }
                           return ids;
                         }()),
                         [](const auto& kernel) { return kernel.param; });

}  // namespace
}  // namespace tilestep::ui
