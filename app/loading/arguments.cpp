// pack_arguments: a launch's arguments as the bytes of the kernel's parameters.
#include "loading/arguments.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "problem/values/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cctype>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace tilestep::loading {
namespace {

using ptx::byte_size;
using ptx::Function;
using ptx::Member;
using ptx::Module;
using ptx::Param;
using ptx::SourceType;
using ptx::SourceVariable;
using ptx::Type;
using ptx::TypeId;
using ptx::TypeKind;

using problem::Argument;
using Kind = problem::ArgumentSpec::Kind;

constexpr std::uint32_t kAddressBytes = 8;

// The kind of value at a place of the parameter area. Without debug information, PTX distinguishes
// integers from floats, and sizes, but not int from unsigned nor an address from a 64-bit integer.
struct Form {
  enum class Takes { Number, Float, Address, AddressOrNumber, Members, Elements, Nothing };
  Takes takes = Takes::Nothing;
  std::int64_t lowest = 0;    // Number
  std::uint64_t highest = 0;  // Number
};

Form number_form(std::uint32_t bytes, bool is_signed, bool is_unsigned) {
  Form form{Form::Takes::Number, 0, 0};
  unsigned bits = 8 * std::clamp(bytes, 1U, 8U);
  if (is_signed) {
    form.lowest = std::numeric_limits<std::int64_t>::min() >> (64 - bits);
  }
  form.highest = std::numeric_limits<std::uint64_t>::max() >> (64 - bits + (is_unsigned ? 0 : 1));
  return form;
}

Form form_of(const SourceType& type) {
  switch (type.kind) {
    case TypeKind::Bool:
      return {Form::Takes::Number, 0, 1};
    case TypeKind::SignedInteger:
    case TypeKind::SignedChar:
      return number_form(type.bytes, true, false);
    case TypeKind::UnsignedInteger:
    case TypeKind::UnsignedChar:
      return number_form(type.bytes, false, true);
    case TypeKind::Enumeration:
      return number_form(type.bytes, true, true);
    case TypeKind::Float:
      return {Form::Takes::Float, 0, 0};
    case TypeKind::Pointer:
    case TypeKind::Reference:
      return {Form::Takes::Address, 0, 0};
    case TypeKind::Structure:
    case TypeKind::Union:
      return {Form::Takes::Members, 0, 0};
    case TypeKind::Array:
      return {Form::Takes::Elements, 0, 0};
    case TypeKind::Void:
    case TypeKind::Function:
    case TypeKind::Unknown:
      break;
  }
  return {};
}

Form form_of(const Param& param) {
  switch (param.type) {
    case Type::F32:
    case Type::F64:
      return {Form::Takes::Float, 0, 0};
    case Type::S8:
    case Type::S16:
    case Type::S32:
    case Type::S64:
    case Type::U8:
    case Type::U16:
    case Type::U32:
    case Type::U64:
    case Type::B8:
    case Type::B16:
    case Type::B32:
    case Type::B64: {
      if (param.bytes != byte_size(param.type)) {
        return {};  // a structure
      }
      Form form = number_form(param.bytes, true, true);
      if (param.bytes == kAddressBytes) {
        form.takes = Form::Takes::AddressOrNumber;
      }
      return form;
    }
    default:
      return {};
  }
}

// __half and __nv_bfloat16 are structures of one 16-bit integer, but arguments give them as
// numbers.
std::optional<problem::ElementType> short_float(const SourceType& type) {
  if (type.kind != TypeKind::Structure || type.bytes != 2) {
    return std::nullopt;
  }
  if (type.name.ends_with("half")) {
    return problem::ElementType::F16;
  }
  if (type.name.ends_with("bfloat16")) {
    return problem::ElementType::BF16;
  }
  return std::nullopt;
}

struct FlatMember {
  Member member;
  bool is_alternative = false;  // of a union: it may be omitted
};

// Members by their accessible names: those of base classes and unnamed structures belong to the
// outer one.
void flatten(const std::vector<SourceType>& types, const SourceType& type, std::uint32_t offset,
             bool is_alternative, std::vector<FlatMember>& out, unsigned depth = 0) {
  constexpr unsigned kMaxDepth = 16;
  for (Member member : type.members) {
    bool is_transparent = member.name.empty() || member.name.starts_with('<');
    bool has_members = member.type < types.size() && !types[member.type].members.empty();
    member.offset += offset;
    bool alternative = is_alternative || type.kind == TypeKind::Union;
    if (is_transparent && has_members && depth < kMaxDepth) {
      flatten(types, types[member.type], member.offset, alternative, out, depth + 1);
    } else if (!member.name.empty()) {
      out.push_back({std::move(member), alternative});
    }
  }
}

std::string value_text(const Argument& argument, const problem::Launch& launch) {
  switch (argument.kind) {
    case Kind::Buffer:
      return tr("the buffer {}", launch.buffers[argument.buffer].name);
    case Kind::Struct:
      return tr("a table of members");
    case Kind::TensorMap:
      return tr("a tensor map of {}", launch.buffers[argument.buffer].name);
    case Kind::Scalar:
      break;
  }
  return argument.is_real ? fmt::format("{}", argument.real) : fmt::format("{}", argument.integer);
}

class Packer {
 public:
  Packer(const std::vector<SourceType>& types, const problem::Launch& launch,
         const std::vector<std::uint64_t>& addresses, const TensorMapMaker& tensor_map)
      : types_(types), launch_(launch), addresses_(addresses), tensor_map_(tensor_map) {}

