#include "insight/count/closed_form.h"

#include "insight/count/cost.h"
#include "problem/launch/expression.h"

namespace tilestep::insight {
namespace {

std::uint64_t counted(const std::string& quantity, const simt::Program& program,
                      const Profile& profile, const Cost& total) {
  if (quantity == "flops") {
    return total.flops;
  }
  if (quantity == "barriers") {
    return total_barriers(profile);
  }
  if (quantity == "shared loads") {
    return total.shared_loads.elements;
  }
  if (quantity == "shared stores") {
    return total.shared_stores.elements;
  }
  const std::vector<BufferCost> costs = cost_by_buffer(program, profile);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::string& name = program.launch().buffers[i].name;
    if (quantity == "loads of " + name) {
      return costs[i].loads.elements;
    }
    if (quantity == "stores of " + name) {
      return costs[i].stores.elements;
    }
  }
  return 0;
}

}  // namespace

Result<std::vector<ComparedForm>> compare_closed_forms(const problem::LaunchSpec& spec,
                                                       const simt::Program& program,
                                                       const Profile& profile) {
  std::vector<ComparedForm> forms;
  if (!program.launch().not_on_gpu.empty()) {
    return forms;
  }
  const Cost total = total_cost(program, profile);
  for (const problem::ClosedForm& form : spec.closed_forms) {
    const Result<std::int64_t> expected =
        problem::evaluate_expression(form.formula, program.launch().parameters);
    if (!expected) {
      return tl::unexpected(expected.error());
    }
    forms.push_back(
        {form.quantity, form.formula, *expected, counted(form.quantity, program, profile, total)});
  }
  return forms;
}

}  // namespace tilestep::insight
