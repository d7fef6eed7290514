#include "ptx/model/array_type.h"

namespace tilestep::ptx {

TypeId innermost_element(const Module& module, TypeId type, std::vector<std::uint32_t>* counts) {
  while (type < module.types.size() && module.types[type].kind == TypeKind::Array) {
    if (counts != nullptr) {
      counts->push_back(module.types[type].count);
    }
    type = module.types[type].element;
  }
  return type < module.types.size() ? type : kNoType;
}

}  // namespace tilestep::ptx
