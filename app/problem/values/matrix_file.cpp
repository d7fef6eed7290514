#include "problem/values/matrix_file.h"

#include "problem/text.h"
#include "problem/tr.h"
#include "problem/values/number.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace tilestep::problem {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::uint64_t kLargestCount = 1ULL << 40;

constexpr std::pair<std::string_view, ElementType> kTypes[] = {
    {"<f2", ElementType::F16}, {"<f4", ElementType::F32}, {"<f8", ElementType::F64},
    {"|i1", ElementType::S8},  {"<i1", ElementType::S8},  {"|u1", ElementType::U8},
    {"<u1", ElementType::U8},  {"|b1", ElementType::U8},  {"<i2", ElementType::S16},
    {"<u2", ElementType::U16}, {"<i4", ElementType::S32}, {"<u4", ElementType::U32},
    {"<i8", ElementType::S64}, {"<u8", ElementType::U64}};

struct Header {
  std::string descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
  std::string mistake;  // the first one, as a clause
};

// Reads the dictionary literal of the header.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  Header read() {
    expect('{');
    while (header_.mistake.empty() && !skip('}')) {
      const std::string key = quoted();
      expect(':');
      value(key);
      if (!skip(',') && header_.mistake.empty() && peek() != '}') {
        note(tr("its header is not a Python dictionary"));
      }
    }
    if (header_.mistake.empty() && (!header_.shape || !header_.fortran_order)) {
      note(tr("its header lacks shape or fortran_order"));
    }
    return std::move(header_);
  }

 private:
  void note(std::string mistake) {
    if (header_.mistake.empty()) {
      header_.mistake = std::move(mistake);
    }
  }

  char peek() {
    const auto first = rest_.find_first_not_of(" \t\n\r");
    rest_.remove_prefix(std::min(first, rest_.size()));
    return rest_.empty() ? '\0' : rest_.front();
  }

  bool skip(char c) {
    if (peek() != c || c == '\0') {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!skip(c)) {
      note(tr("its header lacks a '{}'", c));
    }
  }

  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') {
      note(tr("its header is not a Python dictionary"));
      return "";
    }
    const auto end = rest_.find(quote, 1);
    if (end == std::string_view::npos) {
      note(tr("its header ends inside a string"));
      return "";
    }
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  void value(const std::string& key) {
    if (key == "descr") {
      if (peek() == '[') {
        note(tr("its elements are structures; save one field of it, numpy.save(file, a['field'])"));
        return;
      }
      header_.descr = quoted();
    } else if (key == "fortran_order") {
      header_.fortran_order = boolean();
    } else if (key == "shape") {
      header_.shape = shape();
    } else {
      note(tr("its header has an unknown key '{}'", key));
    }
  }

  bool boolean() {
    peek();
    for (const auto& [word, value] :
         {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    note(tr("fortran_order in its header is neither True nor False"));
    return false;
  }

  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> sizes;
    expect('(');
    while (header_.mistake.empty() && !skip(')')) {
      peek();
      std::uint64_t size = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc{}) {
        note(tr("the shape in its header is not a list of sizes"));
        break;
      }
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      sizes.push_back(size);
      if (!skip(',') && peek() != ')') {
        note(tr("the shape in its header is not a list of sizes"));
      }
    }
    return sizes;
  }

  std::string_view rest_;
  Header header_;
};

// What to do about an unsupported element type.
std::string type_sentence(const std::string& descr) {
  if (descr.starts_with('>')) {
    return tr("its numbers are big-endian ('{}'); save a.astype(a.dtype.newbyteorder('<'))", descr);
  }
  if (descr.find('O') != std::string::npos) {
    return tr("its elements are Python objects; save an array of numbers, a.astype(numpy.float32)");
  }
  return tr(
      "its elements are of type '{}'; save float16, float32, float64, integers or bool, for "
      "example "
      "a.astype(numpy.float32)",
      descr);
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, "×"));
}

