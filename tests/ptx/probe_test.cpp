// The probe: its place in a text, and its results.
#include "loading/probe.h"

#include "problem/source/cuda_scanner.h"
#include "ptx/debug_fixture.h"

#include <algorithm>

namespace tilestep::ptx::test {
namespace {

// A module that declares only these shared variables.
Module with_shared(const std::vector<std::string>& symbols) {
  Module module;
  for (const std::string& symbol : symbols) {
    MemoryVariable variable;
    variable.symbol = symbol;
    variable.space = Space::Shared;
    module.variables.push_back(variable);
  }
  return module;
}

std::string probe(const std::string& source,
                  const std::vector<std::string>& symbols = {"_ZZ1kvE2As", "_ZZ1kvE2Bs"}) {
  return loading::make_probe_source(source, with_shared(symbols));
}

TEST(ProbeSource, HasAPointerBehindTheDeclarationOnItsLine) {
  EXPECT_EQ(probe("__shared__ float As[4][4];\nint x;\n"),
            "__shared__ float As[4][4]; decltype(As)* As__tilestep_probe_0;\nint x;\n");
}

TEST(ProbeSource, HasOneForEachDeclarator) {
  EXPECT_EQ(probe("__shared__ float As[4], *Bs = 0;"),
            "__shared__ float As[4], *Bs = 0; decltype(As)* As__tilestep_probe_0; "
            "decltype(Bs)* Bs__tilestep_probe_1;");
}

TEST(ProbeSource, FollowsADeclarationOverLinesToItsEnd) {
  EXPECT_EQ(probe("__shared__\n float // As;\n As[4] /* ; */\n [5] ;\n"),
            "__shared__\n float // As;\n As[4] /* ; */\n [5] ; decltype(As)* "
            "As__tilestep_probe_0;\n");
}

TEST(ProbeSource, DoesNotLookIntoCommentsStringsAndNumbers) {
  EXPECT_EQ(probe("// __shared__ float As[4];\n/* __shared__ float As[4]; */\n"
                  "const char* s = \"__shared__ float As[4];\"; char c = '\\'';\n"
                  "const char* r = R\"x(__shared__ float As[4];)x\"; int n = 1'000;\n"),
            "");
}

TEST(ProbeSource, KeepsEveryLineWhereItWas) {
  const std::string source = read_text(debug_data("memory.cu"));
  const std::string probed = loading::make_probe_source(source, debug_module("memory"));
  EXPECT_EQ(std::count(probed.begin(), probed.end(), '\n'),
            std::count(source.begin(), source.end(), '\n'));
}

TEST(ProbeSource, DeclaresNothingForNamesThatAreNotShared) {
  EXPECT_EQ(probe("__shared__ float Cs[4]; float As[4];"), "");
  EXPECT_EQ(probe("__shared__ float As[4];", {"smem", "_Z1kv"}), "");
  EXPECT_EQ(probe("__shared__ float Cs[As];"), "");            // a constant of the same name
  EXPECT_EQ(probe("__shared__ float* Cs = (float*)As;"), "");  // an initializer
}

TEST(ProbeSource, LeavesExternArraysAlone) {
  EXPECT_EQ(probe("extern __shared__ float As[];"), "");
  EXPECT_EQ(probe("__shared__ extern float As[];"), "");
}

TEST(ProbeSource, KnowsMacrosThatDeclareShared) {
  const std::string macros =
      "#define SHARED __shared__\n#define TILE(T, name) \\\n  SHARED T name[4]\n";
  EXPECT_EQ(probe(macros + "TILE(float, As); SHARED int Bs;"),
            macros +
                "TILE(float, As); decltype(As)* As__tilestep_probe_0; SHARED int Bs; "
                "decltype(Bs)* Bs__tilestep_probe_1;");
}

TEST(ProbeSource, ReadsPastDirectivesInsideADeclaration) {
  EXPECT_EQ(probe("__shared__ float As\n#if BIG\n [8];\n#else\n [4];\n#endif\n"),
            "__shared__ float As\n#if BIG\n [8]; decltype(As)* As__tilestep_probe_0;\n#else\n "
            "[4];\n#endif\n");
}

TEST(ProbeSource, TakesStructuresDeclaredInPlaceAndBracedInitialisers) {
  EXPECT_EQ(probe("__shared__ struct { int As; float b; } Bs[3];"),
            "__shared__ struct { int As; float b; } Bs[3]; decltype(Bs)* Bs__tilestep_probe_0;");
}

TEST(ProbeSource, FindsStaticVariablesButNoStaticFunctions) {
  Module module;
  module.variables.push_back({});
  module.variables.back().symbol = "_ZZ1kvE5calls";
  module.variables.back().space = Space::Global;
  const std::string function = "static __device__ int f(int calls) { return calls; }\n";
  EXPECT_EQ(loading::make_probe_source(function + "static int calls[3] = {1, 2, 3};", module),
            function +
                "static int calls[3] = {1, 2, 3}; decltype(calls)* "
                "calls__tilestep_probe_0;");
}

TEST(ProbeSource, EndsQuietlyInATextThatIsCutShort) {
  for (const char* source :
       {"__shared__", "__shared__ float As[4", "__shared__ float As[4]", "__shared__ float (As",
        "/*", "R\"(", "\"", "#define", "#", "\\", "__shared__ } As;", "'"}) {
    EXPECT_EQ(probe(source), "") << source;
  }
}

TEST(ProbeName, IsReadBack) {
  const std::string name = loading::probe_name("As", 12);
  const auto read = loading::parse_probe_name(name);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->variable, "As");
  EXPECT_EQ(read->place, 12U);
  EXPECT_FALSE(loading::parse_probe_name("As"));
  EXPECT_FALSE(loading::parse_probe_name("As__tilestep_probe_"));
  EXPECT_FALSE(loading::parse_probe_name("As__tilestep_probe_1x"));
}

// The effect of an instruction, without the position of its text.
bool same_code(const Function& a, const Function& b) {
  return a.symbol == b.symbol && a.operands == b.operands &&
         std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(),
                    b.instructions.end(), [](const Instruction& x, const Instruction& y) {
                      return x.op == y.op && x.type == y.type && x.source_type == y.source_type &&
                             x.space == y.space && x.rounding == y.rounding &&
                             x.compare == y.compare && x.bool_op == y.bool_op && x.mode == y.mode &&
                             x.vector == y.vector && x.flags == y.flags && x.guard == y.guard &&
                             x.guard_negated == y.guard_negated &&
                             x.first_operand == y.first_operand &&
                             x.operand_count == y.operand_count && x.target == y.target;
                    });
}

