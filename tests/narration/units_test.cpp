// Sentences about units: mbarriers, the copy engine, tensor cores.
#include "narrated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::narration {
namespace {

using test::Narrated;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// The sentences and notes of a thread's run.
std::vector<std::string> told(const Narrated& narrated, std::uint32_t thread) {
  std::vector<std::string> all;
  for (const Narrated::Line& line : narrated.all(0, thread)) {
    all.push_back(line.text());
    for (const Sentence& note : line.told.notes) {
      all.push_back(plain_text(note.long_form));
    }
  }
  return all;
}

class Warpgroups : public ::testing::Test {
 protected:
  static const Narrated& narrated() {
    static const Narrated run("warpgroup_tf32x3_teaching", {8, 64, 64}, 4);
    return run;
  }
};

TEST_F(Warpgroups, MbarriersAreSetUpArrivedAtAndWaitedFor) {
  const auto producer = told(narrated(), 0);
  EXPECT_THAT(producer, Contains("Thread 0 sets up full[0]: each phase takes 1 arrival."));
  EXPECT_THAT(producer, Contains("Thread 0 sets up empty[1]: each phase takes 128 arrivals."));
  EXPECT_THAT(producer, Contains("Thread 0 arrives at full[0] and announces 9,216 bytes."));
  EXPECT_THAT(producer, Contains("Thread 0 asks for the phase before the first one of empty[0], "
                                 "which counts as over."));
  const auto splitter = told(narrated(), 32);
  EXPECT_THAT(splitter, Contains("64 threads arrive at ready[0], thread 32 too: phase 1 is over."));
  const auto multiplier = told(narrated(), 128);
  EXPECT_THAT(multiplier, Contains("Thread 128 asks whether phase 1 of full[0] is over: it is."));
  EXPECT_THAT(multiplier,
              Contains("Thread 128 asks whether phase 1 of full[0] is over: it is not, 4,096 bytes "
                       "are still to come, so it asks again."));
  EXPECT_THAT(multiplier,
              Contains("Thread 128 asks whether phase 1 of full[0] is over: it is not, 1 arrival "
                       "is still to come, so it asks again."));
}

TEST_F(Warpgroups, TheCopyEngineBringsBoxes) {
  const auto all = told(narrated(), 0);
  EXPECT_THAT(all, Contains("Thread 0 asks the copy engine for a box of 8×32 of A from A[0][0] "
                            "into As[0]: 1,024 bytes, told to full[0]; nobody waits."));
  EXPECT_THAT(all, Contains("Thread 0 asks the copy engine for a box of 32×32 of B from B[32][32] "
                            "into Bs[1][1]: 4,096 bytes, told to full[1]; nobody waits."));
  EXPECT_THAT(all, Contains("1,024 bytes have landed in As[0], asked for by thread 0; full[0] "
                            "waits for 8,192 bytes."));
  EXPECT_THAT(all, Contains("4,096 bytes have landed in Bs[0][1], asked for by thread 0: phase 1 "
                            "of full[0] is over."));
}

TEST_F(Warpgroups, ABoxBeyondTheMatrixBringsZeros) {
  const Narrated odd("warpgroup_tf32x3_teaching", {6, 36, 8}, 4);
  const auto all = told(odd, 0);
  EXPECT_THAT(all, Contains("Thread 0 asks the copy engine for a box of 6×8 of A from A[0][0] into "
                            "As[0], and zeros where A ends: 1,024 bytes, told to full[0]."));
}

TEST_F(Warpgroups, TensorCoresReadSharedMemoryWithoutConflicts) {
  const auto all = told(narrated(), 128);
  EXPECT_THAT(all, Contains("128 threads start a product on the tensor cores: 64×8 in registers by "
                            "8×8 of As[0]; their sums begin anew."));
  EXPECT_THAT(all, Contains("128 threads start a product on the tensor cores: 64×8 in registers by "
                            "8×8 of Rs[0], added to their sums."));
  EXPECT_THAT(all, Contains("The 12 products that were started are done."));
  EXPECT_THAT(all, Contains("Step 1 of 2: thread 128 reads 16 numbers of Bs; tensor cores read As "
                            "and Rs by themselves and make 12,288 products for its warp."));
  EXPECT_THAT(all, Not(Contains(HasSubstr("One read of As"))));
  EXPECT_THAT(all, Not(Contains(HasSubstr("One read of Rs"))));
}

TEST_F(Warpgroups, AWarpsProductGivesEachThreadItsSums) {
  const Narrated tensor("tensor_tf32x3_teaching", {8, 8, 8}, 4);
  EXPECT_THAT(told(tensor, 4),
              Contains("Warp 0 multiplies 16×8 by 8×8 numbers on a tensor core: 1,024 products. "
                       "Thread 4 gets the sums [1][0] = 46, [1][1] = −59, [9][0] = 87 and "
                       "[9][1] = 26."));
}

TEST_F(Warpgroups, APhasesCardTellsWhoReadAndStored) {
  const record::Recording& run = narrated().recording();
  const Narrator narrator(run, 0);
  const insight::BlockSums sums(run, 0);
  std::string text;
  for (std::size_t i = 0; i < run.phases_of(0).size(); ++i) {
    const PhaseSummary summary = narrator.summarise(i, 128, &sums);
    text += plain_text(summary.thread) + "\n";
    text += plain_text(summary.sentence.long_form) + "\n";
    for (const PhaseLine& line : summary.lines) {
      text += plain_text(line.what) + " [" + plain_text(line.cost) + "]\n";
    }
  }
  EXPECT_THAT(text,
              HasSubstr("Thread 128 took its sum for C[0][0] from 0 to 303 with 32 products."));
  EXPECT_THAT(text, Not(HasSubstr("from 303 to 303")));
  EXPECT_THAT(text, HasSubstr("C[0][0] = 394 took 64 products."));
  EXPECT_THAT(text, HasSubstr("The copy engine fetched 256 numbers of A and 2,048 numbers of B."));
  EXPECT_THAT(text, HasSubstr("Mbarriers: full, ready and empty set up."));
  EXPECT_THAT(text, HasSubstr("64 arrivals at ready []"));
  EXPECT_THAT(text, HasSubstr("256 numbers of A by the copy engine"));
  EXPECT_THAT(text, HasSubstr("of As by tensor cores"));
  EXPECT_THAT(text, HasSubstr("The tensor units multiplied 12 pieces of 64×8 by 8×8"));
}

}  // namespace
}  // namespace tilestep::narration
