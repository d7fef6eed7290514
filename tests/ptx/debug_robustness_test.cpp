// Broken debug information costs variables their locations, but never affects the kernel or the
// process.
#include "ptx/debug_dump.h"
#include "ptx/debug_fixture.h"
#include "ptx/parse.h"

#include <random>

namespace tilestep::ptx::test {
namespace {

// A PTX file in lines, with the places of the lines of its debug sections' data.
struct Lines {
  std::vector<std::string> all;
  std::vector<std::size_t> debug_data;

  explicit Lines(const std::string& text) {
    bool in_section = false;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string line = text.substr(begin, end - begin);
      begin = end + 1;
      in_section = (in_section || line.find(".section") != std::string::npos) &&
                   line.find('}') == std::string::npos;
      if (in_section && line.starts_with(".b")) {
        debug_data.push_back(all.size());
      }
      all.push_back(line);
    }
  }

  [[nodiscard]] std::string text() const {
    std::string result;
    for (const std::string& line : all) {
      result += line + "\n";
    }
    return result;
  }
};

// Everything that reads debug information afterwards.
void use(const Module& module, const Module& original) {
  ASSERT_EQ(module.functions.size(), original.functions.size());
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    const Function& function = module.functions[f];
    ASSERT_EQ(function.instructions.size(), original.functions[f].instructions.size());
    for (std::uint32_t pc = 0; pc < function.instructions.size(); ++pc) {
      for (const std::uint32_t variable : visible_variables(function, pc)) {
        ASSERT_LT(variable, function.source_variables.size());
      }
    }
    for (const AssignmentEvent& event : function.events) {
      ASSERT_LT(event.variable, function.source_variables.size());
      ASSERT_LE(event.pc, function.instructions.size());
    }
    for (std::size_t s = 0; s < function.scopes.size(); ++s) {
      ASSERT_LE(function.scopes[s].parent, s);
    }
    for (const SourceVariable& variable : function.source_variables) {
      ASSERT_TRUE(variable.type == kNoType || variable.type < module.types.size());
      ASSERT_TRUE(variable.kind != LocationKind::Memory ||
                  variable.variable < module.variables.size());
    }
  }
  for (const SourceType& type : module.types) {
    ASSERT_TRUE(type.element == kNoType || type.element < module.types.size());
  }
  ASSERT_LT((dump_types(module) + dump_debug_info(module)).size(), 1U << 20U);
}

class Corruption {
 public:
  explicit Corruption(std::uint32_t seed) : random_(seed) {}

  void damage(Lines& lines) {
    const std::size_t place = lines.debug_data[pick(lines.debug_data.size())];
    std::string& line = lines.all[place];
    switch (pick(5)) {
      case 0:
        line = ".b8 " + std::to_string(pick(256));
        break;
      case 1:
        line.clear();
        break;
      case 2:
        line = lines.all[lines.debug_data[pick(lines.debug_data.size())]];
        break;
      case 3:
        line = ".b64 $L__tmp" + std::to_string(pick(40));
        break;
      default:
        line = ".b32 " + std::to_string(pick(600));
        break;
    }
  }

  std::size_t pick(std::size_t count) { return random_() % count; }

 private:
  std::mt19937 random_;
};

class CorruptDebugInfo : public ::testing::TestWithParam<std::string> {};

TEST_P(CorruptDebugInfo, IsReadAsFarAsItGoes) {
  const std::string text = read_text(debug_data(GetParam() + ".ptx"));
  const Module original = parse_or_throw(text);
  constexpr std::uint32_t kRounds = 150;
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    Lines lines(text);
    ASSERT_FALSE(lines.debug_data.empty());
    Corruption corruption(seed);
    for (std::size_t i = 0; i <= corruption.pick(8); ++i) {
      corruption.damage(lines);
    }
    const Result<Module> module = parse(lines.text());
    ASSERT_TRUE(module) << "seed " << seed << ": " << module.error().message;
    ASSERT_NO_FATAL_FAILURE(use(*module, original)) << "seed " << seed;
    Module target = debug_module(GetParam());
    loading::apply_probe(target, *module);  // a broken probe
    ASSERT_NO_FATAL_FAILURE(use(target, original)) << "seed " << seed;
  }
}

TEST_P(CorruptDebugInfo, MayEndAnywhere) {
  const std::string text = read_text(debug_data(GetParam() + ".ptx"));
  const Module original = parse_or_throw(text);
  const Lines whole(text);
  for (std::size_t cut = 0; cut < whole.debug_data.size(); cut += 37) {
    Lines lines = whole;
    for (std::size_t i = cut; i < whole.debug_data.size(); ++i) {
      lines.all[whole.debug_data[i]].clear();
    }
    const Result<Module> module = parse(lines.text());
    ASSERT_TRUE(module) << module.error().message;
    ASSERT_NO_FATAL_FAILURE(use(*module, original)) << "cut at " << cut;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, CorruptDebugInfo,
                         ::testing::Values("tiled", "aggregates", "inlined", "memory_probe"),
                         [](const auto& test) { return test.param; });

TEST(CorruptDebugInfo, LosesNoVariableWhenOnlyItsLocationIsUnknown) {
  std::string text = read_text(debug_data("tiled.ptx"));
  // The first entry of the first location list names a register that does not exist.
  const std::size_t list = text.find(".section\t.debug_loc");
  const std::size_t digits = text.find(".b8 177", list);
  ASSERT_NE(digits, std::string::npos);
  text.replace(digits, 7, ".b8 176");  // %f1 → %f0, which is never written
  text.replace(text.find(".b8 204", digits), 7, ".b8 252");
  const Module module = parse_or_throw(text);
  const SourceVariable& acc = variable_named(function_named(module, "matmul_tiled<4>"), "acc");
  EXPECT_EQ(acc.kind, LocationKind::Events);
  EXPECT_EQ(module.types[acc.type].name, "float");
}

}  // namespace
}  // namespace tilestep::ptx::test