// Converts elements in Fortran order (first index fastest) to C order.
std::vector<std::byte> in_c_order(std::string_view data, const std::vector<std::uint64_t>& shape,
                                  std::size_t bytes) {
  std::vector<std::byte> sorted(data.size());
  std::vector<std::uint64_t> index(shape.size(), 0);  // of the element in C order
  std::vector<std::uint64_t> strides(shape.size(), bytes);
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    strides[axis] = strides[axis - 1] * shape[axis - 1];
  }
  for (std::size_t to = 0; to < sorted.size(); to += bytes) {
    std::uint64_t from = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      from += index[axis] * strides[axis];
    }
    std::copy_n(reinterpret_cast<const std::byte*>(data.data()) + from, bytes, sorted.data() + to);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) {
        break;
      }
      index[axis] = 0;
    }
  }
  return sorted;
}

// The header's text and the offset of the elements; nullopt if the file is truncated.
struct Layout {
  std::string_view header;
  std::size_t data = 0;
};

std::optional<Layout> layout_of(const std::string& bytes) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const std::size_t length_bytes = byte(6) == 1 ? 2 : 4;
  const std::size_t start = 8 + length_bytes;
  if (bytes.size() < start) {
    return std::nullopt;
  }
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= byte(8 + i) << (8 * i);
  }
  if (bytes.size() - start < length) {
    return std::nullopt;
  }
  return Layout{std::string_view(bytes).substr(start, length), start + length};
}

// Nullopt: more than any device has.
std::optional<std::uint64_t> count_of(const std::vector<std::uint64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t size : shape) {
    if (size != 0 && count > kLargestCount / size) {
      return std::nullopt;
    }
    count *= size;
  }
  return count;
}

// Removes the quotes that spreadsheets put around cells.
std::string_view unquoted(std::string_view cell) {
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
    return trimmed(cell.substr(1, cell.size() - 2));
  }
  return cell;
}

// Commas, semicolons and tabs, with optional blanks around them, separate cells; so do blanks
// alone.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  const bool by_mark = line.find_first_of(",;\t") != std::string_view::npos;
  const std::string_view separators = by_mark ? ",;\t" : " ";
  while (true) {
    const auto end = line.find_first_of(separators);
    cells.push_back(unquoted(trimmed(line.substr(0, end))));
    if (end == std::string_view::npos) {
      return cells;
    }
    line.remove_prefix(end + 1);
    if (!by_mark) {
      line = trimmed(line);
    }
  }
}

std::optional<double> number(std::string_view cell) {
  if (cell.starts_with('+')) {
    cell.remove_prefix(1);
  }
  double value = 0.0;
  const char* const end = cell.data() + cell.size();
  const auto [stopped, error] = read_number(cell.data(), end, value);
  return error == std::errc{} && stopped == end ? std::optional(value) : std::nullopt;
}

std::string shown(std::string_view cell) {
  constexpr std::size_t kShown = 30;
  return cell.size() <= kShown ? fmt::format("'{}'", cell)
                               : fmt::format("'{}…'", cell.substr(0, kShown));
}

// Appends one row; `line_number` is for messages.
Result<void> append_row(Numbers& matrix, std::string_view line, const std::string& name,
                        int line_number) {
  const std::vector<std::string_view> cells = cells_of(line);
  const int row = matrix.rows;
  for (std::size_t col = 0; col < cells.size(); ++col) {
    const std::optional<double> value = number(cells[col]);
    if (!value) {
      return fail(tr("{}:{}: row {}, column {} holds {}, which is not a float64 number.", name,
                     line_number, row, col,
                     cells[col].empty() ? tr("nothing") : shown(cells[col])));
    }
    matrix.values.push_back(*value);
  }
  const auto width = static_cast<int>(cells.size());
  if (row > 0 && width != matrix.cols) {
    return fail(
        tr("{}:{}: row {} has {} values, but the rows above have {}. Give every row the same "
           "number of values.",
           name, line_number, row, width, matrix.cols));
  }
  matrix.cols = width;
  ++matrix.rows;
  return {};
}

bool is_separator(std::string_view line) {
  return line.size() >= 3 && line.find_first_not_of('-') == std::string_view::npos;
}

}  // namespace

std::uint64_t NpyArray::count() const {
  return count_of(shape).value_or(0);
}

