#include "problem/describe/description.h"

#include "problem/describe/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilestep::problem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kMinimal = R"toml(entry = "k"
grid = [1]
block = [32]
)toml";

std::string message(const std::string& toml) {
  const Result<LaunchSpec> spec = parse_description(toml, "my.toml");
  return spec ? "no error" : spec.error().message;
}

LaunchSpec parsed(const std::string& toml) {
  const Result<LaunchSpec> spec = parse_description(toml, "my.toml");
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  return spec.value_or(LaunchSpec{});
}

const std::string kCatalog = R"toml(
[[kernel]]
id = "k"
entry = "k"
grid = [1]
block = [32]
)toml";

TEST(Description, Presets_AreReadWithWhatTheyName) {
  const Result<Catalog> catalog = parse_descriptions(kCatalog + R"toml(
[[preset]]
id = "small"
title = "3×3"
summary = "One block."
problem = { M = 3, N = 4, K = 5 }
block_size = 3
input = { pattern = "csv", csv = "1, 2" }
[[preset]]
id = "plain"
problem = { M = 2, N = 2, K = 2 }
)toml",
                                                     "catalog.toml");
  ASSERT_TRUE(catalog) << catalog.error().message;
  ASSERT_EQ(catalog->presets.size(), 2U);
  const Preset& small = catalog->presets[0];
  EXPECT_EQ(small.title, "3×3");
  EXPECT_EQ(small.summary, "One block.");
  EXPECT_EQ(small.problem, (Problem{3, 4, 5}));
  EXPECT_EQ(small.block_size, 3);
  ASSERT_TRUE(small.input);
  EXPECT_EQ(small.input->csv, "1, 2");
  const Preset& plain = catalog->presets[1];
  EXPECT_EQ(plain.title, "plain");
  EXPECT_FALSE(plain.block_size);
  EXPECT_FALSE(plain.input);
}

TEST(Description, PresetsThatAreWrong_AreNamedWithTheirLine) {
  const auto wrong = [](const std::string& preset) {
    const auto catalog = parse_descriptions(kCatalog + "[[preset]]\n" + preset, "catalog.toml");
    return catalog ? "no error" : catalog.error().message;
  };
  EXPECT_THAT(wrong("id = \"a\"\n"), HasSubstr("catalog.toml:7: `problem` is missing"));
  EXPECT_THAT(wrong("problem = { M = 1 }\n"), HasSubstr("id"));
  EXPECT_THAT(wrong("id = \"a\"\nproblem = { M = 0 }\n"), HasSubstr("positive"));
  EXPECT_THAT(wrong("id = \"a\"\nproblem = { M = 1 }\nsize = 3\n"), HasSubstr("size"));
  EXPECT_THAT(wrong("id = \"a\"\nproblem = { M = 1 }\n[[preset]]\nid = \"a\"\n"
                    "problem = { M = 2 }\n"),
              HasSubstr("duplicate id 'a'"));
}

