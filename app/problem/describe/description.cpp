#include "problem/describe/description.h"

#include "problem/describe/spec_parts.h"
#include "problem/describe/toml_reader.h"
#include "problem/describe/words.h"
#include "problem/launch/expected.h"
#include "problem/tr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>

namespace tilestep::problem {
namespace {

class Parser {
 public:
  Parser(const std::string& file, Expressions expressions)
      : reader_(file), expressions_(expressions) {
    reader_.set_values({}, expressions);
  }

  Catalog read(const toml::table& root);
  [[nodiscard]] const std::optional<Error>& error() const { return reader_.error(); }

 private:
  // Notes a mistake if the id is a duplicate.
  void expect_new_id(const toml::table& table, const std::string& id, std::set<std::string>& ids);
  Preset read_preset(const toml::table& table);
  Problem read_problem(const toml::table& sizes);
  // One spec per instance of the kernel; its variations are appended to `candidates`.
  std::vector<LaunchSpec> read_kernels(const toml::table& table,
                                       std::vector<LaunchSpec>& candidates);
  LaunchSpec read_variation(const toml::table& table, const LaunchSpec& first,
                            const SizeValues& values);
  SizeValues read_values(const toml::table& instance);
  LaunchSpec read_kernel(const toml::table& table);
  void read_defines(const toml::table& table, LaunchSpec& spec);
  void read_dimensions(const toml::table& table, std::string_view key,
                       std::array<std::string, 3>& sizes);
  void read_buffers(const toml::table& table, LaunchSpec& spec);
  void read_variables(const toml::table& table, LaunchSpec& spec);
  ExpectedSpec read_expected(const toml::node& node);
  void read_operands(const toml::table& table, ExpectedSpec& expected);
  void read_arguments(const toml::table& table, LaunchSpec& spec);
  ArgumentSpec read_argument(const toml::node& node, const LaunchSpec& spec);
  void read_requirements(const toml::table& table, LaunchSpec& spec);
  void read_closed_forms(const toml::table& table, LaunchSpec& spec);
  void read_defaults(const toml::table& table, LaunchSpec& spec);

  int positive(const toml::table& table, std::string_view key, int otherwise) {
    const std::int64_t value = reader_.integer(table, key, otherwise);
    if (value < 1 || value > std::numeric_limits<int>::max()) {
      reader_.note(*table.get(key), tr("{} must be a positive integer.", key));
      return otherwise;
    }
    return static_cast<int>(value);
  }

