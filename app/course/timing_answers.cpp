#include "course/timing_answers.h"

#include "problem/tr.h"

#include <array>
#include <utility>

namespace tilestep::course {
namespace {

Result<const timing::DataSet*> data_of(const Asked& asked) {
  const timing::UnreadDataSet* const dataset = asked.runs.tools().dataset;
  if (dataset == nullptr) {
    return fail(tr("There is no data set."));
  }
  const Result<timing::DataSet>& data = dataset->read();
  return data ? Result<const timing::DataSet*>(&*data) : tl::unexpected(data.error());
}

// time(KERNEL, N, BLOCK_SIZE), or time(KERNEL, M, N, K, BLOCK_SIZE); BLOCK_SIZE 0: it has none.
Result<const timing::Point*> point_of(const Asked& asked) {
  const std::string& kernel = name_of(asked, 0);
  const std::size_t count = argument_count(asked);
  if (count != 3 && count != 5) {
    return fail(tr("Write {0}(KERNEL, N, BLOCK_SIZE) or {0}(KERNEL, M, N, K, BLOCK_SIZE).",
                   asked.call.text));
  }
  std::array<int, 4> numbers{};
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const auto number = whole_number_of(asked, i + 1);
    if (!number) {
      return tl::unexpected(number.error());
    }
    numbers[i] = *number;
  }
  const bool is_square = count == 3;
  const problem::Problem size = is_square ? problem::Problem{numbers[0], numbers[0], numbers[0]}
                                          : problem::Problem{numbers[0], numbers[1], numbers[2]};
  const int block_size = is_square ? numbers[1] : numbers[3];
  const auto data = data_of(asked);
  if (!data) {
    return tl::unexpected(data.error());
  }
  const timing::Point* const point = (*data)->find(kernel, size, block_size);
  if (point == nullptr) {
    return fail(tr("The data set {} has no point of {} at {}×{}×{} with BLOCK_SIZE {}.",
                   (*data)->name, kernel, size.M, size.N, size.K, block_size));
  }
  return point;
}

Result<const timing::Point*> measured_point_of(const Asked& asked) {
  auto point = point_of(asked);
  if (point && (*point)->samples_ms.empty()) {
    return fail(tr("{} was not timed there: {}", (*point)->kernel, (*point)->note));
  }
  return point;
}

Result<Value> time_answer(const Asked& asked) {
  const auto point = measured_point_of(asked);
  return point ? Result<Value>(number_value((*point)->median_ms())) : tl::unexpected(point.error());
}

// On a warm L2 cache.
Result<Value> warm_time_answer(const Asked& asked) {
  const auto point = point_of(asked);
  if (!point) {
    return tl::unexpected(point.error());
  }
  if ((*point)->warm_samples_ms.empty()) {
    return fail(tr("{} was not timed on a warm cache there.", (*point)->kernel));
  }
  return number_value(timing::statistics((*point)->warm_samples_ms).median_ms);
}

// ceiling(dram_gb_s): what the GPU did at most.
Result<Value> ceiling_answer(const Asked& asked) {
  const auto data = data_of(asked);
  if (!data) {
    return tl::unexpected(data.error());
  }
  if (!(*data)->provenance.ceilings) {
    return fail(tr("The data set has no ceilings."));
  }
  const timing::Ceilings& ceilings = *(*data)->provenance.ceilings;
  const std::array<std::pair<const char*, double>, 5> known{{
      {"dram_gb_s", ceilings.dram_gb_s},
      {"l2_gb_s", ceilings.l2_gb_s},
      {"shared_gb_s", ceilings.shared_gb_s},
      {"ffma_gflops", ceilings.ffma_gflops},
      {"sms", ceilings.sms},
  }};
  const std::string& name = name_of(asked, 0);
  for (const auto& [word, number] : known) {
    if (name == word) {
      return number_value(number);
    }
  }
  return fail(tr("'{}' is no ceiling: dram_gb_s, l2_gb_s, shared_gb_s, ffma_gflops or sms.", name));
}

Result<Value> gflops_answer(const Asked& asked) {
  const auto point = measured_point_of(asked);
  return point
             ? Result<Value>(number_value(timing::gflops((*point)->problem, (*point)->median_ms())))
             : tl::unexpected(point.error());
}

// Per cent of cublasSgemm at the same size.
Result<Value> share_answer(const Asked& asked) {
  const auto point = measured_point_of(asked);
  if (!point) {
    return tl::unexpected(point.error());
  }
  const double of_cublas = (*data_of(asked))->median_ms(timing::kCublas, (*point)->problem, 0);
  if (!(of_cublas > 0.0)) {
    return fail(tr("The data set has no time of cuBLAS at this size."));
  }
  return number_value(100.0 * of_cublas / (*point)->median_ms());
}

// Whether C was right on the GPU, before timing and after.
Result<Value> verified_answer(const Asked& asked) {
  const auto point = point_of(asked);
  return point ? Result<Value>(yes_no_value((*point)->verified)) : tl::unexpected(point.error());
}

constexpr std::array kTimingAnswers = std::to_array<AnswerOf>({{"time", time_answer},
                                                               {"warm_time", warm_time_answer},
                                                               {"ceiling", ceiling_answer},
                                                               {"gflops", gflops_answer},
                                                               {"share", share_answer},
                                                               {"verified", verified_answer}});

}  // namespace

std::span<const AnswerOf> timing_answers() {
  return kTimingAnswers;
}

}  // namespace tilestep::course