TEST(Description, EveryKey_IsRead) {
  const LaunchSpec spec = parsed(R"toml(
id = "mine"
title = "My kernel"
summary = "It multiplies."
family = "Mine"
timed = false
source = "mine.cu"
entry = "mine<float, BLOCK_SIZE>"
defines = { TILE = "BLOCK_SIZE", TWO = 2, SCALE = 0.5 }
grid = ["ceil_div(N, BLOCK_SIZE)", "ceil_div(M, BLOCK_SIZE)", 3]
block = "BLOCK_SIZE * BLOCK_SIZE"
dynamic_shared_bytes = "2 * BLOCK_SIZE * BLOCK_SIZE * 4"
buffers = [
  { name = "A", type = "f16", rows = "M", cols = "K", pitch = "K + 1", input = "ramp" },
  { name = "C", rows = "M", cols = 7, role = "inout", input = { pattern = "random", seed = 9 } },
]
arguments = ["A", { elements = "C", width = "N" }, 1.5, "2.5f", 3, "M * N"]
requirements = [
  { that = "M == N", otherwise = "Square only." },
  { that = "M % 4 == 0", where = "gpu", otherwise = "Multiples of 4." },
]
uses_block_size = false
default_block_size = 16
focus_thread = 128
default_problem = { M = 4, K = 6 }
reference = ""
[closed_forms]
"loads of A" = "M * K"
"barriers" = 2
)toml");
  EXPECT_EQ(spec.id, "mine");
  EXPECT_EQ(spec.title, "My kernel");
  EXPECT_EQ(spec.summary, "It multiplies.");
  EXPECT_EQ(spec.source_name, "mine.cu");
  EXPECT_EQ(spec.entry, "mine<float, BLOCK_SIZE>");
  EXPECT_EQ(spec.defines.at("TILE"), "BLOCK_SIZE");
  EXPECT_EQ(spec.defines.at("TWO"), "2");
  EXPECT_EQ(spec.defines.at("SCALE"), "0.5");
  EXPECT_THAT(spec.grid, ElementsAre("ceil_div(N, BLOCK_SIZE)", "ceil_div(M, BLOCK_SIZE)", "3"));
  EXPECT_THAT(spec.block, ElementsAre("BLOCK_SIZE * BLOCK_SIZE", "1", "1"));
  EXPECT_EQ(spec.dynamic_shared_bytes, "2 * BLOCK_SIZE * BLOCK_SIZE * 4");
  ASSERT_EQ(spec.buffers.size(), 2U);
  EXPECT_EQ(spec.buffers[0].type, ElementType::F16);
  EXPECT_EQ(spec.buffers[0].pitch, "K + 1");
  EXPECT_EQ(spec.buffers[0].input->pattern, Pattern::Ramp);
  EXPECT_EQ(spec.buffers[1].cols, "7");
  EXPECT_EQ(spec.buffers[1].role, BufferRole::InOut);
  EXPECT_EQ(spec.buffers[1].input->seed, 9U);
  ASSERT_EQ(spec.arguments.size(), 6U);
  EXPECT_EQ(spec.arguments[0].kind, ArgumentSpec::Kind::Buffer);
  ASSERT_EQ(spec.arguments[1].kind, ArgumentSpec::Kind::Struct);
  EXPECT_EQ(spec.arguments[1].members[0].name, "elements");  // as in the file, not sorted
  EXPECT_EQ(spec.arguments[1].members[0].value.buffer, "C");
  EXPECT_EQ(spec.arguments[1].members[1].value.expression, "N");
  EXPECT_EQ(spec.arguments[2].expression, "1.5");
  EXPECT_EQ(spec.arguments[3].expression, "2.5f");
  EXPECT_EQ(spec.arguments[5].expression, "M * N");
  EXPECT_EQ(spec.requirements[0].sentence, "Square only.");
  EXPECT_FALSE(spec.requirements[0].gpu_only);
  EXPECT_TRUE(spec.requirements[1].gpu_only);
  EXPECT_EQ(spec.family, "Mine");
  EXPECT_FALSE(spec.timed);
  EXPECT_FALSE(spec.uses_block_size);
  EXPECT_EQ(spec.default_block_size, 16);
  EXPECT_EQ(spec.focus_thread, 128U);
  EXPECT_EQ(spec.default_problem, (Problem{4, 8, 6}));
  EXPECT_EQ(spec.reference, "");
  ASSERT_EQ(spec.closed_forms.size(), 2U);
  EXPECT_EQ(spec.closed_forms[0].quantity, "loads of A");
  EXPECT_EQ(spec.closed_forms[0].formula, "M * K");
  EXPECT_EQ(spec.closed_forms[1].formula, "2");
}

TEST(Description, ClosedFormOfNothingThatIsCounted_IsRefused) {
  const auto wrong = [](const std::string& form) {
    const auto spec =
        parse_description("entry = \"e\"\ngrid = 1\nblock = 1\n[closed_forms]\n" + form, "my.toml");
    return spec ? "no error" : spec.error().message;
  };
  EXPECT_THAT(wrong("\"loads of A\" = 1\n"), HasSubstr("my.toml:5: 'loads of A' is not a counter"));
  EXPECT_THAT(wrong("\"cycles\" = 1\n"), HasSubstr("'cycles' is not a counter"));
  EXPECT_THAT(wrong("\"flops\" = \"M * Q\"\n"), HasSubstr("my.toml:5"));
}

TEST(Description, StructMembers_KeepTheirOrder) {
  const LaunchSpec spec = parsed(kMinimal + R"toml(
arguments = [{ width = "N", height = "M", elements = "K" }]
)toml");
  ASSERT_EQ(spec.arguments[0].members.size(), 3U);
  EXPECT_EQ(spec.arguments[0].members[0].name, "width");
  EXPECT_EQ(spec.arguments[0].members[2].name, "elements");
}

