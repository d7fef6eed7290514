#include "problem/values/element.h"
#include "problem/values/matrix_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tilestep::problem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A file as numpy.save writes it: header padded with blanks to a multiple of 64.
std::string file(const std::string& header, const std::string& data, char version = 1) {
  std::string text = header;
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + text.size() + 1) % 64 != 0) {
    text += ' ';
  }
  text += '\n';
  std::string bytes = std::string("\x93NUMPY") + version + '\0';
  for (std::size_t i = 0; i < (version == 1 ? 2U : 4U); ++i) {
    bytes += static_cast<char>((text.size() >> (8 * i)) & 0xffU);
  }
  return bytes + text + data;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

std::vector<double> numbers(const NpyArray& array) {
  std::vector<double> found;
  for (std::size_t i = 0; i < array.count(); ++i) {
    found.push_back(load_element(array.type, array.contents.data() + i * byte_size(array.type)));
  }
  return found;
}

std::string mistake(const std::string& bytes) {
  const Result<NpyArray> array = parse_npy(bytes, "a.npy");
  return array ? "" : array.error().message;
}

TEST(Npy, IsReadInEveryVersionAndOrder) {
  const std::string data = bytes_of<float>({1, 2, 3, 4, 5, 6});
  for (const char version : {'\1', '\2', '\3'}) {
    const auto array = parse_npy(file(header("<f4", "(2, 3)"), data, version), "a.npy");
    ASSERT_TRUE(array) << array.error().message;
    EXPECT_THAT(array->shape, ElementsAre(2, 3));
    EXPECT_THAT(numbers(*array), ElementsAre(1, 2, 3, 4, 5, 6));
  }
  const auto fortran = parse_npy(file(header("<f4", "(2, 3)", true), data), "a.npy");
  ASSERT_TRUE(fortran);
  EXPECT_THAT(numbers(*fortran), ElementsAre(1, 3, 5, 2, 4, 6));
  const auto deep = parse_npy(file(header("<f4", "(1, 2, 3)", true), data), "a.npy");
  ASSERT_TRUE(deep);
  EXPECT_THAT(numbers(*deep), ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(Npy, HoldsEveryTypeOfNumber) {
  const auto read = [](const std::string& descr, const std::string& data) {
    const auto array = parse_npy(file(header(descr, "(2,)"), data), "a.npy");
    EXPECT_TRUE(array) << descr << (array ? "" : array.error().message);
    return array ? numbers(*array) : std::vector<double>();
  };
  EXPECT_THAT(read("<f8", bytes_of<double>({0.1, -2})), ElementsAre(0.1, -2));
  EXPECT_THAT(read("<f2", bytes_of<std::uint16_t>({0x3c00, 0xc000})), ElementsAre(1, -2));
  EXPECT_THAT(read("|b1", bytes_of<char>({0, 1})), ElementsAre(0, 1));
  EXPECT_THAT(read("|i1", bytes_of<std::int8_t>({-3, 4})), ElementsAre(-3, 4));
  EXPECT_THAT(read("|u1", bytes_of<std::uint8_t>({200, 4})), ElementsAre(200, 4));
  EXPECT_THAT(read("<i2", bytes_of<std::int16_t>({-300, 4})), ElementsAre(-300, 4));
  EXPECT_THAT(read("<u2", bytes_of<std::uint16_t>({60000, 4})), ElementsAre(60000, 4));
  EXPECT_THAT(read("<i4", bytes_of<std::int32_t>({-300000, 4})), ElementsAre(-300000, 4));
  EXPECT_THAT(read("<u4", bytes_of<std::uint32_t>({4000000000U, 4})), ElementsAre(4e9, 4));
  EXPECT_THAT(read("<i8", bytes_of<std::int64_t>({-5, 4})), ElementsAre(-5, 4));
  EXPECT_THAT(read("<u8", bytes_of<std::uint64_t>({5, 4})), ElementsAre(5, 4));
}

TEST(Npy, OneNumberAndNoneAreShapesToo) {
  const auto one = parse_npy(file(header("<f4", "()"), bytes_of<float>({7})), "a.npy");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->count(), 1U);
  const auto none = parse_npy(file(header("<f4", "(0, 3)"), ""), "a.npy");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->count(), 0U);
}