TEST(Probe, HasTheSameCodeAsTheTextItMeasures) {
  for (const std::string name : {"tiled", "tiled_missing_barrier", "submatrix", "memory"}) {
    const Module module = debug_module(name);
    const Module probed = debug_module(name + "_probe");
    ASSERT_EQ(module.functions.size(), probed.functions.size()) << name;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      EXPECT_TRUE(same_code(module.functions[i], probed.functions[i]))
          << name << " " << module.functions[i].name;
    }
  }
}

TypeId type_of(const Module& module, const std::string& symbol) {
  for (const MemoryVariable& variable : module.variables) {
    if (variable.symbol == symbol) {
      return variable.type;
    }
  }
  throw std::runtime_error("no symbol " + symbol);
}

TEST(Probe, TypesVariablesBySymbolNotByName) {
  const Module module = probed_module("memory");
  auto name = [&](const char* symbol) { return module.types[type_of(module, symbol)].name; };
  EXPECT_EQ(name("_ZZ6memoryIfLi8EEvPT_iE2As"), "float[8][9]");
  EXPECT_EQ(name("_ZZ6memoryIfLi8EEvPT_iE2As_0"), "int[3]");
  EXPECT_EQ(name("_ZZ6memoryIfLi8EEvPT_iE2As_1"), "double");
  EXPECT_EQ(name("_ZZ11inlined_sumfE7partial"), "float[32]");
  EXPECT_EQ(name("_ZZ10called_sumfE7partial"), "float[16]");
  const SourceType& points = module.types[type_of(module, "_ZZ6memoryIfLi8EEvPT_iE6points")];
  EXPECT_EQ(points.name, "Pt[3][2]");
  const SourceType& point = module.types[module.types[points.element].element];
  ASSERT_EQ(point.members.size(), 2U);
  EXPECT_EQ(module.types[point.members[1].type].name, "int[2]");
}

TEST(Probe, GivesTypesToAModuleWithoutDebugInformation) {
  Module fast = debug_module("memory");  // as a fast build: no types, no scopes
  fast.types.clear();
  fast.globals.clear();
  for (MemoryVariable& variable : fast.variables) {
    variable.type = kNoType;
  }
  for (Function& function : fast.functions) {
    function.scopes.clear();
    function.source_variables.clear();
  }
  loading::apply_probe(fast, debug_module("memory_probe"));
  EXPECT_EQ(fast.types[type_of(fast, "_ZZ6memoryIfLi8EEvPT_iE2As")].name, "float[8][9]");
  EXPECT_EQ(fast.types[type_of(fast, "coef")].name, "float[8]");
  EXPECT_TRUE(function_named(fast, "memory<float, 8>").source_variables.empty());
}

TEST(Probe, OfAnotherSizeIsNotBelieved) {
  Module module = debug_module("tiled");
  for (MemoryVariable& variable : module.variables) {
    variable.bytes += 4;
  }
  loading::apply_probe(module, debug_module("tiled_probe"));
  EXPECT_EQ(type_of(module, "_ZZ12matmul_tiledILi4EEvPKfS1_PfiiiE2As"), kNoType);
  const SourceVariable& tile = variable_named(function_named(module, "matmul_tiled<4>"), "As");
  EXPECT_EQ(tile.kind, LocationKind::Memory);  // visible, as raw bytes
  EXPECT_EQ(tile.type, kNoType);
}

TEST(Probe, OfAnotherKernelChangesNothing) {
  Module module = debug_module("tiled");
  loading::apply_probe(module, debug_module("submatrix_probe"));
  EXPECT_EQ(type_of(module, "_ZZ12matmul_tiledILi4EEvPKfS1_PfiiiE2As"), kNoType);
}

}  // namespace
}  // namespace tilestep::ptx::test
