// Text and register reads of machine code, against nvdisasm's listings (CUDA 13.5) of the same code
// (scripts/sass_rows.py).
#include "compile/compiler.h"
#include "folders.h"
#include "ptx/sass/decode.h"
#include "ptx/sass/loops.h"
#include "support/catalog_launch.h"
#include "support/kept_outputs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <span>
#include <sstream>

namespace tilestep::ptx {
namespace {

const std::filesystem::path kRecorded =
    tilestep::test::source_folder() / "tests/ptx/sass_recorded.csv";
constexpr const char* kHead =
    "kernel,block_size,instructions,ffma,hmma,reads_even,reads_odd,reads_kept,reads_of_matrices,"
    "text";

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
  RegisterReader registers;
  const auto instructions = read_sass(code.code, code.architecture);
  for (const SassInstruction& instruction : instructions) {
    registers.add(instruction);
  }
  const RegisterReads& reads = registers.reads();
  return fmt::format("{},{},{},{},{},{},{},{},{},{}", kernel, block_size, instructions.size(),
                     reads.products, reads.matrix_products, reads.even, reads.odd, reads.kept,
                     reads.of_matrices, hash_of_text(code.code));
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
    if (const auto instruction = read_sass(low, high, offset); instruction.is_known()) {
      EXPECT_EQ(instruction.text(), text);
      ++known;
    } else {
      const std::size_t start = text.starts_with('@') ? text.find(' ') + 1 : 0;
      unknown.insert(text.substr(start, text.find_first_of(". ", start) - start));
    }
  }
  EXPECT_GT(known, 250);
  EXPECT_THAT(unknown, testing::ElementsAre("ATOMG", "BRX", "F2F", "HADD2", "HGMMA", "I2F", "REDUX",
                                            "RET", "SYNCS", "UTMALDG", "WARPGROUP"));
}

TEST(DecodeSass, AnUnknownBitIsNotIgnored) {
  // FFMA R64, R26, R52, R64
  EXPECT_TRUE(read_sass(0x000000341a407223, 0x000fe20000000040, 0x10).is_known());
  EXPECT_FALSE(read_sass(0x000000341a407223, 0x000fe21000000040, 0x10).is_known());
}

TEST(DecodeSass, FailsWithTheFirstInstructionThatIsNotKnown) {
  std::vector<std::byte> code(47);
  code[0] = code[16] = std::byte{0x23};  // FFMA of zeros
  EXPECT_TRUE(decode_sass(std::span(code).first(31))) << "code that is cut short ends there";
  code[28] = std::byte{0x10};
  const auto decoded = decode_sass(code);
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().message, testing::HasSubstr("The instruction at 0x10"));
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

}  // namespace
}  // namespace tilestep::ptx
