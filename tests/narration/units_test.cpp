// Sentences about units: mbarriers, the TMA unit, tensor cores.
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
std::vector<std::string> sentences_of(const Narrated& narrated, std::uint32_t thread) {
  std::vector<std::string> all;
  for (const Narrated::Line& line : narrated.all(0, thread)) {
    all.push_back(line.text());
    for (const Sentence& note : line.narrated.notes) {
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
  const auto producer = sentences_of(narrated(), 0);
  EXPECT_THAT(producer, Contains("Thread 0 initializes full[0]: each phase needs 1 arrival."));
  EXPECT_THAT(producer, Contains("Thread 0 initializes empty[1]: each phase needs 128 arrivals."));
  EXPECT_THAT(producer,
              Contains("Thread 0 arrives at full[0], which then also expects 9,216 bytes."));
  EXPECT_THAT(producer, Contains("Thread 0 checks the phase before the first phase of empty[0]; "
                                 "that earlier phase counts as complete."));
  const auto splitter = sentences_of(narrated(), 32);
  EXPECT_THAT(splitter,
              Contains("64 threads arrive at ready[0], including thread 32: phase 1 is complete."));
  const auto multiplier = sentences_of(narrated(), 128);
  EXPECT_THAT(multiplier,
              Contains("Thread 128 checks whether phase 1 of full[0] is complete: it is."));
  EXPECT_THAT(multiplier, Contains("Thread 128 checks whether phase 1 of full[0] is complete: it "
                                   "is not, 4,096 bytes are missing, so the thread checks again."));
  EXPECT_THAT(multiplier, Contains("Thread 128 checks whether phase 1 of full[0] is complete: it "
                                   "is not, 1 arrival is missing, so the thread checks again."));
}

TEST_F(Warpgroups, TheTmaUnitCopiesBoxes) {
  const auto all = sentences_of(narrated(), 0);
  EXPECT_THAT(
      all,
      Contains("Thread 0 starts a TMA copy: a 8×32 box of A at A[0][0] into As[0], 1,024 bytes; "
               "it signals full[0] when done, and no thread waits."));
  EXPECT_THAT(
      all,
      Contains("Thread 0 starts a TMA copy: a 32×32 box of B at B[32][32] into Bs[1][1], 4,096 "
               "bytes; it signals full[1] when done, and no thread waits."));
  EXPECT_THAT(all, Contains("1,024 bytes requested by thread 0 have arrived in As[0]; full[0] "
                            "waits for 8,192 bytes."));
  EXPECT_THAT(all, Contains("4,096 bytes requested by thread 0 have arrived in Bs[0][1]: phase 1 "
                            "of full[0] is complete."));
}

TEST_F(Warpgroups, ABoxBeyondTheMatrixBringsZeros) {
  const Narrated odd("warpgroup_tf32x3_teaching", {6, 36, 8}, 4);
  const auto all = sentences_of(odd, 0);
  EXPECT_THAT(
      all,
      Contains("Thread 0 starts a TMA copy: a 6×8 box of A at A[0][0] into As[0], 1,024 bytes, "
               "with zeros past the end of A; it signals full[0] when done."));
}

TEST_F(Warpgroups, TensorCoresReadSharedMemoryWithoutConflicts) {
  const auto all = sentences_of(narrated(), 128);
  EXPECT_THAT(all, Contains("128 threads start a product on the tensor cores: 64×8 in registers by "
                            "8×8 of As[0], which starts new sums."));
  EXPECT_THAT(all, Contains("128 threads start a product on the tensor cores: 64×8 in registers by "
                            "8×8 of Rs[0], added to their sums."));
  EXPECT_THAT(all, Contains("The 12 products that were started are done."));
  EXPECT_THAT(all, Contains("Step 1 of 2: thread 128 reads 16 numbers of Bs; tensor cores read As "
                            "and Rs directly and compute 12,288 products for the thread's warp."));
  EXPECT_THAT(all, Not(Contains(HasSubstr("One read of As"))));
  EXPECT_THAT(all, Not(Contains(HasSubstr("One read of Rs"))));
}

TEST_F(Warpgroups, AWarpsProductGivesEachThreadItsSums) {
  const Narrated tensor("tensor_tf32x3_teaching", {8, 8, 8}, 4);
  EXPECT_THAT(
      sentences_of(tensor, 4),
      Contains(
          "Warp 0 multiplies matrices of 16×8 and 8×8 numbers on a tensor core: 1,024 products. "
          "Thread 4 gets the sums [1][0] = 46, [1][1] = −59, [9][0] = 87 and [9][1] = 26."));
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
  EXPECT_THAT(text, HasSubstr("Thread 128 added 32 products for C[0][0]: 0 → 303."));
  EXPECT_THAT(text, Not(HasSubstr("from 303 to 303")));
  EXPECT_THAT(text, HasSubstr("C[0][0] = 394 after 64 products."));
  EXPECT_THAT(text, HasSubstr("The TMA unit loaded 256 numbers of A and 2,048 numbers of B."));
  EXPECT_THAT(text, HasSubstr("Mbarriers: full, ready and empty initialized."));
  EXPECT_THAT(text, HasSubstr("64 arrivals at ready []"));
  EXPECT_THAT(text, HasSubstr("256 numbers of A by the TMA unit"));
  EXPECT_THAT(text, HasSubstr("of As by tensor cores"));
  EXPECT_THAT(text, HasSubstr("The tensor cores multiplied 12 pieces of 64×8 by 8×8"));
}

}  // namespace
}  // namespace tilestep::narration
