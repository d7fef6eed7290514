// Origins of values and uses of elements.
#include "insight/trace/origin.h"

#include "insight/trace/accumulators.h"
#include "simulated.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace tilestep::insight {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Origins : public testing::Test {
 protected:
  std::shared_ptr<const record::Recording> recorded(const char* kernel, problem::Problem size,
                                                    int block_size, simt::Schedule schedule = {}) {
    return recorded(simulated_.program(kernel, size, block_size), schedule);
  }
  static std::shared_ptr<const record::Recording> recorded(
      std::shared_ptr<const simt::Program> program, simt::Schedule schedule = {}) {
    auto recording = record::Recording::make(std::move(program), schedule);
    if (!recording) {
      throw std::runtime_error(recording.error().message);
    }
    return *recording;
  }
  static Origin origin(const record::Recording& recording, const Question& question) {
    auto found = origin_of(recording, question);
    if (!found) {
      throw std::runtime_error(found.error().message);
    }
    return *found;
  }
  static std::vector<std::string> names(const record::Recording& recording,
                                        const std::vector<ElementRef>& elements) {
    std::vector<std::string> all;
    for (const ElementRef& element : elements) {
      all.push_back(name_of(recording.program(), element));
    }
    return all;
  }
  static ElementUses uses(const record::Recording& recording, const std::string& element) {
    auto found = uses_of(recording, element);
    if (!found) {
      throw std::runtime_error(found.error().message);
    }
    return *found;
  }

  test::Simulated simulated_;
};

TEST_F(Origins, OfASharedCellIsTheElementOfTheTileThatIsThere) {
  const auto run = recorded("tiled", {8, 8, 8}, 4);
  std::set<std::string> seen;
  for (const std::uint64_t k : run->statement_starts()) {
    const Origin of = origin(*run, {"As[2][3]", k, 1, 0});
    if (of.writer->written) {
      ASSERT_EQ(of.elements.size(), 1U);
      seen.insert(names(*run, of.elements)[0]);
      EXPECT_EQ(of.writer->thread, 2U * 4U + 3U);
    }
  }
  EXPECT_THAT(seen, ElementsAre("A[2][3]", "A[2][7]"));
}

// The TMA unit stores the pieces of a row in another order.
TEST_F(Origins, OfACellThatTheTmaUnitCopiedIsTheElement) {
  const auto run = recorded("warpgroup_tf32x3_teaching", {6, 8, 8}, 4);
  const auto of = [&](const char* cell) { return origin(*run, {cell, run->step_count(), 0, 0}); };
  EXPECT_THAT(names(*run, of("As[0][0][0]").elements), ElementsAre("A[0][0]"));
  EXPECT_THAT(names(*run, of("As[0][1][4]").elements), ElementsAre("A[1][0]"));
  EXPECT_THAT(names(*run, of("Bs[0][0][2][12]").elements), ElementsAre("B[2][4]"));
  EXPECT_EQ(of("As[0][1][4]").writer->thread, 0U);
  EXPECT_THAT(names(*run, of("As[0][6][0]").elements), ElementsAre()) << "below A are zeros";
  EXPECT_THAT(names(*run, of("Rs[0][1][4]").elements), ElementsAre("A[1][0]"));
}

// Three products of parts represent one: the small parts compensate for the cut-off bits.
TEST_F(Origins, OfASumOfTensorCoresAreTheProductsOfElements) {
  for (const auto& [kernel, columns] :
       {std::pair{"tensor_tf32x3_teaching", 16U}, std::pair{"warpgroup_tf32x3_teaching", 64U}}) {
    const auto run = recorded(kernel, {8, 8, 16}, 4);
    const Origin of = origin(*run, {"C[5][6]", run->step_count(), 0, 0});
    ASSERT_TRUE(of.sum) << kernel;
    EXPECT_TRUE(of.sum->complete) << kernel;
    std::vector<std::string> products;
    for (const Term& term : of.sum->terms) {
      if (term.a.launch_buffer == 0) {
        EXPECT_THAT(term.a.via, testing::StartsWith("As[")) << kernel;
        products.push_back(
            fmt::format("A[{}][{}]·B[{}][{}]", term.a.row, term.a.col, term.b.row, term.b.col));
      }
    }
    std::vector<std::string> wanted;
    for (int k = 0; k < 16; ++k) {
      wanted.push_back(fmt::format("A[5][{}]·B[{}][6]", k, k));
    }
    EXPECT_EQ(products, wanted) << kernel;
    EXPECT_EQ(uses(*run, "A[5][3]").products.size(), columns) << kernel << ": of the tile";
  }
}