  // `place` starts the sentences: "argument 4 of matmul_naive (int M)".
  Result<void> pack(const Argument& argument, TypeId type_id, std::span<std::byte> out,
                    const std::string& place) {
    const SourceType& type = types_[type_id];
    if (argument.kind == Kind::TensorMap) {
      return pack_tensor_map(argument, out, place);
    }
    if (type.bytes > out.size()) {
      return fail(tr("{}: the debug information contradicts the code.", place));
    }
    if (std::optional<problem::ElementType> element = short_float(type);
        element && argument.kind == Kind::Scalar) {
      problem::store_element(*element, number(argument), out.data());
      return {};
    }
    return pack(argument, form_of(type), &type, out.first(type.bytes), place);
  }

  Result<void> pack(const Argument& argument, const Form& form, const SourceType* type,
                    std::span<std::byte> out, const std::string& place) {
    if (argument.kind == Kind::TensorMap) {
      return pack_tensor_map(argument, out, place);
    }
    switch (form.takes) {
      case Form::Takes::Number:
        return pack_number(argument, form, out, place);
      case Form::Takes::Float:
        return pack_float(argument, out, place);
      case Form::Takes::Address:
        return pack_address(argument, out, place);
      case Form::Takes::AddressOrNumber:
        return argument.kind == Kind::Buffer ? pack_address(argument, out, place)
                                             : pack_number(argument, form, out, place);
      case Form::Takes::Members:
        return pack_members(argument, *type, out, place);
      case Form::Takes::Elements:
        return pack_elements(argument, *type, out, place);
      case Form::Takes::Nothing:
        break;
    }
    return fail(
        tr("{}: the memory layout is unknown, because there is no debug information. Use a step "
           "build of the same source: it has debug information.",
           place));
  }

 private:
  static double number(const Argument& argument) {
    return argument.is_real ? argument.real : static_cast<double>(argument.integer);
  }

  static void store(std::uint64_t bits, std::span<std::byte> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = i < sizeof bits ? static_cast<std::byte>((bits >> (8 * i)) & 0xffU) : std::byte{0};
    }
  }

  tl::unexpected<Error> mismatch(const Argument& argument, const std::string& place,
                                 std::string_view cure) const {
    return fail(tr("{} is given {}: {}", place, value_text(argument, launch_), cure));
  }

  // A parameter of CUtensorMap's size: the toolkit's own type, or one of the kernel's.
  Result<void> pack_tensor_map(const Argument& argument, std::span<std::byte> out,
                               const std::string& place) const {
    if (out.size() != problem::kTensorMapBytes) {
      return mismatch(argument, place,
                      tr("a tensor map needs a parameter of 128 bytes, CUtensorMap."));
    }
    problem::TensorMap map = argument.map;
    map.address = addresses_[argument.buffer];
    const Result<problem::TensorMapBytes> bytes = tensor_map_(map);
    if (!bytes) {
      return fail(fmt::format("{}: {}", place, bytes.error().message));
    }
    std::copy(bytes->begin(), bytes->end(), out.begin());
    return {};
  }

  Result<void> pack_number(const Argument& argument, const Form& form, std::span<std::byte> out,
                           const std::string& place) const {
    if (argument.kind != Kind::Scalar || argument.is_real) {
      return mismatch(argument, place,
                      tr("give an integer, or an expression of M, N, K and BLOCK_SIZE."));
    }
    bool fits = argument.integer < 0 ? argument.integer >= form.lowest
                                     : static_cast<std::uint64_t>(argument.integer) <= form.highest;
    if (!fits) {
      return mismatch(argument, place,
                      tr("out of range; choose {} to {}.", form.lowest, form.highest));
    }
    store(static_cast<std::uint64_t>(argument.integer), out);
    return {};
  }