TEST(Description, UsesBlockSize_IsFoundOut) {
  EXPECT_FALSE(parsed(kMinimal).uses_block_size);
  EXPECT_TRUE(parsed("entry = \"k<BLOCK_SIZE>\"\ngrid = [1]\nblock = [32]\n").uses_block_size);
  EXPECT_TRUE(parsed("entry = \"k\"\ngrid = [1]\nblock = [\"BLOCK_SIZE\"]\n").uses_block_size);
  EXPECT_TRUE(parsed(kMinimal + "defines = { T = \"BLOCK_SIZE\" }\n").uses_block_size);
}

TEST(Description, UnknownKey_NamesItsLineAndTheNearestKnownOne) {
  EXPECT_EQ(message(kMinimal + "\ngrdi = [1]\n"),
            "my.toml:5: unknown key 'grdi'. Did you mean 'grid'?");
  EXPECT_EQ(message(kMinimal + "buffers = [{ name = \"A\", row = \"M\" }]\n"),
            "my.toml:4: unknown key 'row'. Did you mean 'rows'?");
  EXPECT_THAT(message(kMinimal + "xyzzy = 1\n"),
              StartsWith("my.toml:4: unknown key 'xyzzy'. Known keys: id, title,"));
}

TEST(Description, MissingKey_SaysWhatToAdd) {
  EXPECT_EQ(message("grid = [1]\nblock = [1]\n"),
            "my.toml:1: entry is missing. Add entry = \"…\".");
  EXPECT_THAT(message("entry = \"k\"\nblock = [1]\n"), HasSubstr("grid is missing. Add grid = "));
}

TEST(Description, WrongTypes_NameTheLine) {
  EXPECT_EQ(message("entry = 3\ngrid = [1]\nblock = [1]"),
            "my.toml:1: entry must be a string in quotes.");
  EXPECT_EQ(message(kMinimal + "uses_block_size = 1"),
            "my.toml:4: uses_block_size must be true or false.");
  EXPECT_EQ(message(kMinimal + "default_block_size = 0"),
            "my.toml:4: default_block_size must be a positive integer.");
  EXPECT_EQ(message(kMinimal + "default_block_size = \"4\""),
            "my.toml:4: default_block_size must be an integer.");
  EXPECT_THAT(message(kMinimal + "buffers = \"A\""), HasSubstr("must be an array of tables"));
  EXPECT_THAT(message(kMinimal + "buffers = [\"A\"]"), HasSubstr("must be a table"));
  EXPECT_THAT(message(kMinimal + "arguments = \"A\""), HasSubstr("must be an array"));
  EXPECT_THAT(message("entry = \"k\"\ngrid = []\nblock = [1]"), HasSubstr("one, two or three"));
  EXPECT_THAT(message("entry = \"k\"\ngrid = [1, 1, 1, 1]\nblock = [1]"), HasSubstr("one, two or"));
  EXPECT_THAT(message("entry = \"k\"\ngrid = [1.5]\nblock = [1]"),
              HasSubstr("a string in quotes or"));
}

TEST(Description, WrongWords_NameTheKnownOnes) {
  EXPECT_THAT(message(kMinimal + "buffers = [{ name = \"A\", type = \"float\" }]"),
              HasSubstr("unknown word 'float'. Known words: f16, bf16, f32"));
  EXPECT_THAT(message(kMinimal + "buffers = [{ name = \"A\", role = \"in\" }]"),
              HasSubstr(": input, output, inout."));
  EXPECT_THAT(message(kMinimal + "buffers = [{ name = \"A\", input = \"ones\" }]"),
              HasSubstr(": distinct, small, ramp"));
  EXPECT_THAT(message(kMinimal + "reference = \"conv\""), HasSubstr("unknown reference 'conv'"));
}

TEST(Description, WrongExpression_NamesTheLine) {
  EXPECT_THAT(message("entry = \"k\"\ngrid = [\"ceil_div(N, TILE)\"]\nblock = [1]"),
              StartsWith("my.toml:2: \"ceil_div(N, TILE)\" is not valid: unknown name 'TILE'"));
  EXPECT_THAT(
      message(kMinimal + "arguments = [\"D\"]"),
      HasSubstr("argument \"D\" is neither a buffer of this description nor an expression"));
}

TEST(Description, BufferNames_AreUniqueAndNotSizes) {
  EXPECT_THAT(message(kMinimal + "buffers = [{ name = \"A\" }, { name = \"A\" }]"),
              HasSubstr("the name 'A' is taken"));
  EXPECT_THAT(message(kMinimal + "buffers = [{ name = \"M\" }]"),
              HasSubstr("the name 'M' is taken"));
}

