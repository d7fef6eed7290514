// A description that is written and read again gives the same launch: for every kernel of the
// catalog, and for one with values from files.
#include "folders.h"
#include "problem/describe/catalog.h"
#include "problem/describe/description.h"

#include <gtest/gtest.h>

namespace tilestep::problem {
namespace {

// Writes and reads the description of `spec`, without its text.
LaunchSpec again(const LaunchSpec& spec) {
  const Result<LaunchSpec> read =
      parse_description(description_text(spec, {}, {}, FileValues::Embedded), "again.toml");
  EXPECT_TRUE(read) << spec.id << ": " << read.error().message;
  LaunchSpec copy = read.value_or(LaunchSpec{});
  copy.source = spec.source;
  return copy;
}

InputSpec file_of(Pattern pattern, const std::string& text, const std::string& name) {
  InputSpec input = input_of(pattern);
  input.csv = text;
  input.csv_name = name;
  return input;
}

void expect_same_buffers(const std::vector<Buffer>& a, const std::vector<Buffer>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].type, b[i].type);
    EXPECT_EQ(a[i].rows, b[i].rows);
    EXPECT_EQ(a[i].pitch, b[i].pitch);
    EXPECT_EQ(a[i].role, b[i].role);
    EXPECT_EQ(a[i].contents, b[i].contents);
    ASSERT_EQ(a[i].expected.has_value(), b[i].expected.has_value());
    if (a[i].expected) {
      EXPECT_EQ(a[i].expected->reference, b[i].expected->reference);
      EXPECT_EQ(a[i].expected->of, b[i].expected->of);
      EXPECT_EQ(a[i].expected->values, b[i].expected->values);
      EXPECT_EQ(a[i].expected->tolerance, b[i].expected->tolerance);
    }
  }
}

void expect_same(const LaunchSpec& a, const LaunchSpec& b) {
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.summary, b.summary);
  EXPECT_EQ(a.family, b.family);
  EXPECT_EQ(a.source_name, b.source_name);
  EXPECT_EQ(a.uses_block_size, b.uses_block_size);
  EXPECT_EQ(a.ladder, b.ladder);
  EXPECT_EQ(a.timed, b.timed);
  EXPECT_EQ(a.closed_forms.size(), b.closed_forms.size());
  EXPECT_EQ(default_parameters(a), default_parameters(b));
  const Result<Launch> one = evaluate(a, default_parameters(a), {});
  const Result<Launch> two = evaluate(b, default_parameters(a), {});
  ASSERT_EQ(one.has_value(), two.has_value()) << a.id;
  if (!one) {
    return;
  }
  EXPECT_EQ(one->entry, two->entry);
  EXPECT_EQ(one->defines, two->defines);
  EXPECT_EQ(one->grid, two->grid);
  EXPECT_EQ(one->block, two->block);
  EXPECT_EQ(one->dynamic_shared_bytes, two->dynamic_shared_bytes);
  EXPECT_EQ(one->reference, two->reference);
  EXPECT_EQ(one->not_on_gpu, two->not_on_gpu);
  EXPECT_EQ(one->arguments.size(), two->arguments.size());
  expect_same_buffers(one->buffers, two->buffers);
  expect_same_buffers(one->variables, two->variables);
}

TEST(DescriptionText, OfEveryKernelIsReadBackAsItWas) {
  const Result<Catalog> catalog = load_catalog(test::share_folder() / "kernels");
  ASSERT_TRUE(catalog);
  for (const LaunchSpec& spec : catalog->kernels) {
    SCOPED_TRACE(spec.id);
    expect_same(spec, again(spec));
  }
}

TEST(DescriptionText, HoldsWhatIsInItsFiles) {
  LaunchSpec spec;
  spec.source_name = "k.cu";
  spec.entry = "k";
  spec.reference = "";
  spec.buffers.resize(3);
  spec.buffers[0].name = "x";
  spec.buffers[0].cols = "4";
  spec.buffers[0].input = file_of(Pattern::Csv, "1, 2\t3; 4\n", "x.csv");
  spec.buffers[1].name = "seeded";
  spec.buffers[1].cols = "8";
  spec.buffers[1].input = input_of(Pattern::DistinctIntegers);
  spec.buffers[1].input->seed = 7;
  spec.buffers[2].name = "y";
  spec.buffers[2].role = BufferRole::Output;
  spec.buffers[2].expected.emplace();
  spec.buffers[2].expected->values = input_of(Pattern::Constant);
  spec.buffers[2].expected->values.constant = 2.5;
  spec.buffers[2].expected->tolerance = 1e-3;
  const LaunchSpec read = again(spec);
  expect_same(spec, read);
  ASSERT_EQ(read.buffers.size(), 3U);
  EXPECT_EQ(read.buffers[0].input->csv, "1, 2\t3; 4\n");
}

TEST(DescriptionText, HoldsAnNpyFileByteByByte) {
  LaunchSpec spec;
  spec.source_name = "k.cu";
  spec.entry = "k";
  spec.buffers.resize(1);
  spec.buffers[0].name = "x";
  std::string bytes("\x93NUMPY\x01\x00v\x00\xff\n", 12);
  spec.buffers[0].input = file_of(Pattern::Npy, bytes, "x.npy");
  const LaunchSpec read = again(spec);
  EXPECT_EQ(read.buffers[0].input, spec.buffers[0].input);
  const auto damaged = parse_description(
      "entry = \"k\"\ngrid = 1\nblock = 1\nbuffers = [{ name = \"x\", input = { base64 = \"k05\" } "
      "}]",
      "d.toml");
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().message.find("all bytes"), std::string::npos);
}

}  // namespace
}  // namespace tilestep::problem