  Result<void> pack_float(const Argument& argument, std::span<std::byte> out,
                          const std::string& place) const {
    if (argument.kind != Kind::Scalar) {
      return mismatch(argument, place, tr("give a number."));
    }
    double value = number(argument);
    if (out.size() == sizeof(double)) {
      store(std::bit_cast<std::uint64_t>(value), out);
      return {};
    }
    bool fits = !std::isfinite(value) || std::isfinite(static_cast<float>(value));
    if (!fits) {
      return mismatch(argument, place, tr("too large for a float; give less than 3.5e38."));
    }
    store(std::bit_cast<std::uint32_t>(static_cast<float>(value)), out);
    return {};
  }

  Result<void> pack_address(const Argument& argument, std::span<std::byte> out,
                            const std::string& place) const {
    bool is_null = argument.kind == Kind::Scalar && !argument.is_real && argument.integer == 0;
    if (argument.kind != Kind::Buffer && !is_null) {
      return mismatch(argument, place, tr("give the name of a buffer, or 0 for a null pointer."));
    }
    store(is_null ? 0 : addresses_[argument.buffer], out);
    return {};
  }

  Result<void> pack_members(const Argument& argument, const SourceType& type,
                            std::span<std::byte> out, const std::string& place) {
    std::vector<FlatMember> members;
    flatten(types_, type, 0, false, members);
    std::string names;
    for (const FlatMember& member : members) {
      names += (names.empty() ? "" : ", ") + member.member.name;
    }
    if (argument.kind != Kind::Struct) {
      return mismatch(argument, place,
                      tr("{} is a struct. Give a table of its members: {}.", type.name, names));
    }
    for (const Argument::Member& given : argument.members) {
      auto found = std::find_if(members.begin(), members.end(),
                                [&](const FlatMember& m) { return m.member.name == given.name; });
      if (found == members.end()) {
        return fail(tr("{} has no member '{}'. {} has {}.", place, given.name, type.name,
                       names.empty() ? tr("no members") : names));
      }
      std::string member_place = tr("Member {} of {}", given.name, inner(place));
      if (Result<void> packed = pack_member(given.value, found->member, out, member_place);
          !packed) {
        return packed;
      }
      members.erase(found);
    }
    for (const FlatMember& member : members) {
      if (!member.is_alternative) {
        return fail(tr("{} has no value for its member '{}'. Add {} = … to its table.", place,
                       member.member.name, member.member.name));
      }
    }
    return {};
  }

  Result<void> pack_member(const Argument& argument, const Member& member, std::span<std::byte> out,
                           const std::string& place) {
    if (member.type >= types_.size() || member.offset > out.size() ||
        types_[member.type].bytes > out.size() - member.offset) {
      return fail(tr("{}: the debug information does not give its address.", place));
    }
    std::span<std::byte> bytes = out.subspan(member.offset, types_[member.type].bytes);
    if (member.bit_size > 0) {
      return pack_bit_field(argument, member, bytes, place);
    }
    return pack(argument, member.type, bytes, place);
  }

  Result<void> pack_bit_field(const Argument& argument, const Member& member,
                              std::span<std::byte> out, const std::string& place) const {
    bool is_unsigned = form_of(types_[member.type]).lowest == 0;
    unsigned bits = std::min(member.bit_size, 64U);
    Form form{Form::Takes::Number, 0, std::numeric_limits<std::uint64_t>::max() >> (64 - bits)};
    if (!is_unsigned) {
      form.lowest = std::numeric_limits<std::int64_t>::min() >> (64 - bits);
      form.highest >>= 1U;
    }
    std::byte number_bytes[8];
    Result<void> packed = pack_number(argument, form, number_bytes, place);
    if (!packed) {
      return packed;
    }
    for (unsigned i = 0; i < bits; ++i) {
      unsigned to = member.bit_offset + i;
      bool is_set = ((std::to_integer<unsigned>(number_bytes[i / 8]) >> (i % 8)) & 1U) != 0;
      if (to / 8 < out.size() && is_set) {
        out[to / 8] |= static_cast<std::byte>(1U << (to % 8));
      }
    }
    return {};
  }

  // An array's elements are members named by their index: { 0 = "M", 1 = "N" }.
  Result<void> pack_elements(const Argument& argument, const SourceType& type,
                             std::span<std::byte> out, const std::string& place) {
    bool is_described = type.element < types_.size() && type.count > 0;
    if (argument.kind != Kind::Struct || !is_described) {
      return mismatch(argument, place,
                      tr("{} is an array. Give its elements: [x, y, …], or some of them: "
                         "{{ 0 = x, 3 = y }}.",
                         type.name));
    }
    std::size_t stride = types_[type.element].bytes;
    for (const auto& [name, value] : argument.members) {
      bool is_index = !name.empty() && name.size() < 10 &&
                      name.find_first_not_of("0123456789") == std::string::npos;
      std::size_t index = is_index ? std::stoul(name) : type.count;
      if (index >= type.count || (index + 1) * stride > out.size()) {
        return fail(tr("{} has no element '{}'. Elements of {} are 0 to {}.", place, name,
                       type.name, type.count - 1));
      }
      if (Result<void> packed = pack(value, type.element, out.subspan(index * stride, stride),
                                     tr("Element {} of {}", name, inner(place)));
          !packed) {
        return packed;
      }
    }
    return {};  // omitted elements are 0
  }

