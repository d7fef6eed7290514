// Variants of a lab: the same task with other names, other sizes or another mistake.
//
// A seed is any text, such as a student's name. It chooses one alternative of each LabChange and of
// each row with others. The empty seed chooses the first one of all: the lab as its files have it.
// Everything here is pure: a seed chooses the same variant on every machine.
#pragma once

#include "lesson/lesson.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tilestep::lesson {

// The lab with the rows of that variant. Its changes stay.
[[nodiscard]] Lab variant_of(Lab lab, const std::string& seed);

// How many variants it has, at least 1.
[[nodiscard]] std::uint64_t variants_of(const Lab& lab);

// The starter code of a variant. `text`: of the lab's .cu file. Comments are in the current
// language; the first line names the seed, unless it is empty. Line numbers are those of `text`,
// plus 1 with a seed.
[[nodiscard]] std::string starter_code(const Lab& lab, const std::string& text,
                                       const std::string& seed);

// The seed that the first line of a text names; empty: none.
[[nodiscard]] std::string seed_in(std::string_view text);

}  // namespace tilestep::lesson