TEST(Description, OutputWithAnInput_IsRefused) {
  EXPECT_THAT(
      message(kMinimal + "buffers = [{ name = \"C\", role = \"output\", input = \"ramp\" }]"),
      HasSubstr("an output cannot have an `input"));
}

TEST(Description, CsvInput_NeedsItsTextOrFile) {
  EXPECT_THAT(message(kMinimal + "buffers = [{ name = \"A\", input = { pattern = \"csv\" } }]"),
              HasSubstr("needs either csv"));
  const LaunchSpec spec = parsed(
      kMinimal + "buffers = [{ name = \"A\", input = { pattern = \"csv\", csv = \"1,2\" } }]");
  EXPECT_EQ(spec.buffers[0].input->csv, "1,2");
}

TEST(Description, BrokenToml_NamesLineAndColumn) {
  EXPECT_THAT(message("entry = \"k\"\ngrid = [1\nblock = [1]\n"), StartsWith("my.toml:3:"));
  EXPECT_THAT(message("\xff\xfe"), StartsWith("my.toml:1:"));
}

TEST(Description, SeveralKernels_ComeInTheirOrder) {
  const std::string two =
      "[[kernel]]\nid = \"b\"\nentry = \"b\"\ngrid = [1]\nblock = [1]\n"
      "[[kernel]]\nid = \"a\"\nentry = \"a\"\ngrid = [1]\nblock = [1]\n";
  const Result<Catalog> catalog = parse_descriptions(two, "c.toml");
  ASSERT_TRUE(catalog);
  ASSERT_EQ(catalog->kernels.size(), 2U);
  EXPECT_EQ(catalog->kernels[0].id, "b");
  EXPECT_THAT(message(two), HasSubstr("my.toml describes 2 kernels, but must describe one"));
  const Result<Catalog> twice = parse_descriptions(two + two, "c.toml");
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("duplicate id 'b'"));
}

TEST(Description, OneKernelTable_ReadsAsTopLevelKeys) {
  EXPECT_EQ(parsed("[[kernel]]\n" + kMinimal).entry, parsed(kMinimal).entry);
}

TEST(Description, AnArrayOfNumbers_IsTheMembersOfAnArray) {
  const LaunchSpec spec = parsed(kMinimal + "arguments = [{ n = [1, \"2 * K\"], f = 2.5 }]\n");
  ASSERT_EQ(spec.arguments.size(), 1U);
  const ArgumentSpec& n = spec.arguments[0].members[0].value;
  ASSERT_EQ(n.members.size(), 2U);
  EXPECT_EQ(n.members[0].name, "0");
  EXPECT_EQ(n.members[0].value.expression, "1");
  EXPECT_EQ(n.members[1].name, "1");
  EXPECT_EQ(n.members[1].value.expression, "2 * K");
}

TEST(Description, AFileThatDoesNotSayWhatItHolds_IsAskedFor) {
  EXPECT_THAT(message(kMinimal + "buffers = [{ name = \"A\", input = { file = \"values\" } }]\n"),
              StartsWith("my.toml:4: file = \"values\" does not end in .csv or .npy"));
}

TEST(Description, AConstantBeyondFloat64_IsNotReplaced) {
  const auto with = [](const char* constant) {
    return kMinimal +
           "buffers = [{ name = \"A\", input = { pattern = \"constant\", constant = " + constant +
           " } }]\n";
  };
  EXPECT_EQ(parsed(with("123456789")).buffers[0].input->constant, 123456789.0);
  EXPECT_EQ(parsed(with("0.1")).buffers[0].input->constant, 0.1);
  EXPECT_THAT(message(with("9007199254740993")), HasSubstr("holds integers exactly up to 2^53"));
}

TEST(Description, TooDeepNesting_SpeaksOfNoLibrary) {
  const std::string deep = message(kMinimal + "x = " + std::string(400, '[') + "\n");
  EXPECT_THAT(deep, HasSubstr("nest"));
  EXPECT_THAT(deep, testing::Not(HasSubstr("TOML_")));
}

const std::string kTiles = R"toml(
[[kernel]]
id = "k"
title = "Tiles"
entry = "k<BM, BN, N % 4 == 0 ? 4 : 1>"
grid = ["ceil_div(N, BN)"]
block = ["BM"]
dynamic_shared_bytes = "4 * BM * BN"
arguments = ["A", "BM + K"]
buffers = [{ name = "A", rows = "BM", cols = "K" }]
requirements = [{ that = "K % BM == 0", otherwise = "BM must divide K." }]
closed_forms = { "flops" = "2 * BM * BN" }
)toml";

