#include "ptx/model/pieces.h"

#include "ptx/model/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::ptx {
namespace {

struct Part {
  std::string suffix;
  TypeId type = kNoType;
};

constexpr int kCountsPieces = 100;  // sm_100 and later: another compiler

// Up to sm_90 numbers are indices of elements and members; later ones count pieces.
bool numbers_are_indices(const Module& module) {
  const std::size_t digits = module.target.find('_') + 1;
  int architecture = 0;
  std::from_chars(module.target.data() + digits, module.target.data() + module.target.size(),
                  architecture);
  return architecture < kCountsPieces;
}

std::optional<Part> part_of(const Module& module, const Part& whole, std::uint32_t number) {
  const std::string index = fmt::format("{}[{}]", whole.suffix, number);
  if (whole.type == kNoType) {
    return Part{index, kNoType};
  }
  const SourceType& type = module.types[whole.type];
  if (type.kind == TypeKind::Array && number < type.count) {
    return Part{index, type.element};
  }
  if (type.kind == TypeKind::Structure && number < type.members.size()) {
    const Member& member = type.members[number];
    const bool is_base = member.name.starts_with('<');
    return Part{is_base ? whole.suffix : whole.suffix + "." + member.name, member.type};
  }
  return std::nullopt;
}

std::optional<Part> at_path(const Module& module, TypeId declared,
                            const std::vector<std::uint32_t>& path) {
  std::optional<Part> part = Part{"", declared};
  for (const std::uint32_t number : path) {
    part = part ? part_of(module, *part, number) : part;
  }
  return part;
}

// The parts that have no parts, in order; at most one more than `most`.
void add_leaves(const Module& module, const Part& whole, std::size_t most,
                std::vector<Part>& leaves) {
  std::optional<Part> part = whole.type == kNoType ? std::nullopt : part_of(module, whole, 0);
  if (!part) {
    leaves.push_back(whole);
  }
  for (std::uint32_t i = 1; part && leaves.size() <= most; ++i) {
    add_leaves(module, *part, most, leaves);
    part = part_of(module, whole, i);
  }
}

// Pieces that are counted tell which part each is only where all parts are there.
std::optional<Part> at_count(const Module& module, TypeId declared, const MemoryVariable& piece) {
  const std::string_view symbol = split_piece(piece.symbol).whole;
  const auto pieces = static_cast<std::size_t>(
      std::ranges::count_if(module.variables, [symbol](const MemoryVariable& other) {
        return !other.path.empty() && split_piece(other.symbol).whole == symbol;
      }));
  std::vector<Part> leaves;
  add_leaves(module, {"", declared}, pieces, leaves);
  if (piece.path.size() != 1 || leaves.size() != pieces || piece.path.front() >= pieces) {
    return std::nullopt;
  }
  return leaves[piece.path.front()];
}

}  // namespace

bool name_piece(Module& module, std::uint32_t variable, TypeId declared) {
  MemoryVariable& piece = module.variables[variable];
  if (piece.path.empty()) {
    return false;
  }
  const std::optional<Part> part = numbers_are_indices(module)
                                       ? at_path(module, declared, piece.path)
                                       : at_count(module, declared, piece);
  const bool fits = part && (part->type == kNoType ? declared == kNoType
                                                   : module.types[part->type].bytes == piece.bytes);
  piece.name = fits ? piece.whole + part->suffix : piece.whole;
  piece.type = fits ? part->type : kNoType;
  return fits;
}

}  // namespace tilestep::ptx
