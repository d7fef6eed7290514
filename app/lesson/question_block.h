// The TOML of a ```question block → a Question. docs/formats.md, "Questions", documents the keys.
#pragma once

#include "lesson/block.h"

#include <string>

namespace tilestep::lesson {

[[nodiscard]] Result<Question> parse_question_block(const std::string& toml,
                                                    const BlockPlace& place);

}  // namespace tilestep::lesson