Result<NpyArray> parse_npy(const std::string& bytes, const std::string& name) {
  const auto wrong = [&](std::string_view cause) {
    return fail(tr("{} cannot be used: {}.", name, cause));
  };
  if (!bytes.starts_with(kMagic) || bytes.size() < 8) {
    return wrong(tr("it is not an .npy file; write one with numpy.save(file, array)"));
  }
  if (bytes[6] < 1 || bytes[6] > 3) {
    return wrong(tr("its version is {}, but only 1 to 3 are supported; write it with numpy.save",
                    static_cast<int>(bytes[6])));
  }
  const std::optional<Layout> layout = layout_of(bytes);
  if (!layout) {
    return wrong(tr("it ends inside its header; copy it again"));
  }
  Header header = HeaderReader(layout->header).read();
  if (!header.mistake.empty()) {
    return wrong(header.mistake);
  }
  const auto type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                 [&](const auto& entry) { return entry.first == header.descr; });
  if (type == std::end(kTypes)) {
    return wrong(type_sentence(header.descr));
  }
  NpyArray array{type->second, std::move(*header.shape), {}};
  const std::optional<std::uint64_t> count = count_of(array.shape);
  const std::string_view data = std::string_view(bytes).substr(layout->data);
  const std::size_t element = byte_size(array.type);
  if (!count || *count * element != data.size()) {
    return wrong(
        tr("its shape {} needs {} bytes for its elements, but the file has {}; copy it again",
           shape_text(array.shape), count ? std::to_string(*count * element) : tr("far too many"),
           data.size()));
  }
  if (*header.fortran_order) {
    array.contents = in_c_order(data, array.shape, element);
  } else {
    const auto* const first = reinterpret_cast<const std::byte*>(data.data());
    array.contents.assign(first, first + data.size());
  }
  return array;
}

Result<std::vector<std::byte>> elements_of(const NpyArray& array, int rows, int cols,
                                           ElementType type, const std::string& name) {
  const auto wanted = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
  const bool same_width = !array.shape.empty() && array.shape.size() > 1 &&
                          array.shape.back() == static_cast<std::uint64_t>(cols);
  if (array.count() != wanted || !(same_width || rows == 1 || cols == 1)) {
    return fail(
        tr("{} has shape ({}), but {}×{} is needed; change the file, or the rows and cols of the "
           "buffer (you choose M, N and K).",
           name, fmt::join(array.shape, ", "), rows, cols));
  }
  if (array.type == type) {
    return array.contents;
  }
  const std::size_t from_bytes = byte_size(array.type);
  const std::size_t to_bytes = byte_size(type);
  std::vector<std::byte> elements(wanted * to_bytes);
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const double value = load_element(array.type, array.contents.data() + i * from_bytes);
    if (!fits(type, value)) {
      return fail(tr(
          "{}: row {}, column {} is {}, which the buffer's type cannot hold; give the buffer "
          "another type or save other values.",
          name, i / static_cast<std::uint64_t>(cols), i % static_cast<std::uint64_t>(cols), value));
    }
    store_element(type, value, elements.data() + i * to_bytes);
  }
  return elements;
}

Result<std::vector<Numbers>> parse_matrices(const std::string& text, const std::string& name) {
  std::vector<Numbers> matrices(1);
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) {  // byte order mark
    rest.remove_prefix(3);
  }
  for (int line_number = 1; !rest.empty(); ++line_number) {
    const auto end = rest.find('\n');
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    if (is_separator(line)) {
      matrices.emplace_back();
      continue;
    }
    TILESTEP_RETURN_IF_ERROR(append_row(matrices.back(), line, name, line_number));
  }
  for (const Numbers& matrix : matrices) {
    if (matrix.rows == 0) {
      return fail(tr("{} holds no values{}. Write one row per line, for example \"1, 2, 3\".", name,
                     matrices.size() > 1 ? tr(" before or after a line of ---") : ""));
    }
  }
  return matrices;
}

Result<Numbers> parse_csv(const std::string& text, const std::string& name) {
  Result<std::vector<Numbers>> matrices = parse_matrices(text, name);
  TILESTEP_RETURN_IF_ERROR(matrices);
  if (matrices->size() != 1) {
    return fail(tr("{} holds {} matrices, separated by lines of ---, but one is needed.", name,
                   matrices->size()));
  }
  return std::move(matrices->front());
}

}  // namespace tilestep::problem