TEST(Npy, WhatCannotBeReadIsASentenceWithTheCure) {
  EXPECT_THAT(mistake("PK\3\4 a zip"),
              HasSubstr("it is not an .npy file; write one with numpy.save"));
  EXPECT_THAT(mistake(""), HasSubstr("it is not an .npy file"));
  EXPECT_THAT(mistake("\x93NUMPY"), HasSubstr("it is not an .npy file"));
  EXPECT_THAT(mistake(file(header("<f4", "(1,)"), "", '\4')), HasSubstr("its version is 4"));
  EXPECT_THAT(mistake(std::string("\x93NUMPY\1\0", 8)), HasSubstr("ends inside its header"));
  EXPECT_THAT(mistake(file(header("<f4", "(2, 2)"), "").substr(0, 40)),
              HasSubstr("ends inside its header"));
  EXPECT_THAT(mistake(file(header("<f4", "(2, 2)"), bytes_of<float>({1, 2, 3}))),
              HasSubstr("its shape 2×2 needs 16 bytes for its elements, but the file has 12"));
  EXPECT_THAT(mistake(file(header(">f4", "(1,)"), bytes_of<float>({1}))),
              HasSubstr("big-endian ('>f4'); save a.astype(a.dtype.newbyteorder('<'))"));
  EXPECT_THAT(mistake(file(header("|O", "(1,)"), "12345678")), HasSubstr("Python objects"));
  EXPECT_THAT(mistake(file(header("<c8", "(1,)"), "12345678")), HasSubstr("of type '<c8'"));
  EXPECT_THAT(mistake(file(header("<U3", "(1,)"), "123456789012")), HasSubstr("of type '<U3'"));
  EXPECT_THAT(
      mistake(file("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")),
      HasSubstr("structures; save one field"));
}

TEST(Npy, AHeaderThatIsNoneIsRefused) {
  for (const char* const text :
       {"", "{", "[]", "{'descr'", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': Maybe}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}", "{descr: 1}"}) {
    EXPECT_THAT(mistake(file(text, "12345678")), HasSubstr("a.npy cannot be used: ")) << text;
  }
}

TEST(Npy, AShapeThatOverflowsIsRefused) {
  for (const char* const shape :
       {"(4294967296, 4294967296)", "(18446744073709551615, 18446744073709551615)",
        "(99999999999999999999,)", "(1099511627777,)"}) {
    EXPECT_THAT(mistake(file(header("<f4", shape), "1234")), HasSubstr("a.npy cannot be used"))
        << shape;
  }
}

NpyArray array_of(std::vector<std::uint64_t> shape, std::initializer_list<double> values) {
  NpyArray array{ElementType::F64, std::move(shape), {}};
  for (const double value : values) {
    array.contents.resize(array.contents.size() + sizeof value);
    std::memcpy(array.contents.data() + array.contents.size() - sizeof value, &value, sizeof value);
  }
  return array;
}

TEST(ElementsOf, ConvertToTheBuffersType) {
  const auto ints = elements_of(array_of({4}, {-2, 0, 3, 127}), 1, 4, ElementType::S8, "a.npy");
  ASSERT_TRUE(ints);
  EXPECT_THAT(*ints, ElementsAre(std::byte{0xFE}, std::byte{0}, std::byte{3}, std::byte{127}));
  const auto half = elements_of(array_of({1, 1}, {-2}), 1, 1, ElementType::F16, "a.npy");
  ASSERT_TRUE(half);
  EXPECT_THAT(*half, ElementsAre(std::byte{0}, std::byte{0xC0}));
}

TEST(ElementsOf, RefusesWhatDoesNotFit) {
  const auto message = [](double value, ElementType type) {
    const auto made = elements_of(array_of({1, 2}, {0, value}), 1, 2, type, "a.npy");
    return made ? "" : made.error().message;
  };
  EXPECT_THAT(message(128, ElementType::S8), HasSubstr("row 0, column 1 is 128"));
  EXPECT_THAT(message(-1, ElementType::U32), HasSubstr("is -1"));
  EXPECT_THAT(message(0.5, ElementType::S32), HasSubstr("is 0.5"));
  EXPECT_THAT(message(1e300, ElementType::S64), HasSubstr("which the buffer's type cannot hold"));
  EXPECT_THAT(message(std::nan(""), ElementType::S32), HasSubstr("nan"));
  EXPECT_EQ(message(1e300, ElementType::F32), "");
}

TEST(ElementsOf, ChecksTheShape) {
  const NpyArray array = array_of({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto fits = [&](int rows, int cols) {
    return elements_of(array, rows, cols, ElementType::F64, "a.npy").has_value();
  };
  EXPECT_TRUE(fits(2, 3));
  EXPECT_TRUE(fits(1, 6));
  EXPECT_TRUE(fits(6, 1));
  EXPECT_FALSE(fits(3, 2));
  EXPECT_FALSE(fits(2, 2));
  EXPECT_TRUE(elements_of(array_of({2, 1, 2}, {1, 2, 3, 4}), 2, 2, ElementType::F64, "a.npy"));
  EXPECT_THAT(elements_of(array, 3, 2, ElementType::F64, "a.npy").error().message,
              HasSubstr("a.npy has shape (2, 3), but 3×2 is needed"));
}

}  // namespace
}  // namespace tilestep::problem
