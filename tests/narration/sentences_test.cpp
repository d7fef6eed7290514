// One sentence for each kind of statement, on real recordings.
#include "narrated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::narration {
namespace {

using test::line_of;
using test::Narrated;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::uint32_t kBlock = 1;   // (1,0)
constexpr std::uint32_t kThread = 6;  // (2,1)

// tiled, 8×8×8 in blocks of 4×4, and the odd 7×5×6.
class Tiled : public ::testing::Test {
 protected:
  [[nodiscard]] std::string at(const std::string& part, int nth = 0, bool odd = false) const {
    const Narrated& narrated = odd ? odd_ : even_;
    const std::string& text = narrated.recording().program().launch().source;
    return narrated.at_line(line_of(text, part), kBlock, kThread, nth);
  }
  Narrated even_{"tiled", {8, 8, 8}, 4};
  Narrated odd_{"tiled", {7, 5, 6}, 4};
};

TEST_F(Tiled, StartSaysWhoAndWhatFor) {
  EXPECT_EQ(even_.all(kBlock, kThread).front().text(),
            "4 blocks of 16 threads start. You follow thread (2,1) of block (1,0); it will compute "
            "C[1][6].");
  EXPECT_EQ(odd_.all(kBlock, kThread).front().text(),
            "4 blocks of 16 threads start. You follow thread (2,1) of block (1,0).");
}

TEST_F(Tiled, IndicesHaveTheThreadsNumbers) {
  EXPECT_EQ(at("void matmul_tiled"),
            "16 threads begin, all with the same arguments: M = 8, N = 8 and K = 8.");
  EXPECT_EQ(at("int tx ="),
            "Every thread reads its own index in the block: thread (2,1) has tx = 2.");
  EXPECT_EQ(at("int row ="), "Every thread computes its row: thread (2,1) has row = 0·4 + 1 = 1.");
  EXPECT_EQ(at("int col ="),
            "Every thread computes its column: thread (2,1) has col = 1·4 + 2 = 6.");
  EXPECT_EQ(at("int a_col =", 1), "Thread (2,1) loads from column 6 of A: a_col = 1·4 + 2 = 6.");
  EXPECT_EQ(at("int b_row =", 1), "Thread (2,1) loads from row 5 of B: b_row = 1·4 + 1 = 5.");
  EXPECT_EQ(
      at("int col =", 0, true),
      "Thread (2,1) has col = 1·4 + 2 = 6, which is out of range: the last column of C is 4.");
}

TEST_F(Tiled, LoopsSayWhichPassOfHowMany) {
  EXPECT_EQ(at("for (int t", 1),
            "Tile 1 (of tiles 0 to 1): columns 4 to 7 of A and rows 4 to 7 of B.");
  EXPECT_EQ(at("for (int t", 1, true),
            "Tile 1 (of tiles 0 to 1): columns 4 to 5 of A and rows 4 to 5 of B.");
  EXPECT_EQ(at("for (int t", 2), "Tile 1 was the last: t = 2 ends the loop.");
  EXPECT_EQ(at("for (int e", 2), "Next: product 3 of 4, column 2 of As and row 2 of Bs.");
  EXPECT_EQ(at("for (int e", 4), "All 4 products of this loop are added: e = 4 ends the loop.");
}

TEST_F(Tiled, LoadsSayWhatIsPaddedWithZeros) {
  EXPECT_EQ(
      at("As[ty][tx] ="),
      "16 threads copy 16 numbers of A into As. Thread (2,1) copies A[1][2] = −4 to As[1][2].");
  EXPECT_EQ(at("Bs[ty][tx] =", 0, true),
            "16 threads fill Bs: 4 numbers of B, 12 zeros past its edges. Thread (2,1) "
            "stores 0 in Bs[1][2].");
}

TEST_F(Tiled, BarriersSayWhatTheyMakeSafe) {
  EXPECT_EQ(at("__syncthreads();  // no thread multiplies"),
            "All 16 have arrived: As and Bs are complete and visible to the whole block.");
  EXPECT_EQ(at("__syncthreads();  // no thread loads"),
            "All 16 have finished with tile 0: As and Bs may be overwritten.");
  EXPECT_EQ(at("__syncthreads();  // no thread loads", 1),
            "All 16 have finished with tile 1. Nothing overwrites it: this wait was not needed.");
}

TEST_F(Tiled, ProductsAreAddedWithTheirNumbers) {
  EXPECT_EQ(at("acc +=", 1),
            "16 threads read a column of As and a row of Bs. Thread (2,1) adds 5·(−2) to 3: "
            "acc = −7.");
}

TEST_F(Tiled, TheGuardAndTheStoreSayWhoHasAnElement) {
  EXPECT_EQ(at("if (row < M"),
            "All 16 threads have an element to store: for thread (2,1), 1 < 8 and 6 < 8.");
  EXPECT_EQ(at("C[row * N"), "16 threads store their sums. Thread (2,1): C[1][6] = 25.");
  EXPECT_EQ(at("if (row < M", 0, true),
            "4 of 16 threads have an element to store; 12 do not. Thread (2,1) has none: 6 < 5 is "
            "false.");
  EXPECT_EQ(at("C[row * N", 0, true),
            "Thread (2,1) is inactive: 6 < 5 is false. Thread (0,0): C[0][4] = 63.");
}

TEST_F(Tiled, TheLineAboveCountsPassesAndLanes) {
  const std::string& text = odd_.recording().program().launch().source;
  for (const Narrated::Line& line : odd_.all(kBlock, kThread)) {
    if (line.line == line_of(text, "C[row * N")) {
      EXPECT_EQ(line.narrated.eyebrow.lanes, "12 of 16 lanes inactive");
      EXPECT_EQ(line.narrated.eyebrow.phase, "Phase 5 of 5");
      EXPECT_EQ(line.narrated.eyebrow.name, "write back");
      EXPECT_EQ(line.narrated.eyebrow.block, "block (1,0)");
    }
    if (line.line == line_of(text, "acc +=")) {
      EXPECT_THAT(line.narrated.eyebrow.pass, StartsWith("product "));
      EXPECT_THAT(line.narrated.eyebrow.pass, EndsWith(" of 4"));
      EXPECT_EQ(line.narrated.eyebrow.lanes, "");
    }
  }
}

TEST_F(Tiled, GuidesNameTheBufferThatTheIndexIsOf) {
  const std::string& text = even_.recording().program().launch().source;
  std::size_t seen = 0;
  for (const Narrated::Line& line : even_.all(kBlock, kThread)) {
    if (line.line == line_of(text, "int row =")) {
      ++seen;
      EXPECT_THAT(line.narrated.guides,
                  ::testing::UnorderedElementsAre(Guide{"row", Guide::Axis::Row, 0, 1},
                                                  Guide{"row", Guide::Axis::Row, 2, 1}));
    }
    if (line.line == line_of(text, "int col =")) {
      ++seen;
      EXPECT_THAT(line.narrated.guides,
                  ::testing::UnorderedElementsAre(Guide{"col", Guide::Axis::Column, 1, 6},
                                                  Guide{"col", Guide::Axis::Column, 2, 6}));
    }
    if (line.line == line_of(text, "int tx =")) {
      EXPECT_TRUE(line.narrated.guides.empty()) << "tx is an index of no matrix";
    }
  }
  EXPECT_EQ(seen, 2U);
}

TEST_F(Tiled, HuesSayWhoseNumberItIs) {
  const std::string& text = even_.recording().program().launch().source;
  for (const Narrated::Line& line : even_.all(kBlock, kThread)) {
    if (line.line != line_of(text, "acc +=")) {
      continue;
    }
    const Pieces& pieces = line.narrated.sentence.long_form;
    const auto hue = [&](const std::string& part) {
      const auto found = std::find_if(pieces.begin(), pieces.end(),
                                      [&](const Piece& p) { return p.text == part; });
      return found == pieces.end() ? Hue::None : found->hue;
    };
    EXPECT_EQ(hue("As"), Hue::FromA);
    EXPECT_EQ(hue("Bs"), Hue::FromB);
    EXPECT_EQ(hue("acc"), Hue::Sum);
    EXPECT_EQ(std::count_if(pieces.begin(), pieces.end(),
                            [](const Piece& p) { return p.hue == Hue::FromA; }),
              2)
        << "the array and the factor";
  }
}

// Characters of a text in UTF-8.
std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

TEST_F(Tiled, SentencesFitTheirLine) {
  for (const Narrated* const narrated : {&even_, &odd_}) {
    for (const Narrated::Line& line : narrated->all(kBlock, kThread)) {
      EXPECT_LE(characters(line.text()), 95U) << line.text();
      EXPECT_LE(characters(line.brief()), 45U) << line.brief();
    }
  }
}

TEST_F(Tiled, PhasesAreSummedUp) {
  const Narrator narrator(even_.recording(), kBlock);
  const insight::BlockSums sums(even_.recording(), kBlock);
  const PhaseSummary load = narrator.summarise(2, kThread, &sums);
  EXPECT_EQ(plain_text(load.sentence.long_form),
            "16 threads loaded 16 + 16 numbers, one from each array per thread. Each number will "
            "be read 4 times.");
  EXPECT_EQ(plain_text(load.moved),
            "Block (1,0) transferred 256 bytes to or from global memory in this phase and used 128 "
            "of them.");
  ASSERT_EQ(load.lines.size(), 3U);
  EXPECT_EQ(plain_text(load.lines[0].what), "16 loads of A and 16 stores to As");
  EXPECT_EQ(plain_text(load.lines[0].cost), "4 sectors");
  const PhaseSummary multiply = narrator.summarise(3, kThread, &sums);
  EXPECT_EQ(plain_text(multiply.sentence.long_form),
            "Each thread added 4 products: 128 reads of As and Bs, none of global memory.");
  EXPECT_EQ(plain_text(multiply.thread), "Thread (2,1) added 4 products for C[1][6]: −52 → 25.");
  const PhaseSummary write = narrator.summarise(4, kThread, &sums);
  EXPECT_EQ(plain_text(write.sentence.long_form), "16 threads stored C[0..3][4..7].");
  EXPECT_EQ(plain_text(write.thread), "C[1][6] = 25 after 8 products.");
}

TEST(Sentences, NaiveProductsNameTheirElements) {
  const Narrated narrated("naive", {8, 8, 8}, 4);
  EXPECT_EQ(narrated.at_line(15, kBlock, kThread, 1),
            "Thread (2,1) reads A[1][1] and B[1][6] from global memory and adds 5·(−2) to 3: acc = "
            "−7.");
}

TEST(Sentences, RegisterTilesCountTheirReadsAndProducts) {
  const Narrated narrated("register_tile_2d", {16, 16, 16}, 4);
  EXPECT_EQ(narrated.at_line(36, 0, kThread, 1),
            "Step 2 of 4: thread (2,1) reads 4 numbers of As and 4 of Bs and computes 16 products "
            "from them.");
  EXPECT_THAT(narrated.at_line(41, 0, kThread, 1), HasSubstr(" in a_reg[1]."));
  EXPECT_THAT(narrated.at_line(51, 0, kThread, 5), HasSubstr(", for C[5][6]: acc[1][1] = "));
}

TEST(Sentences, ACompensatedSumIsSumAndLoss) {
  const Narrated narrated("naive_1d_kahan", {8, 8, 8}, 4);
  EXPECT_EQ(narrated.at_line(20, kBlock, 2), "No rounding loss yet: y = 0 for thread 2.");
  EXPECT_EQ(narrated.at_line(25, kBlock, 2, 1),
            "t = −14 is the new sum of thread 2; y = 0 is minus the part that was lost.");
}

TEST(Sentences, CopiesStartAndLand) {
  const Narrated narrated("double_buffered", {8, 8, 8}, 4);
  EXPECT_EQ(
      narrated.at_line(19, kBlock, kThread, 2),
      "16 copies to As[1] start; no thread waits. Thread (2,1) copies A[1][6] = 7 to As[1][1][2].");
  EXPECT_EQ(narrated.at_line(25, kBlock, kThread),
            "Thread (2,1) does not have to wait: none of its copies is in flight.");
  EXPECT_EQ(narrated.at_line(25, kBlock, kThread, 2),
            "32 numbers have arrived in As[1] and Bs[1]. Thread (2,1) waited for As[1][1][2] = 7.");
}

TEST(Sentences, AWarpSplits) {
  const Narrated narrated("tiled_divergent_barrier", {7, 5, 6}, 4);
  EXPECT_EQ(narrated.at_line(27, kBlock, kThread),
            "Warp 0 diverges at line 27: 4 of 16 lanes take this branch, but thread (2,1) does "
            "not: 6 < 5 is false.");
}

TEST(Sentences, ARaceNamesTheLostValue) {
  simt::Schedule ahead;
  ahead.kind = simt::ScheduleKind::RunAhead;
  const Narrated narrated("tiled_missing_barrier", {8, 8, 8}, 4, ahead, 4);
  std::vector<std::string> races;
  for (const Narrated::Line& line : narrated.all(0, 4, true)) {
    if (line.narrated.sentence.kind == Kind::Race) {
      races.push_back(line.text());
    }
  }
  EXPECT_THAT(races, ::testing::Contains("Thread (0,0) has overwritten the 7 with 4; thread (0,1) "
                                         "reads the element only now: 3·4 instead of 3·7."));
}

// Values on stage are the focus thread's, so a sentence about another thread's would contradict
// them.
TEST(Sentences, AThreadWhoseWarpWaitsSaysSoAndNothingElse) {
  const Narrated narrated("tiled_missing_barrier", {8, 8, 8}, 4,
                          {.kind = simt::ScheduleKind::RunAhead}, 4);
  std::size_t waits = 0;
  for (const Narrated::Line& line : narrated.all(0, kThread)) {
    if (line.narrated.sentence.kind != Kind::Masked) {
      continue;
    }
    ++waits;
    EXPECT_THAT(line.text(), ::testing::MatchesRegex(
                                 "Thread \\(2,1\\) (waits at line [0-9]+|has left the kernel) "
                                 "while warp [023] runs line [0-9]+\\."));
    ASSERT_FALSE(line.narrated.notes.empty());
    EXPECT_THAT(plain_text(line.narrated.notes.front().long_form),
                ::testing::Not(HasSubstr("(2,1)")));
  }
  EXPECT_GT(waits, 10U);
}

TEST(Sentences, ConflictsAndWastedSectorsAreNotes) {
  const Narrated transposed("tiled_transposed", {16, 16, 16}, 16);
  const auto notes = [](const Narrated& narrated, std::uint32_t line) {
    for (const Narrated::Line& l : narrated.all(0, 0)) {
      if (l.line == line && !l.narrated.notes.empty()) {
        return plain_text(l.narrated.notes.front().long_form);
      }
    }
    return std::string{};
  };
  EXPECT_EQ(notes(transposed, 26),
            "One store to As, 32 words in 4 of 32 banks: up to 8 in the same bank take 8 passes.");
  EXPECT_EQ(notes(Narrated("naive_uncoalesced", {16, 16, 16}, 8), 19),
            "One read of A by 32 lanes accesses 8 sectors; the bytes read fit in 1.");
}

// Own kernels: no matrix products.
Narrated own(const std::string& source, int threads,
             std::vector<std::pair<std::string, int>> buffers,
             const char* architecture = problem::kUsualArchitecture) {
  test::OwnKernel kernel;
  kernel.source = source;
  kernel.block = {static_cast<std::uint32_t>(threads), 1, 1};
  kernel.buffers = std::move(buffers);
  problem::Launch launch = test::launch_of(kernel);
  launch.architecture = architecture;
  for (problem::Buffer& buffer : launch.buffers) {
    for (int i = 0; i < buffer.cols; ++i) {
      problem::store_element(buffer.type, i + 1, buffer.contents.data() + 4 * i);
    }
  }
  return Narrated(launch);
}

TEST(Sentences, ReductionsAddInSharedMemory) {
  const Narrated narrated =
      own("__global__ void kernel(const float* in, float* out) {\n"
          "  __shared__ float s[16];\n"
          "  int t = threadIdx.x;\n"
          "  s[t] = in[t];\n"
          "  __syncthreads();\n"
          "  for (int stride = 8; stride > 0; stride >>= 1) {\n"
          "    if (t < stride) {\n"
          "      s[t] += s[t + stride];\n"
          "    }\n"
          "    __syncthreads();\n"
          "  }\n"
          "  if (t == 0) out[0] = s[0];\n"
          "}\n",
          16, {{"in", 16}, {"out", 1}});
  EXPECT_EQ(narrated.at_line(6, 0, 1, 1), "Iteration 2 of 4: stride = 4 for thread 1.");
  EXPECT_EQ(narrated.at_line(8, 0, 1),
            "8 threads store 8 numbers in s. Thread 1: s[1] = 2 + 10 = 12.");
  EXPECT_EQ(narrated.at_line(8, 0, 1, 3),
            "Thread 1 is inactive: 1 < 1 is false. Thread 0: s[0] = 64 + 72 = 136.");
  EXPECT_EQ(narrated.at_line(6, 0, 1, 4), "Thread 1 leaves the loop: 0 > 0 is false.");
  EXPECT_THAT(narrated.at_line(12, 0, 1), HasSubstr("but thread 1 does not: 1 = 0 is false."));
  EXPECT_EQ(narrated.at_line(12, 0, 0), "Thread 0: out[0] = 136.");
}

TEST(Sentences, AtomicsOfVectors) {
  const Narrated narrated =
      own("__global__ void kernel(const float4* in, float4* out) {\n"
          "  atomicAdd(&out[threadIdx.x % 2], in[threadIdx.x]);\n"
          "}\n",
          4, {{"in", 16}, {"out", 8}}, "90");
  EXPECT_EQ(narrated.at_line(2, 0, 1),
            "2 threads, including thread 1, update out[4..7] one after the other: 5, 6, 7, 8 "
            "becomes 23, 26, 29, 32.");
}

TEST(Sentences, AtomicsShufflesPrintsAndReturns) {
  const Narrated narrated =
      own("#include <cstdio>\n"
          "__global__ void kernel(float* in, float* out) {\n"
          "  int i = threadIdx.x;\n"
          "  if (i >= 6) return;\n"
          "  float x = in[i];\n"
          "  x += __shfl_down_sync(0x3f, x, 2);\n"
          "  atomicAdd(&out[i % 2], x);\n"
          "  if (i == 1) {\n"
          "    printf(\"x is %g\\n\", x);\n"
          "  }\n"
          "}\n",
          8, {{"in", 8}, {"out", 2}});
  EXPECT_EQ(narrated.at_line(5, 0, 1), "Thread 1 keeps in[1] = 2 in x.");
  EXPECT_EQ(narrated.at_line(6, 0, 1),
            "Thread 1 reads 4 from a register of thread 3: x = 2 + 4 = 6.");
  EXPECT_EQ(narrated.at_line(7, 0, 1),
            "3 threads, including thread 1, update out[1] one after the other: 2 becomes 24.");
  EXPECT_EQ(narrated.at_line(9, 0, 1), "Thread 1 prints “x is 6”.");
  EXPECT_EQ(narrated.at_line(5, 0, 7),
            "Thread 7 took the other branch: 7 ≥ 6. Thread 0 keeps in[0] = 1 in x.");
}

// A value is kept in a register before it is overwritten: the barrier between is needed.
TEST(Sentences, BarriersOfAScanAndAHistogramMakeSomethingSafe) {
  const Narrated scan =
      own("__global__ void kernel(const float* in, float* out) {\n"
          "  __shared__ float s[16];\n"
          "  int t = threadIdx.x;\n"
          "  s[t] = in[t];\n"
          "  __syncthreads();\n"
          "  float before = t > 0 ? s[t - 1] : 0.0f;\n"
          "  __syncthreads();\n"
          "  s[t] += before;\n"
          "  __syncthreads();\n"
          "  out[t] = s[15 - t];\n"
          "}\n",
          16, {{"in", 16}, {"out", 16}});
  EXPECT_EQ(scan.at_line(7, 0, 1), "All 16 have finished reading s, which may now be overwritten.");
  const Narrated histogram =
      own("__global__ void kernel(const float* in, float* out) {\n"
          "  __shared__ int bins[16];\n"
          "  int t = threadIdx.x;\n"
          "  bins[t] = 0;\n"
          "  __syncthreads();\n"
          "  atomicAdd(&bins[15 - t], 1);\n"
          "  __syncthreads();\n"
          "  out[t] = bins[t] + in[t];\n"
          "}\n",
          16, {{"in", 16}, {"out", 16}});
  EXPECT_EQ(histogram.at_line(5, 0, 1),
            "All 16 have arrived: bins is complete and visible to the whole block.");
}

TEST(Sentences, IndicesAreNamedOnlyWhereTheyAreThoseOfEveryThread) {
  const Narrated samples("samples_loop", {8, 8, 8}, 4);
  const std::string& text = samples.recording().program().launch().source;
  EXPECT_THAT(samples.at_line(line_of(text, "int c ="), 0, 0),
              ::testing::StartsWith("Every thread computes c"));
  const Narrated flat("single_block_ktiles", {3, 3, 9}, 3);
  const std::string& other = flat.recording().program().launch().source;
  EXPECT_THAT(flat.at_line(line_of(other, "b_index ="), 0, 0, 1),
              ::testing::EndsWith("element 9 of B is B[3][0]."));
}

TEST(Sentences, ConditionsThatAreNotUnderstoodAreQuoted) {
  const Narrated narrated =
      own("struct Half {\n"
          "  int n;\n"
          "  __device__ bool holds(int i) const { return i < n; }\n"
          "};\n"
          "__global__ void kernel(const float* in, float* out) {\n"
          "  int t = threadIdx.x;\n"
          "  Half half{4};\n"
          "  if (half.holds(t)) {\n"
          "    out[t] = in[t];\n"
          "  }\n"
          "}\n",
          8, {{"in", 8}, {"out", 8}});
  EXPECT_EQ(narrated.at_line(8, 0, 5, 1),
            "Warp 0 diverges at line 8: 4 of 8 lanes take this branch, but thread 5 does not: "
            "half.holds(t) is false.");
}

TEST(Sentences, AThreadAddsWhatItReads) {
  const Narrated narrated =
      own("__global__ void kernel(const float* in, float* out) {\n"
          "  float sum = 0.0f;\n"
          "  for (int i = 0; i < 4; i++) {\n"
          "    sum += in[4 * threadIdx.x + i];\n"
          "  }\n"
          "  out[threadIdx.x] = sum;\n"
          "}\n",
          3, {{"in", 12}, {"out", 3}});
  EXPECT_EQ(narrated.at_line(4, 0, 2, 1), "Thread 2 reads in[9] = 10: sum = 9 + 10 = 19.");
  EXPECT_EQ(narrated.at_line(3, 0, 2, 1), "Iteration 2 of 4: i = 1 for thread 2.");
  EXPECT_EQ(narrated.at_line(6, 0, 2), "3 threads store 3 numbers in out. Thread 2: out[2] = 42.");
}

// A register without a name is not narrated as a variable.
// A filter's rows go on with the sum; a loop around that has its own statements may begin it anew.
TEST(Nest, ProductsAreCountedOverTheLoopAroundThatHasNothingElse) {
  problem::Launch launch = test::launch_of("convolution_naive", {4, 4, 3}, 4);
  const auto sixth = [&launch] {
    const std::uint32_t line = line_of(launch.source, "for (int j");
    return Narrated(launch).at_line(line, 0, 0, 5);
  };
  EXPECT_THAT(sixth(), StartsWith("Next: product 5 of 9"));
  const std::string inner = "for (int j";
  launch.source.insert(launch.source.find(inner), "acc += 0.0f;\n      ");
  EXPECT_THAT(sixth(), StartsWith("Next: product 2 of 3"));
}

TEST(FastBuild, IsToldWithoutItsVariables) {
  const Narrated fast(test::Simulated().program("tiled", {8, 8, 8}, 4, compile::Build::Fast));
  bool stores = false;
  for (const Narrated::Line& line : fast.all(kBlock, kThread)) {
    EXPECT_THAT(line.text(), ::testing::Not(HasSubstr("acc")));
    stores = stores || line.text().find("C[1][6] = ") != std::string::npos;
  }
  EXPECT_TRUE(stores);
}

}  // namespace
}  // namespace tilestep::narration
