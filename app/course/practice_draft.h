// A question that is being made up, and what it is made from.
#pragma once

#include "course/answers.h"
#include "lesson/lesson.h"
#include "record/recording.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tilestep::course {

// In both languages.
struct Told {
  std::string en;
  std::string zh;
};

struct Draft {
  lesson::QuestionKind kind = lesson::QuestionKind::Number;
  Told ask = {};
  Told text = {};  // told afterwards; may be empty
  std::string answer = {};
  struct Mistake {
    std::string is;
    Told says;
  };
  std::vector<Mistake> wrong = {};
  lesson::Place at = {};
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
};

// Numbers that are the same everywhere: the standard's distributions are not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  // Of 0 … count - 1; `count` is not 0.
  [[nodiscard]] std::size_t of(std::size_t count) { return engine_() % count; }

 private:
  std::mt19937_64 engine_;
};

// Where an array is touched, and by what.
struct Touch {
  std::string array;
  simt::AccessKind kind = simt::AccessKind::Load;

  friend auto operator<=>(const Touch&, const Touch&) = default;
};
struct TouchedLine {
  std::uint32_t line = 0;
  std::size_t statement = 0;
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  bool is_only = true;  // no other line does it
};

// What is asked about.
struct Ground {
  Answers& answers;
  const lesson::Position& from;
  const record::Recording& recording;
  bool is_here = false;
  Dice dice;
  std::optional<std::map<Touch, TouchedLine>> lines = std::nullopt;  // made when first asked for

  [[nodiscard]] const simt::Program& program() const { return recording.program(); }
};

// Something to ask there, by chance; nothing: not there.
struct Maker {
  const char* name;
  std::optional<Draft> (*make)(Ground& ground);
};
[[nodiscard]] std::span<const Maker> makers();

}  // namespace tilestep::course