  TomlReader reader_;
  Expressions expressions_;
};

Catalog Parser::read(const toml::table& root) {
  Catalog catalog;
  if (!root.contains("kernel") && !root.contains("preset")) {
    catalog.kernels.push_back(read_kernel(root));
    for (const char* const key : {"instances", "tuning"}) {
      if (const toml::node* const node = root.get(key)) {
        reader_.note(
            *node, tr("only a kernel of the catalog can have {}. Write the numbers instead.", key));
      }
    }
    return catalog;
  }
  reader_.expect_keys(root, {"kernel", "preset", "contrast"});
  std::set<std::string> ids;
  for (const toml::table* const table : reader_.tables(root, "kernel")) {
    for (LaunchSpec& kernel : read_kernels(*table, catalog.candidates)) {
      expect_new_id(*table, kernel.id, ids);
      catalog.kernels.push_back(std::move(kernel));
    }
  }
  ids.clear();
  for (const toml::table* const table : reader_.tables(root, "preset")) {
    catalog.presets.push_back(read_preset(*table));
    expect_new_id(*table, catalog.presets.back().id, ids);
  }
  catalog.contrasts = read_contrasts(reader_, root);
  return catalog;
}

void Parser::expect_new_id(const toml::table& table, const std::string& id,
                           std::set<std::string>& ids) {
  if (!ids.insert(id).second) {
    reader_.note(table, tr("duplicate id '{}'. Give each kernel its own id.", id));
  }
}

Preset Parser::read_preset(const toml::table& table) {
  reader_.expect_keys(table, {"id", "title", "summary", "problem", "block_size", "input"});
  Preset preset;
  preset.id = reader_.required_string(table, "id");
  preset.title = reader_.string(table, "title", preset.id);
  preset.summary = reader_.string(table, "summary");
  const toml::node* const sizes = table.get("problem");
  if (sizes == nullptr) {
    reader_.note(table, tr("`problem` is missing. Add {}.", "problem = { M = 3, N = 3, K = 9 }"));
  } else if (const toml::table* const found = reader_.table_of(*sizes, "problem")) {
    preset.problem = read_problem(*found);
  }
  if (table.contains("block_size")) {
    preset.block_size = positive(table, "block_size", 1);
  }
  if (const toml::node* const input = table.get("input")) {
    preset.input = read_input(reader_, *input);
  }
  return preset;
}

Problem Parser::read_problem(const toml::table& sizes) {
  reader_.expect_keys(sizes, {"M", "N", "K"});
  const Problem usual;
  return {positive(sizes, "M", usual.M), positive(sizes, "N", usual.N),
          positive(sizes, "K", usual.K)};
}

std::vector<LaunchSpec> Parser::read_kernels(const toml::table& table,
                                             std::vector<LaunchSpec>& candidates) {
  std::vector<LaunchSpec> kernels;
  std::vector<SizeValues> sizes;
  for (const toml::table* const instance : reader_.tables(table, "instances")) {
    reader_.expect_keys(*instance, {"name", "values", "default_problem", "ladder", "timed"});
    sizes.push_back(read_values(*instance));
    reader_.set_values({sizes.back().begin(), sizes.back().end()}, expressions_);
    LaunchSpec kernel = read_kernel(table);
    kernel.values = sizes.back();
    kernel.instance = reader_.required_string(*instance, "name");
    if (!kernels.empty()) {
      kernel.id += "_" + kernel.instance;
      kernel.title += ", " + kernel.instance;
    }
    read_defaults(*instance, kernel);
    kernels.push_back(std::move(kernel));
  }
  for (const SizeValues& values : read_variations(reader_, table, sizes)) {
    candidates.push_back(read_variation(table, kernels.front(), values));
  }
  reader_.set_values({}, expressions_);
  return kernels.empty() ? std::vector{read_kernel(table)} : kernels;
}

LaunchSpec Parser::read_variation(const toml::table& table, const LaunchSpec& first,
                                  const SizeValues& values) {
  // Reading the instances has checked the expressions.
  reader_.set_values({values.begin(), values.end()}, Expressions::Known);
  const std::string suffix = variation_suffix(values, first.values);
  LaunchSpec kernel = read_kernel(table);
  kernel.values = values;
  kernel.id = first.id + suffix;
  kernel.title = first.title + suffix;
  kernel.timed = first.timed;
  kernel.default_problem = first.default_problem;
  return kernel;
}

SizeValues Parser::read_values(const toml::table& instance) {
  SizeValues values;
  const toml::node* const node = instance.get("values");
  const toml::table* const table = node == nullptr ? nullptr : reader_.table_of(*node, "values");
  if (table == nullptr) {
    return values;
  }
  for (const auto& [name, value] : in_file_order(*table)) {
    if (buffer_name_mistake(name, {}).has_value()) {
      reader_.note(*value,
                   tr("a value cannot be called M, N, K or BLOCK_SIZE. Give it another name."));
    }
    values.emplace_back(name, positive(*table, name, 1));
  }
  return values;
}

LaunchSpec Parser::read_kernel(const toml::table& table) {
  reader_.expect_keys(table, {"id",
                              "title",
                              "family",
                              "summary",
                              "source",
                              "include",
                              "entry",
                              "architecture",
                              "defines",
                              "grid",
                              "block",
                              "dynamic_shared_bytes",
                              "buffers",
                              "variables",
                              "arguments",
                              "requirements",
                              "uses_block_size",
                              "default_block_size",
                              "default_problem",
                              "focus_thread",
                              "reference",
                              "ladder",
                              "timed",
                              "closed_forms",
                              "arithmetic",
                              "instances",
                              "tuning"});
  LaunchSpec spec;
  spec.id = reader_.string(table, "id");
  spec.title = reader_.string(table, "title", spec.id);
  spec.family = reader_.string(table, "family");
  spec.summary = reader_.string(table, "summary");
  spec.source_name = reader_.string(table, "source");
  spec.arithmetic = reader_.string(table, "arithmetic");
  spec.entry = reader_.with_values(reader_.required_string(table, "entry"));
  spec.architecture = reader_.string(table, "architecture", kUsualArchitecture);
  if (!is_architecture(spec.architecture)) {
    reader_.note(*table.get("architecture"), architecture_mistake(spec.architecture).message);
  }
  spec.include = read_strings(reader_, table, "include", "../common");
  read_defines(table, spec);
  read_dimensions(table, "grid", spec.grid);
  read_dimensions(table, "block", spec.block);
  spec.dynamic_shared_bytes = reader_.expression(table, "dynamic_shared_bytes", "0");
  read_buffers(table, spec);
  read_variables(table, spec);
  read_arguments(table, spec);
  read_requirements(table, spec);
  read_closed_forms(table, spec);
  read_defaults(table, spec);
  return spec;
}

void Parser::read_defines(const toml::table& table, LaunchSpec& spec) {
  const toml::node* const node = table.get("defines");
  const toml::table* const defines = node == nullptr ? nullptr : reader_.table_of(*node, "defines");
  if (defines == nullptr) {
    return;
  }
  for (const auto& [name, value] : in_file_order(*defines)) {
    spec.defines[name] = reader_.expression(*value, true);
  }
}

void Parser::read_dimensions(const toml::table& table, std::string_view key,
                             std::array<std::string, 3>& sizes) {
  const toml::node* const node = table.get(key);
  if (node == nullptr) {
    reader_.note(table, sizes_are_missing(key).message);
    return;
  }
  const toml::array* const array = node->as_array();
  if (array == nullptr) {
    sizes[0] = reader_.expression(*node);
    return;
  }
  if (array->empty() || array->size() > sizes.size()) {
    reader_.note(*node, wrong_number_of_sizes(key).message);
    return;
  }
  for (std::size_t axis = 0; axis < array->size(); ++axis) {
    sizes[axis] = reader_.expression(*array->get(axis));
  }
}

void Parser::read_buffers(const toml::table& table, LaunchSpec& spec) {
  for (const toml::table* const entry : reader_.tables(table, "buffers")) {
    reader_.expect_keys(*entry,
                        {"name", "type", "rows", "cols", "pitch", "role", "input", "expected"});
    BufferSpec buffer;
    buffer.name = reader_.required_string(*entry, "name");
    if (const auto mistake = buffer_name_mistake(buffer.name, spec.buffers)) {
      reader_.note(*entry, mistake->message);
    }
    if (const toml::node* const type = entry->get("type")) {
      buffer.type = reader_.word<ElementType>(*type);
    }
    buffer.rows = reader_.expression(*entry, "rows", "1");
    buffer.cols = reader_.expression(*entry, "cols", "1");
    buffer.pitch = reader_.expression(*entry, "pitch", "");
    if (const toml::node* const role = entry->get("role")) {
      buffer.role = reader_.word<BufferRole>(*role);
    }
    if (const toml::node* const input = entry->get("input")) {
      buffer.input = read_buffer_input(reader_, *input);
      if (buffer.role == BufferRole::Output) {
        reader_.note(*input,
                     tr("an output cannot have an `input`. Remove it, or make the role 'inout'."));
      }
    }
    if (const toml::node* const expected = entry->get("expected")) {
      buffer.expected = read_expected(*expected);
    }
    spec.buffers.push_back(std::move(buffer));
  }
}

void Parser::read_variables(const toml::table& table, LaunchSpec& spec) {
  for (const toml::table* const entry : reader_.tables(table, "variables")) {
    reader_.expect_keys(*entry, {"name", "type", "rows", "cols", "input"});
    BufferSpec variable;
    variable.name = reader_.required_string(*entry, "name");
    if (const toml::node* const type = entry->get("type")) {
      variable.type = reader_.word<ElementType>(*type);
    }
    variable.rows = reader_.expression(*entry, "rows", "1");
    variable.cols = reader_.expression(*entry, "cols", "1");
    if (const toml::node* const input = entry->get("input")) {
      variable.input = read_buffer_input(reader_, *input);
    }
    spec.variables.push_back(std::move(variable));
  }
}

ExpectedSpec Parser::read_expected(const toml::node& node) {
  ExpectedSpec expected;
  const toml::table* const table = node.as_table();
  if (table == nullptr) {
    reader_.note(node, tr("`expected` must be a table: {}, or {}.", "{ file = \"c.npy\" }",
                          "{ reference = \"sum\", of = \"A\" }"));
    return expected;
  }
  if (!table->contains("reference")) {
    toml::table values = *table;
    values.erase("tolerance");
    expected.values = read_buffer_input(reader_, values);
    const Pattern pattern = expected.values.pattern;
    if (pattern != Pattern::Csv && pattern != Pattern::Npy && pattern != Pattern::Constant) {
      reader_.note(node, tr("`expected` must have a file, csv text, a constant or a reference."));
    }
  } else {
    reader_.expect_keys(*table, {"reference", "of", "tolerance"});
    expected.reference = reader_.string(*table, "reference");
    const std::vector<std::string> known = expected_functions();
    if (std::find(known.begin(), known.end(), expected.reference) == known.end()) {
      reader_.note(*table->get("reference"), tr("unknown reference '{}'. Choose {}.",
                                                expected.reference, fmt::join(known, ", ")));
    }
    read_operands(*table, expected);
  }
  if (table->contains("tolerance")) {
    expected.tolerance = reader_.real(*table, "tolerance", 0.0);
  }
  return expected;
}

// One name or an array of names.
void Parser::read_operands(const toml::table& table, ExpectedSpec& expected) {
  const toml::node* const node = table.get("of");
  const toml::array* const array = node == nullptr ? nullptr : node->as_array();
  if (array == nullptr) {
    expected.of = {reader_.required_string(table, "of")};
    return;
  }
  for (const toml::node& name : *array) {
    if (!name.is_string()) {
      reader_.note(name, tr("`of` must name buffers, for example of = [\"A\", \"B\"]."));
      return;
    }
    expected.of.push_back(name.as_string()->get());
  }
}

void Parser::read_arguments(const toml::table& table, LaunchSpec& spec) {
  const toml::node* const node = table.get("arguments");
  if (node == nullptr) {
    return;
  }
  if (!node->is_array()) {
    reader_.note(*node,
                 tr("`arguments` must be an array with one element for each kernel parameter."));
    return;
  }
  for (const toml::node& element : *node->as_array()) {
    spec.arguments.push_back(read_argument(element, spec));
  }
}

ArgumentSpec Parser::read_argument(const toml::node& node, const LaunchSpec& spec) {
  ArgumentSpec argument;
  if (const toml::table* const members = node.as_table()) {
    if (members->contains("tensor_map")) {
      return read_tensor_map(reader_, *members, spec.buffers);
    }
    argument.kind = ArgumentSpec::Kind::Struct;
    for (const auto& [name, member] : in_file_order(*members)) {
      argument.members.push_back({name, read_argument(*member, spec)});
    }
    return argument;
  }
  if (const toml::array* const elements = node.as_array()) {
    argument.kind = ArgumentSpec::Kind::Struct;
    for (const toml::node& element : *elements) {
      argument.members.push_back(
          {std::to_string(argument.members.size()), read_argument(element, spec)});
    }
    return argument;
  }
  if (const auto* const text = node.as_string()) {
    const Result<ArgumentSpec> read =
        argument_from_text(reader_.with_values(text->get()), spec.buffers);
    if (!read) {
      reader_.note(node, read.error().message);
    }
    return read.value_or(argument);
  }
  argument.expression = reader_.expression(node, true);
  return argument;
}

void Parser::read_requirements(const toml::table& table, LaunchSpec& spec) {
  for (const toml::table* const entry : reader_.tables(table, "requirements")) {
    reader_.expect_keys(*entry, {"that", "otherwise", "where"});
    Requirement requirement;
    reader_.required_string(*entry, "that");
    requirement.expression = reader_.expression(*entry, "that", "1");
    requirement.sentence = reader_.required_string(*entry, "otherwise");
    if (const toml::node* const where = entry->get("where")) {
      requirement.gpu_only = reader_.word<Refuser>(*where) == Refuser::Gpu;
    }
    spec.requirements.push_back(std::move(requirement));
  }
}

void Parser::read_closed_forms(const toml::table& table, LaunchSpec& spec) {
  const toml::node* const node = table.get("closed_forms");
  const toml::table* const forms =
      node == nullptr ? nullptr : reader_.table_of(*node, "closed_forms");
  if (forms == nullptr) {
    return;
  }
  for (const auto& [quantity, formula] : in_file_order(*forms)) {
    if (!is_quantity(quantity, spec)) {
      reader_.note(
          *formula,
          tr("'{}' is not a counter. Write \"flops\", \"barriers\", \"shared loads\", \"shared "
             "stores\", or \"loads of\" or \"stores of\" with a buffer of this description.",
             quantity));
    }
    spec.closed_forms.push_back({quantity, reader_.expression(*formula)});
  }
}

void Parser::read_defaults(const toml::table& table, LaunchSpec& spec) {
  spec.uses_block_size = reader_.boolean(table, "uses_block_size", mentions_block_size(spec));
  spec.ladder = reader_.boolean(table, "ladder", spec.ladder);
  spec.timed = reader_.boolean(table, "timed", spec.timed);
  spec.default_block_size = positive(table, "default_block_size", spec.default_block_size);
  if (table.contains("focus_thread")) {
    spec.focus_thread = static_cast<std::uint32_t>(positive(table, "focus_thread", 1));
  }
  const bool has_expected = std::any_of(spec.buffers.begin(), spec.buffers.end(),
                                        [](const BufferSpec& b) { return b.expected.has_value(); });
  spec.reference = reader_.string(table, "reference", has_expected ? "" : spec.reference);
  if (spec.reference != "matmul" && !spec.reference.empty()) {
    reader_.note(*table.get("reference"),
                 tr("unknown reference '{}'. Write \"matmul\", or \"\" when there is "
                    "nothing to compare with.",
                    spec.reference));
  }
  const toml::node* const node = table.get("default_problem");
  const toml::table* const sizes =
      node == nullptr ? nullptr : reader_.table_of(*node, "default_problem");
  if (sizes != nullptr) {
    spec.default_problem = read_problem(*sizes);
  }
}

}  // namespace

Result<Catalog> parse_descriptions(const std::string& toml_text, const std::string& name,
                                   Expressions expressions) {
  const Result<toml::table> root = parse_toml(toml_text, name);
  TILESTEP_RETURN_IF_ERROR(root);
  Parser parser(name, expressions);
  Catalog catalog = parser.read(*root);
  if (parser.error()) {
    return tl::make_unexpected(*parser.error());
  }
  return catalog;
}

Result<LaunchSpec> parse_description(const std::string& toml_text, const std::string& name) {
  Result<Catalog> catalog = parse_descriptions(toml_text, name);
  TILESTEP_RETURN_IF_ERROR(catalog);
  if (catalog->kernels.size() != 1) {
    return fail(tr("{} describes {} kernels, but must describe one. Keep one [[kernel]].", name,
                   catalog->kernels.size()));
  }
  return std::move(catalog->kernels.front());
}

}  // namespace tilestep::problem
