// Accesses and register reads of machine code, against nvdisasm's listings (CUDA 13.5) of the same
// code (scripts/sass_rows.py).
#include "ptx/sass/sass.h"

#include "compile/compiler.h"
#include "folders.h"
#include "ptx/sass/decode.h"
#include "support/catalog_launch.h"
#include "support/kept_outputs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

namespace tilestep::ptx {
namespace {

const std::filesystem::path kRecorded =
    tilestep::test::source_folder() / "tests/ptx/sass_recorded.csv";
constexpr const char* kHead =
    "kernel,block_size,instructions,ffma,lds32,lds64,lds128,sts32,sts64,sts128,ldg32,ldg64,ldg128,"
    "stg32,stg64,stg128,ldgsts32,ldgsts64,ldgsts128,guarded,hmma,reads_even,reads_odd,reads_kept,"
    "reads_of_matrices,text";

std::int64_t count(const Sass& sass, SassKind kind, int bits) {
  return std::ranges::count_if(sass.accesses, [kind, bits](const SassAccess& access) {
    return access.kind == kind && access.bits == bits;
  });
}

// FNV-1a of the decoded text of each instruction; "0" if one is not known. Those are the kernels
// of warpgroups, whose tensor and copy engine instructions are not decoded.
std::string hash_of_text(const std::vector<std::byte>& code) {
  const auto decoded = decode_sass(code);
  if (!decoded) {
    return "0";
  }
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const SassInstruction& instruction : *decoded) {
    for (const char c : instruction.text() + "\n") {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  return fmt::format("{:016x}", hash);
}

std::string row_of(const std::string& kernel, int block_size, const CubinKernel& code) {
  const Sass sass = read_sass(code);
  std::ostringstream row;
  row << kernel << "," << block_size << "," << sass.instructions << "," << sass.ffma;
  for (const SassKind kind : {SassKind::SharedLoad, SassKind::SharedStore, SassKind::GlobalLoad,
                              SassKind::GlobalStore, SassKind::AsyncCopy}) {
    for (const int bits : {32, 64, 128}) {
      row << "," << count(sass, kind, bits);
    }
  }
  row << ","
      << std::count_if(sass.accesses.begin(), sass.accesses.end(),
                       [](const SassAccess& access) { return access.is_guarded; });
  const RegisterReads& reads = sass.registers;
  row << "," << reads.matrix_products << "," << reads.even << "," << reads.odd << "," << reads.kept
      << "," << reads.of_matrices << "," << hash_of_text(code.code);
  return row.str();
}

class SassOf : public testing::Test {
 protected:
  void SetUp() override {
    const compile::NvrtcInfo nvrtc = compiler_.nvrtc();
    if (!nvrtc.found) {
      GTEST_SKIP() << nvrtc.why_not;
    }
  }

  CubinKernel kernel(const compile::Request& request) {
    const Result<compile::Output> output = compiler_.compile(request);
    EXPECT_TRUE(output && output->ok()) << (output ? output->log : output.error().message);
    last_ = output.value_or(compile::Output{});
    Result<CubinKernel> kernel = read_cubin(last_.cubin, last_.entry);
    EXPECT_TRUE(kernel) << (kernel ? "" : kernel.error().message);
    return kernel.value_or(CubinKernel{});
  }

  Sass own(const std::string& source, int architecture) {
    problem::Launch launch;
    launch.source_name = "own.cu";
    launch.source = source;
    launch.entry = "k";
    return read_sass(kernel(compile::make_cubin_request(launch, architecture)));
  }

  // `visit(id, block_size, kernel)` for the kernels of the catalog.
  void for_each_kernel(
      int architecture,
      const std::function<void(const std::string&, int block_size, const CubinKernel&)>& visit) {
    for (const problem::LaunchSpec& spec : tilestep::test::repository_catalog().kernels) {
      for (const int block_size : {8, 16, 32}) {
        const auto launch = tilestep::test::some_launch(spec, block_size);
        if (launch && tilestep::test::compiles_for(*launch, architecture)) {
          visit(spec.id, block_size, kernel(compile::make_cubin_request(*launch, architecture)));
        }
      }
    }
  }

  compile::Compiler compiler_{tilestep::test::kept_outputs()};
  compile::Output last_;
};

TEST_F(SassOf, TheCatalogIsWhatNvdisasmListed) {
  const compile::NvrtcInfo nvrtc = compiler_.nvrtc();
  if (nvrtc.major != 13 || nvrtc.minor != 0) {
    GTEST_SKIP() << "recorded for the code of NVRTC 13.0";
  }
  std::ifstream file(kRecorded);
  std::string line;
  ASSERT_TRUE(std::getline(file, line)) << kRecorded;
  EXPECT_EQ(line, kHead);
  for_each_kernel(90, [&](const std::string& id, int block_size, const CubinKernel& code) {
    ASSERT_TRUE(std::getline(file, line)) << id << " is not recorded: scripts/sass_rows.py";
    EXPECT_EQ(row_of(id, block_size, code), line);
  });
  EXPECT_FALSE(std::getline(file, line)) << line;
}

// tests/ptx/sass_forms.csv: bits 64–127, bits 0–63, offset, nvdisasm's text.
TEST(DecodeSass, WritesEveryFormAsNvdisasmDoes) {
  std::ifstream file(tilestep::test::source_folder() / "tests/ptx/sass_forms.csv");
  std::set<std::string> unknown;
  int known = 0;
  for (std::string line; std::getline(file, line);) {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint32_t offset = 0;
    char comma = 0;
    std::istringstream fields(line);
    fields >> std::hex >> high >> comma >> low >> comma >> std::dec >> offset >> comma;
    std::string text;
    std::getline(fields, text);
    if (const auto instruction = decode_sass(low, high, offset)) {
      EXPECT_EQ(instruction->text(), text);
      ++known;
    } else {
      const std::size_t start = text.starts_with('@') ? text.find(' ') + 1 : 0;
      unknown.insert(text.substr(start, text.find_first_of(". ", start) - start));
    }
  }
  EXPECT_GT(known, 250);
  EXPECT_THAT(unknown, testing::ElementsAre("HGMMA", "SYNCS", "UTMALDG", "WARPGROUP"));
}

TEST(DecodeSass, AnUnknownBitIsNotIgnored) {
  // FFMA R64, R26, R52, R64
  EXPECT_TRUE(decode_sass(0x000000341a407223, 0x000fe20000000040, 0x10));
  const auto changed = decode_sass(0x000000341a407223, 0x000fe21000000040, 0x10);
  ASSERT_FALSE(changed);
  EXPECT_THAT(changed.error().message, testing::HasSubstr("The instruction at 0x10"));
}

// For a comparison with nvdisasm: writes each cubin, named <kernel>-<block size>-<architecture>,
// and the rows of this reader, into the folder in TILESTEP_CUBINS.
TEST_F(SassOf, DISABLED_TheCatalogIsWrittenToAFolder) {
  const char* const folder = std::getenv("TILESTEP_CUBINS");
  ASSERT_NE(folder, nullptr);
  for (const int architecture : {80, 86, 89, 90, 100, 120}) {
    std::ofstream rows(std::string(folder) + "/rows-" + std::to_string(architecture) + ".csv");
    rows << kHead << "\n";
    for_each_kernel(
        architecture, [&](const std::string& id, int block_size, const CubinKernel& code) {
          rows << row_of(id, block_size, code) << "\n";
          const std::string name = id + "-" + std::to_string(block_size);
          std::ofstream(
              std::string(folder) + "/" + name + "-" + std::to_string(architecture) + ".cubin",
              std::ios::binary)
              << last_.cubin;
        });
  }
}

constexpr const char* kEveryWidth = R"(
extern "C" __global__ void k(char* g, short* h, float2* f2, double2* d2, int n) {
  __shared__ __align__(16) char s[4096];
  const int t = threadIdx.x;
  s[t] = g[t];
  reinterpret_cast<short*>(s)[t + 100] = h[t];
  reinterpret_cast<float2*>(s)[t + 99] = f2[t];
  reinterpret_cast<double2*>(s)[t + 77] = d2[t];
  __syncthreads();
  g[t + 1] = s[t + 5];
  h[t + 2] = reinterpret_cast<short*>(s)[t + 7];
  f2[t + 3] = reinterpret_cast<float2*>(s)[t + 2];
  d2[t + 2] = reinterpret_cast<double2*>(s)[t + 9];
  if (n > 7) { reinterpret_cast<int*>(s)[t] = n; }
})";

TEST_F(SassOf, EveryWidthIsTold) {
  for (const int architecture : {75, 80, 90, 100, 120}) {
    SCOPED_TRACE(architecture);
    const Sass sass = own(kEveryWidth, architecture);
    for (const int bits : {8, 16, 64, 128}) {
      EXPECT_EQ(count(sass, SassKind::GlobalLoad, bits), 1) << bits;
      EXPECT_EQ(count(sass, SassKind::GlobalStore, bits), 1) << bits;
      EXPECT_EQ(count(sass, SassKind::SharedLoad, bits), 1) << bits;
      EXPECT_EQ(count(sass, SassKind::SharedStore, bits), 1) << bits;
    }
    EXPECT_EQ(sass.count(SassKind::GlobalLoad), 4U);
    EXPECT_EQ(sass.ffma, 0U);
  }
}

TEST_F(SassOf, AsynchronousCopiesHaveTheirWidthOnEveryArchitecture) {
  const std::string source =
      "extern \"C\" __global__ void k(char* g) {"
      "  __shared__ __align__(16) char s[64];"
      "  unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(s));"
      "  asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(a), \"l\"(g));"
      "  asm volatile(\"cp.async.ca.shared.global [%0], [%1], 8;\" :: \"r\"(a + 16), \"l\"(g));"
      "  asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: \"r\"(a + 32), \"l\"(g));"
      "  asm volatile(\"cp.async.wait_all;\"); __syncthreads(); g[99] = s[threadIdx.x]; }";
  for (const int architecture : {80, 90, 100, 120}) {
    const Sass sass = own(source, architecture);
    for (const int bits : {32, 64, 128}) {
      EXPECT_EQ(count(sass, SassKind::AsyncCopy, bits), 1) << architecture << ": " << bits;
    }
  }
}

TEST_F(SassOf, AtomicsMatricesAndLocalArraysAreFound) {
  const std::string source =
      "extern \"C\" __global__ void k(int* g, int n) {"
      "  __shared__ __align__(16) int s[256]; int local[40];"
      "  for (int i = 0; i < n; ++i) local[(i * n) % 40] = g[i];"
      "  g[n] = atomicAdd(s + threadIdx.x, n); atomicAdd(g + threadIdx.x, local[n % 40]);"
      "  unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(s)), r0, r1, r2, r3;"
      "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\""
      "    : \"=r\"(r0), \"=r\"(r1), \"=r\"(r2), \"=r\"(r3) : \"r\"(a));"
      "  int* p = n & 1 ? s : g; p[n] = p[n + 3] + r0 + r1 + r2 + r3; }";
  for (const int architecture : {75, 90, 120}) {
    SCOPED_TRACE(architecture);
    const Sass sass = own(source, architecture);
    EXPECT_EQ(sass.count(SassKind::SharedAtomic), 1U);
    EXPECT_EQ(sass.count(SassKind::GlobalAtomic), 1U);
    EXPECT_EQ(count(sass, SassKind::MatrixLoad, 128), 1);
    EXPECT_GT(count(sass, SassKind::LocalStore, 32), 0);
    EXPECT_GT(count(sass, SassKind::LocalLoad, 32), 0);
    EXPECT_EQ(count(sass, SassKind::GenericLoad, 32), 1);
    EXPECT_EQ(count(sass, SassKind::GenericStore, 32), 1);
  }
}

TEST(Sass, CodeThatIsCutShortEndsThere) {
  CubinKernel kernel;
  kernel.architecture = 90;
  EXPECT_EQ(read_sass(kernel).instructions, 0U);
  kernel.code.assign(31, std::byte{0});
  EXPECT_EQ(read_sass(kernel).instructions, 1U);
}

}  // namespace
}  // namespace tilestep::ptx
