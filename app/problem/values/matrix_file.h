// NumPy's .npy files, as numpy.save writes them.
//
// Format: numpy.lib.format, versions 1.0 to 3.0: "\x93NUMPY", the version, the length of the
// header, the header (a Python dictionary literal with descr, fortran_order and shape), the
// elements.
#pragma once

#include "problem/result.h"
#include "problem/values/element.h"
#include "problem/values/inputs.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilestep::problem {

// The content of a .npy file.
struct NpyArray {
  ElementType type = ElementType::F32;  // bool is U8
  std::vector<std::uint64_t> shape;     // empty: one element
  std::vector<std::byte> contents;      // elements in C order (last index fastest)

  [[nodiscard]] std::uint64_t count() const;
};

// `bytes`: a whole file; `name` for messages. Accepts little-endian f2, f4, f8, i1 … i8, u1 … u8
// and bool in C or Fortran order. Anything else (big-endian numbers, complex numbers, strings,
// Python objects, structures, a truncated file, an invalid shape) fails with place, cause and cure.
[[nodiscard]] Result<NpyArray> parse_npy(const std::string& bytes, const std::string& name);

// The elements as a rows×cols matrix, converted to `type`. The array has this shape, or it has that
// many elements of any shape if the matrix is one row or one column, or its leading dimensions form
// the rows. Fails if the shapes differ, or if a value does not fit the type: integers must be in
// range and whole; floating point rounds.
[[nodiscard]] Result<std::vector<std::byte>> elements_of(const NpyArray& array, int rows, int cols,
                                                         ElementType type, const std::string& name);

// Matrices as text, several in one file separated by lines of ---. Commas, semicolons, tabs or
// blanks separate cells; one row per line; empty lines and # lines are skipped.

// Parses at least one matrix, none of them empty. Fails with file:line, row and column.
[[nodiscard]] Result<std::vector<Numbers>> parse_matrices(const std::string& text,
                                                          const std::string& name);

// The only matrix of a text.
[[nodiscard]] Result<Numbers> parse_csv(const std::string& text, const std::string& name);

}  // namespace tilestep::problem
