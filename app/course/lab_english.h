// What is said of a graded text. One table, so that all of it can be read, tested and translated.
#pragma once

namespace tilestep::course::lab_english {

inline constexpr const char* kEmpty = "The text is empty.";
inline constexpr const char* kNoText = "Byte {byte} is 0: this is no text.";
inline constexpr const char* kCompiler = "Line {line}: {message}";
// A message without a line is about the kernel that is launched.
inline constexpr const char* kEntry =
    "The kernel keeps the name, template and parameters that it is handed out with: {message}";
inline constexpr const char* kWrong = "{element} is {value}, expected {expected}.";
inline constexpr const char* kNeverStored = "No thread stored {element}, expected {expected}.";
inline constexpr const char* kMoreWrong = " {wrong} of {elements} elements are wrong.";
inline constexpr const char* kNoReference =
    "Nothing says what the result should be, so it cannot be graded.";

// {what}: a count, of which there are several, or one thing.
inline constexpr const char* kAtMost = "{what} are {value}, at most {limit} are allowed.";
inline constexpr const char* kOneAtMost = "{what} is {value}, at most {limit} is allowed.";
inline constexpr const char* kLess = "{what} are {value}, less than {limit} are allowed.";
inline constexpr const char* kOneLess = "{what} is {value}, less than {limit} is allowed.";
inline constexpr const char* kAtLeast = "{what} are {value}, at least {limit} are demanded.";
inline constexpr const char* kOneAtLeast = "{what} is {value}, at least {limit} is demanded.";
inline constexpr const char* kMore = "{what} are {value}, more than {limit} are demanded.";
inline constexpr const char* kOneMore = "{what} is {value}, more than {limit} is demanded.";
inline constexpr const char* kEqual = "{what} are {value}, expected {limit}.";
inline constexpr const char* kOneEqual = "{what} is {value}, expected {limit}.";
inline constexpr const char* kOther = "{what} are {value}, which they must not be.";
inline constexpr const char* kOneOther = "{what} is {value}, which it must not be.";
inline constexpr const char* kNotTrue = "{condition} does not hold.";
inline constexpr const char* kNoValue = "{condition} has no value: {reason}";
inline constexpr const char* kSum = "{a} plus {b}";
inline constexpr const char* kOfKernel = "{count} of {kernel}";

inline constexpr const char* kSizes = "{m}×{n}×{k}";
inline constexpr const char* kBlockSize = ", BLOCK_SIZE {block_size}";
inline constexpr const char* kSchedule = ", {schedule}";
inline constexpr const char* kRunAhead = ", warp {warp} runs ahead";
inline constexpr const char* kWarpSize = ", {lanes} lanes a warp";
inline constexpr const char* kOneLane = ", one lane a warp";

}  // namespace tilestep::course::lab_english
