#include "problem/words.h"
#include "ptx/text/ptx_glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace tilestep::ptx {
namespace {

struct Explained {
  std::string_view word;
  Message meaning;
};

// Words after the opcode.
constexpr Explained kModifierMeanings[] = {
    {"global", Message("memory of the whole grid")},
    {"shared", Message("memory of the block")},
    {"local", Message("memory of the thread")},
    {"const", Message("constant memory")},
    {"param", Message("parameters")},
    {"v2", Message("two elements")},
    {"v4", Message("four elements")},
    {"v8", Message("eight elements")},
    {"ca", Message("through L1 and L2")},
    {"cg", Message("through L2, not L1")},
    {"cs", Message("used once")},
    {"lo", Message("the low half")},
    {"hi", Message("the high half")},
    {"wide", Message("double width")},
    {"cc", Message("sets the carry")},
    {"rn", Message("rounded to nearest")},
    {"rna", Message("rounded to nearest, ties away from 0")},
    {"rz", Message("rounded toward 0")},
    {"rm", Message("rounded down")},
    {"rp", Message("rounded up")},
    {"rni", Message("to the nearest integer")},
    {"rzi", Message("to an integer, toward 0")},
    {"approx", Message("approximate")},
    {"ftz", Message("subnormals become 0")},
    {"sat", Message("clamped to the range")},
    {"eq", Message("equal")},
    {"ne", Message("not equal")},
    {"lt", Message("less than")},
    {"le", Message("less than or equal")},
    {"gt", Message("greater than")},
    {"ge", Message("greater than or equal")},
    {"uni", Message("same target in all lanes")},
    {"aligned", Message("executed by all lanes of the warp")},
    {"volatile", Message("never cached")},
    {"relaxed", Message("unordered")},
    {"acquire", Message("precedes later accesses")},
    {"release", Message("follows earlier accesses")},
    {"acq_rel", Message("between earlier and later accesses")},
    {"cta", Message("visible to the block")},
    {"gpu", Message("visible to the GPU")},
    {"sys", Message("visible to host and GPUs")},
    {"trans", Message("transposed")},
    {"row", Message("row-major")},
    {"col", Message("column-major")},
};

struct Becomes {
  std::string_view intrinsic;
  std::string_view opcode;
};
constexpr Becomes kIntrinsics[] = {
    {"__syncthreads", "bar.sync"},
    {"__syncthreads_count", "bar.red"},
    {"__syncthreads_and", "bar.red"},
    {"__syncthreads_or", "bar.red"},
    {"__syncwarp", "bar.warp"},
    {"__threadfence", "fence"},
    {"__threadfence_block", "fence"},
    {"__threadfence_system", "fence"},
    {"atomicAdd", "atom"},
    {"atomicSub", "atom"},
    {"atomicMax", "atom"},
    {"atomicMin", "atom"},
    {"atomicExch", "atom"},
    {"atomicCAS", "atom"},
    {"atomicInc", "atom"},
    {"atomicDec", "atom"},
    {"atomicAnd", "atom"},
    {"atomicOr", "atom"},
    {"atomicXor", "atom"},
    {"__shfl_sync", "shfl"},
    {"__shfl_down_sync", "shfl"},
    {"__shfl_up_sync", "shfl"},
    {"__shfl_xor_sync", "shfl"},
    {"__ballot_sync", "vote"},
    {"__any_sync", "vote"},
    {"__all_sync", "vote"},
    {"__activemask", "activemask"},
    {"__popc", "popc"},
    {"__clz", "clz"},
    {"__ldg", "ld.global.nc"},
    {"__ldcg", "ld"},
    {"__ldca", "ld"},
    {"__ldcs", "ld"},
    {"__ldcv", "ld"},
    {"__stcg", "st"},
    {"__stcs", "st"},
    {"__cvta_generic_to_shared", "cvta"},
    {"__pipeline_memcpy_async", "cp.async"},
    {"__pipeline_commit", "cp.async.commit_group"},
    {"__pipeline_wait_prior", "cp.async.wait_group"},
    {"fmaf", "fma.f32"},
    {"fma", "fma.f64"},
    {"__fmaf_rn", "fma.f32"},
    {"__fadd_rn", "add.f32"},
    {"__fmul_rn", "mul.f32"},
    {"__fdividef", "div.f32"},
    {"rsqrtf", "rsqrt"},
    {"sqrtf", "sqrt"},
    {"fmaxf", "max.f32"},
    {"fminf", "min.f32"},
    {"fabsf", "abs.f32"},
    {"min", "min"},
    {"max", "max"},
    {"__mul24", "mul24"},
    {"__float_as_uint", "mov"},
    {"__uint_as_float", "mov"},
    {"__float_as_int", "mov"},
    {"__int_as_float", "mov"},
    {"__half2float", "cvt"},
    {"__float2half", "cvt"},
};

bool is_of_opcode(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':';
}

}  // namespace

std::string meaning_of_modifiers(std::string_view word) {
  std::string text;
  std::size_t dot = word.find('.');
  while (dot != std::string_view::npos) {
    word = word.substr(dot + 1);
    dot = word.find('.');
    const auto* const found =
        std::ranges::find(kModifierMeanings, word.substr(0, dot), &Explained::word);
    if (found != std::end(kModifierMeanings)) {
      text += fmt::format("{}.{}: {}", text.empty() ? "" : "; ", found->word, found->meaning);
    }
  }
  return text;
}

std::string_view opcode_of_intrinsic(std::string_view word) {
  const auto* const found = std::ranges::find(kIntrinsics, word, &Becomes::intrinsic);
  return found == std::end(kIntrinsics) ? std::string_view() : found->opcode;
}

std::string_view opcode_at(std::string_view line, std::size_t column) {
  std::size_t from = line.find_first_not_of(" \t{");
  if (from != std::string_view::npos && line[from] == '@') {  // a guard: @%p1, @!%p1
    from = line.find_first_of(" \t", from);
    from = line.find_first_not_of(" \t", std::min(from, line.size()));
  }
  if (from == std::string_view::npos || std::isalpha(static_cast<unsigned char>(line[from])) == 0) {
    return {};  // a directive, a label, a comment
  }
  std::size_t to = from;
  while (to < line.size() && is_of_opcode(line[to])) {
    ++to;
  }
  const std::string_view word = line.substr(from, to - from);
  return column >= from && column < to && !word.ends_with(':') ? word : std::string_view();
}

}  // namespace tilestep::ptx