  // A place inside a sentence: "Argument 1 of …" → "argument 1 of …".
  static std::string inner(std::string place) {
    place[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(place[0])));
    return place;
  }

  const std::vector<SourceType>& types_;
  const problem::Launch& launch_;
  const std::vector<std::uint64_t>& addresses_;
  const TensorMapMaker& tensor_map_;
};

// The kernel's parameters as its source declares them; empty without debug information.
std::span<const SourceVariable> declared_parameters(const Kernel& kernel) {
  const Function& entry = kernel.module->functions[kernel.entry];
  auto end = std::find_if(entry.source_variables.begin(), entry.source_variables.end(),
                          [](const SourceVariable& variable) { return !variable.is_parameter; });
  auto count = static_cast<std::size_t>(end - entry.source_variables.begin());
  // Parameters of an inlined function may follow the kernel's own.
  std::size_t wanted = entry.params.size();
  return count < wanted ? std::span<const SourceVariable>()
                        : std::span(entry.source_variables).first(wanted);
}

// "float* C"
std::string declaration_text(const Module& types, const SourceVariable& parameter) {
  std::string type = parameter.type < types.types.size() ? types.types[parameter.type].name : "?";
  return parameter.name.empty() ? type : fmt::format("{} {}", type, parameter.name);
}

std::string count_sentence(const Function& entry, const Module& types,
                           std::span<const SourceVariable> declared,
                           const problem::Launch& launch) {
  std::string signature;
  for (const SourceVariable& parameter : declared) {
    signature += (signature.empty() ? "" : ", ") + declaration_text(types, parameter);
  }
  std::size_t takes = entry.params.size();
  std::size_t given = launch.arguments.size();
  std::size_t difference = std::max(takes, given) - std::min(takes, given);
  const std::string arguments =
      plural(takes, "argument") + (signature.empty() ? "" : fmt::format(" ({})", signature));
  return given < takes ? tr("{} takes {}, but the description gives {}: add {} in `arguments`.",
                            entry.name, arguments, given, difference)
                       : tr("{} takes {}, but the description gives {}: remove {} in `arguments`.",
                            entry.name, arguments, given, difference);
}

}  // namespace

Result<problem::TensorMapBytes> machine_tensor_map(const problem::TensorMap& map) {
  return problem::to_bytes(map);
}

Result<std::vector<std::byte>> pack_arguments(const Kernel& kernel, const problem::Launch& launch,
                                              const std::vector<std::uint64_t>& buffer_addresses,
                                              const TensorMapMaker& tensor_map) {
  assert(buffer_addresses.size() == launch.buffers.size());
  const Kernel& described = kernel.step ? *kernel.step : kernel;
  const Module& types = *described.module;
  const Function& entry = kernel.module->functions[kernel.entry];
  std::span<const SourceVariable> declared = declared_parameters(described);
  if (declared.size() != entry.params.size()) {
    declared = {};
  }
  if (launch.arguments.size() != entry.params.size()) {
    return fail(count_sentence(entry, types, declared, launch));
  }
  std::size_t bytes = 0;
  for (const Param& param : entry.params) {
    bytes = std::max<std::size_t>(bytes, param.offset + param.bytes);
  }
  std::vector<std::byte> packed(bytes);
  Packer packer(types.types, launch, buffer_addresses, tensor_map);
  for (std::size_t i = 0; i < entry.params.size(); ++i) {
    const Param& param = entry.params[i];
    std::span<std::byte> out = std::span(packed).subspan(param.offset, param.bytes);
    bool has_type = !declared.empty() && declared[i].type < types.types.size();
    std::string place = tr("Argument {} of {}", i + 1, entry.name);
    if (has_type) {
      place += fmt::format(" ({})", declaration_text(types, declared[i]));
    }
    Result<void> result =
        has_type ? packer.pack(launch.arguments[i], declared[i].type, out, place)
                 : packer.pack(launch.arguments[i], form_of(param), nullptr, out, place);
    TILESTEP_RETURN_IF_ERROR(result);
  }
  return packed;
}

}  // namespace tilestep::loading
