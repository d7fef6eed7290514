#include "problem/describe/tensor_map_reader.h"

#include "problem/tr.h"

#include <algorithm>

namespace tilestep::problem {

ArgumentSpec read_tensor_map(TomlReader& reader, const toml::table& table,
                             const std::vector<BufferSpec>& buffers) {
  reader.expect_keys(table, {"tensor_map", "box", "swizzle"});
  ArgumentSpec argument;
  argument.kind = ArgumentSpec::Kind::TensorMap;
  argument.buffer = reader.required_string(table, "tensor_map");
  const bool is_known = std::ranges::any_of(
      buffers, [&](const BufferSpec& buffer) { return buffer.name == argument.buffer; });
  if (!is_known) {
    reader.note(table, tr("tensor_map names '{}', which is no buffer of this description.",
                          argument.buffer));
  }
  const toml::node* const box = table.get("box");
  const toml::array* const sizes = box == nullptr ? nullptr : box->as_array();
  if (sizes == nullptr || sizes->size() != 2) {
    reader.note(table, tr("a tensor map needs box = [rows, columns]: what one copy moves."));
    return argument;
  }
  argument.box_rows = reader.expression(*sizes->get(0));
  argument.box_cols = reader.expression(*sizes->get(1));
  argument.swizzle = static_cast<int>(reader.integer(table, "swizzle", 0));
  return argument;
}

}  // namespace tilestep::problem
