// element_guess: what a buffer behind a pointer to a type consists of.
#include "problem/propose/proposal.h"

#include <algorithm>

namespace tilestep::problem {
namespace {

using Kind = ParameterType::Kind;

// A leaf of homogeneous structures and arrays: what float4 and float[4] consist of.
const ParameterType* common_leaf(const ParameterType& type) {
  const bool is_short_float = type.kind == Kind::Structure && type.bytes == 2;
  if (is_short_float || (type.kind != Kind::Structure && type.kind != Kind::Array)) {
    return &type;
  }
  if (type.kind == Kind::Array) {
    return type.target.empty() ? nullptr : common_leaf(type.target.front());
  }
  const ParameterType* leaf = nullptr;
  for (const ParameterType::Member& member : type.members) {
    const ParameterType* const one = common_leaf(member.type);
    const bool differs =
        leaf != nullptr && one != nullptr && (one->kind != leaf->kind || one->bytes != leaf->bytes);
    if (one == nullptr || differs) {
      return nullptr;
    }
    leaf = one;
  }
  return leaf;
}

std::optional<ElementType> scalar_element(const ParameterType& type) {
  if (type.kind == Kind::Structure && type.bytes == 2) {
    return type.name.ends_with("bfloat16") ? ElementType::BF16 : ElementType::F16;
  }
  if (type.kind == Kind::Float) {
    return type.bytes == 8 ? ElementType::F64 : ElementType::F32;
  }
  if (type.kind == Kind::Bool) {
    return ElementType::U8;
  }
  if (type.kind != Kind::Integer) {
    return std::nullopt;
  }
  switch (type.bytes) {
    case 1:
      return type.is_signed ? ElementType::S8 : ElementType::U8;
    case 2:
      return type.is_signed ? ElementType::S16 : ElementType::U16;
    case 4:
      return type.is_signed ? ElementType::S32 : ElementType::U32;
    default:
      return type.is_signed ? ElementType::S64 : ElementType::U64;
  }
}

}  // namespace

ElementGuess element_guess(const ParameterType& type) {
  const ParameterType* const leaf = common_leaf(type);
  const std::optional<ElementType> element = leaf == nullptr ? std::nullopt : scalar_element(*leaf);
  if (!element) {
    return {ElementType::U8, std::max(1U, type.bytes)};
  }
  return {*element, std::max(1U, type.bytes / static_cast<std::uint32_t>(byte_size(*element)))};
}

}  // namespace tilestep::problem