// A block that is too large with them is followed without them.
TEST_F(Origins, ProductsOfTensorCoresAreLeftOutWhereTheyAreTooMany) {
  const auto run = recorded("warpgroup_tf32x3_teaching", {8, 64, 64}, 4);
  const BlockSums all(*run, 0);
  ASSERT_FALSE(all.is_too_large());
  const BlockSums few(*run, 0, 60'000);
  EXPECT_FALSE(few.is_too_large());
  EXPECT_EQ(few.sums().size(), all.sums().size());
  EXPECT_TRUE(all.factors());
  EXPECT_FALSE(few.factors());
}

TEST_F(Origins, OfACellOfTheResultIsItsSumAsExecuted) {
  const auto run = recorded("tiled", {8, 8, 8}, 4);
  const Origin of = origin(*run, {"C[5][6]", run->step_count(), 0, 0});
  ASSERT_TRUE(of.sum);
  ASSERT_EQ(of.sum->terms.size(), 8U);
  EXPECT_EQ(of.elements.size(), 16U);
  EXPECT_EQ(names(*run, of.elements)[0], "A[5][0]");
  EXPECT_EQ(names(*run, of.elements)[1], "B[0][6]");
  EXPECT_EQ(of.sum->terms[7].a.col, 7);
  EXPECT_EQ(of.writer->block, 3U);
  float held = 0.0F;
  std::memcpy(&held, run->state_at(run->step_count()).machine().buffer(2).data() + (5 * 8 + 6) * 4,
              sizeof held);
  EXPECT_EQ(of.value, held);
}

TEST_F(Origins, OfACellThatNobodyWroteIsItself) {
  const auto run = recorded("tiled", {8, 8, 8}, 4);
  const Origin of = origin(*run, {"A[1][2]", run->step_count(), 0, 0});
  EXPECT_FALSE(of.writer->written);
  EXPECT_THAT(names(*run, of.elements), ElementsAre("A[1][2]"));
  float given = 0.0F;
  std::memcpy(&given, run->program().launch().buffers[0].contents.data() + (8 + 2) * 4,
              sizeof given);
  EXPECT_EQ(of.value, given);
}

TEST_F(Origins, OfAVariableFollowTheStep) {
  const auto run = recorded("naive", {4, 4, 8}, 4);
  std::set<std::size_t> terms;
  for (const std::uint64_t k : run->statement_starts()) {
    const auto of = origin_of(*run, {"acc", k, 0, 6});
    if (of && of->sum) {
      terms.insert(of->sum->terms.size());
      EXPECT_EQ(of->elements.size(), 2 * of->sum->terms.size());
    }
  }
  EXPECT_THAT(terms, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_F(Origins, OfARegisterAreThoseItHoldsAtThatVeryStep) {
  const auto run = recorded("naive", {4, 4, 8}, 4);
  // Some register holds the element of A that thread (2,1) multiplies in each round.
  std::set<std::string> seen;
  const ptx::Function& entry = run->program().entry();
  for (std::uint64_t k = 0; k <= run->step_count(); ++k) {
    for (std::size_t r = 0; r < entry.registers.size(); ++r) {
      const auto of = origin_of(*run, {entry.register_names[r], k, 0, 6});
      if (of && !of->sum && of->elements.size() == 1) {
        seen.insert(names(*run, of->elements)[0]);
      }
    }
  }
  EXPECT_TRUE(seen.contains("A[1][5]"));
  EXPECT_TRUE(seen.contains("B[5][2]"));
  EXPECT_FALSE(seen.contains("A[2][5]"));
}

TEST_F(Origins, GoThroughRegisterTilesAndFloat4) {
  for (const char* kernel : {"register_tile_2d", "register_tile_vectorised", "float4_loads"}) {
    const auto run = recorded(kernel, {16, 16, 16}, 4);
    const Origin of = origin(*run, {"C[9][14]", run->step_count(), 0, 0});
    ASSERT_TRUE(of.sum) << kernel;
    ASSERT_EQ(of.sum->terms.size(), 16U) << kernel;
    for (int k = 0; k < 16; ++k) {
      const Term& term = of.sum->terms[static_cast<std::size_t>(k)];
      EXPECT_EQ(term.a.row, 9) << kernel;
      EXPECT_EQ(term.a.col, k) << kernel;
      EXPECT_EQ(term.b.row, k) << kernel;
      EXPECT_EQ(term.b.col, 14) << kernel;
    }
  }
}

TEST_F(Origins, SayWhatIsWrongWithAQuestion) {
  const auto run = recorded("tiled", {8, 8, 8}, 4);
  const auto wrong = [&](const Question& question) {
    const auto found = origin_of(*run, question);
    return found ? "no error" : found.error().message;
  };
  EXPECT_THAT(wrong({"As[4][0]", 5, 0, 0}), HasSubstr("is out of range"));
  EXPECT_THAT(wrong({"As[1]", 5, 0, 0}), HasSubstr("whole row"));
  EXPECT_THAT(wrong({"C[8][0]", 5, 0, 0}), HasSubstr("8 rows and 8 columns"));
  EXPECT_THAT(wrong({"D[0][0]", 5, 0, 0}), HasSubstr("D does not exist"));
  EXPECT_THAT(wrong({"acc", 5, 9, 0}), HasSubstr("blocks 0 to 3"));
  EXPECT_THAT(wrong({"acc", 5, 0, 16}), HasSubstr("threads 0 to 15"));
  EXPECT_THAT(wrong({"acc", 1'000'000, 0, 0}), HasSubstr("Step 1000000 does not exist"));
  EXPECT_THAT(wrong({"row", 400, 0, 0}), HasSubstr("integers"));
  EXPECT_THAT(wrong({"%nothing9", 5, 0, 0}), HasSubstr("does not have this register"));
}

TEST_F(Origins, UsesOfAnElementAreItsLoadsCellsProductsAndOutputs) {
  for (const auto kind : {simt::ScheduleKind::Lockstep, simt::ScheduleKind::Random}) {
    const auto run = recorded("tiled", {8, 12, 8}, 4, {kind, 0, 5});
    const ElementUses of = uses(*run, "A[5][6]");
    // One load, by the same thread, in each of the 3 neighboring blocks.
    ASSERT_EQ(of.loads.size(), 3U);
    ASSERT_EQ(of.puts.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(of.loads[i].block, 3U + i);
      EXPECT_EQ(of.loads[i].thread, 1U * 4U + 2U);
      EXPECT_EQ(of.puts[i].cell, "As[1][2]");
      EXPECT_GT(of.puts[i].step, of.loads[i].step);
    }
    // A[5][6]·B[6][0] to B[6][11], one each, all through As[1][2].
    ASSERT_EQ(of.products.size(), 12U);
    std::set<int> columns;
    for (const ElementUses::Product& product : of.products) {
      EXPECT_EQ(product.via, "As[1][2]");
      EXPECT_EQ(product.with.row, 6);
      columns.insert(product.with.col);
    }
    EXPECT_EQ(columns.size(), 12U);
    std::set<std::string> cells;
    for (const ElementUses::Output& output : of.outputs) {
      cells.insert(output.cell);
    }
    EXPECT_EQ(of.outputs.size(), 12U);
    EXPECT_EQ(cells.size(), 12U);
    EXPECT_TRUE(cells.contains("C[5][11]"));
    EXPECT_FALSE(cells.contains("C[4][11]"));
  }
}

TEST_F(Origins, UsesGoThroughRegisterTilesAndFloat4) {
  for (const char* kernel :
       {"register_tile_1d", "register_tile_2d", "register_tile_vectorised", "float4_loads"}) {
    const auto run = recorded(kernel, {16, 16, 16}, 4);
    const ElementUses of = uses(*run, "B[3][10]");
    EXPECT_EQ(of.products.size(), 16U) << kernel;  // one for each row of A
    EXPECT_EQ(of.outputs.size(), 16U) << kernel;
    EXPECT_EQ(of.loads.size(), of.puts.size()) << kernel;
  }
}

TEST_F(Origins, UsesOfTheNaiveKernelAreLoadsForEachProduct) {
  const auto run = recorded("naive", {4, 6, 5}, 4);
  const ElementUses of = uses(*run, "A[2][3]");
  EXPECT_EQ(of.loads.size(), 6U);
  EXPECT_EQ(of.products.size(), 6U);
  EXPECT_TRUE(of.puts.empty());
  EXPECT_EQ(of.outputs.size(), 6U);
}

TEST_F(Origins, UsesCountAsAllElementsTogetherDo) {
  // Every load of A, and every product, belongs to one element.
  const auto run = recorded("tiled", {5, 6, 7}, 4);
  std::size_t loads = 0;
  std::size_t products = 0;
  for (int row = 0; row < 5; ++row) {
    for (int col = 0; col < 7; ++col) {
      const ElementUses of = uses(*run, fmt::format("A[{}][{}]", row, col));
      loads += of.loads.size();
      products += of.products.size();
    }
  }
  EXPECT_EQ(loads, 5U * 7U * 2U);          // ⌈6 / 4⌉
  EXPECT_EQ(products, 5U * 7U * 2U * 4U);  // padding columns of B are multiplied, too
}

TEST_F(Origins, UsesFollowAtomicAdditions) {
  test::OwnKernel kernel;
  kernel.source = R"(
extern "C" __global__ void kernel(const float* x, float* y) {
  atomicAdd(&y[threadIdx.x / 4], 2.0f * x[threadIdx.x]);
})";
  kernel.block = {8, 1, 1};
  kernel.buffers = {{"x", 8}, {"y", 2}};
  const auto run = recorded(simulated_.program(test::launch_of(kernel)));
  const ElementUses of = uses(*run, "x[6]");
  ASSERT_EQ(of.outputs.size(), 1U);
  EXPECT_EQ(of.outputs[0].cell, "y[1]");
  EXPECT_EQ(of.outputs[0].thread, 6U);
}

TEST_F(Origins, UsesOfASharedCellAreRefused) {
  const auto run = recorded("tiled", {8, 8, 8}, 4);
  const auto found = uses_of(*run, "As[0][0]");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("element of a buffer"));
}

}  // namespace
}  // namespace tilestep::insight