std::string catalog_message(const std::string& toml) {
  const Result<Catalog> catalog = parse_descriptions(toml, "c.toml");
  return catalog ? "no error" : catalog.error().message;
}

TEST(Instances, AreKernelsWithTheirNumbersInPlace) {
  const Result<Catalog> catalog = parse_descriptions(kTiles + R"toml(
instances = [
  { name = "tuned", ladder = true, values = { BM = 128, BN = 64 } },
  { name = "teaching", timed = false, default_problem = { M = 8, N = 8, K = 16 }, values = { BM = 8, BN = 4 } },
]
[[kernel]]
id = "BM"
entry = "BM"
grid = [1]
block = [32]
)toml",
                                                     "c.toml");
  ASSERT_TRUE(catalog) << catalog.error().message;
  ASSERT_EQ(catalog->kernels.size(), 3U);
  const LaunchSpec& tuned = catalog->kernels[0];
  EXPECT_EQ(tuned.id, "k");
  EXPECT_EQ(tuned.title, "Tiles");
  EXPECT_EQ(tuned.instance, "tuned");
  EXPECT_TRUE(tuned.ladder);
  EXPECT_TRUE(tuned.timed);
  EXPECT_EQ(tuned.entry, "k<128, 64, N % 4 == 0 ? 4 : 1>");
  const LaunchSpec& teaching = catalog->kernels[1];
  EXPECT_EQ(teaching.id, "k_teaching");
  EXPECT_EQ(teaching.title, "Tiles, teaching");
  EXPECT_FALSE(teaching.ladder);
  EXPECT_FALSE(teaching.timed);
  EXPECT_EQ(teaching.default_problem, (Problem{8, 8, 16}));
  EXPECT_EQ(teaching.entry, "k<8, 4, N % 4 == 0 ? 4 : 1>");
  EXPECT_EQ(teaching.grid[0], "ceil_div(N, 4)");
  EXPECT_EQ(teaching.block[0], "8");
  EXPECT_EQ(teaching.dynamic_shared_bytes, "4 * 8 * 4");
  EXPECT_EQ(teaching.arguments[1].expression, "8 + K");
  EXPECT_EQ(teaching.buffers[0].rows, "8");
  EXPECT_EQ(teaching.requirements[0].expression, "K % 8 == 0");
  EXPECT_EQ(teaching.requirements[0].sentence, "BM must divide K.");
  EXPECT_EQ(teaching.closed_forms[0].formula, "2 * 8 * 4");
  EXPECT_EQ(catalog->kernels[2].entry, "BM");  // the next kernel has no such names
}

TEST(Instances, WhatCannotBeIsRefusedWithItsLine) {
  EXPECT_EQ(catalog_message(kTiles + "instances = [{ name = \"a\", values = { BM = 0, BN = 1 } }]"),
            "c.toml:13: BM must be a positive integer.");
  EXPECT_EQ(catalog_message(kTiles + "instances = [{ name = \"a\", values = { K = 1 } }]"),
            "c.toml:13: a value cannot be called M, N, K or BLOCK_SIZE. Give it another name.");
  EXPECT_THAT(catalog_message(kTiles + "instances = [{ values = { BM = 1, BN = 1 } }]"),
              HasSubstr("c.toml:13: name is missing"));
  EXPECT_THAT(catalog_message(kTiles + "instances = [{ name = \"a\", value = { BM = 1 } }]"),
              HasSubstr("'value'"));
  EXPECT_THAT(catalog_message(kTiles + "instances = [{ name = \"a\", values = { BM = 1 } }]"),
              HasSubstr("BN"));  // without a number it is not a name in expressions
  const std::string same =
      "{ name = \"a\", values = { BM = 1, BN = 1 } }, { name = \"b\", values = { BM = 1, BN = 1 } "
      "}";
  EXPECT_THAT(catalog_message(kTiles + "instances = [" + same + ", " + same + "]"),
              HasSubstr("duplicate id 'k_b'"));
}

TEST(Instances, AreForTheCatalogAlone) {
  EXPECT_EQ(
      message(kMinimal + "instances = [{ name = \"a\", values = { BM = 1 } }]"),
      "my.toml:4: only a kernel of the catalog can have instances. Write the numbers instead.");
}

}  // namespace
}  // namespace tilestep::problem
