// An AppState as TOML, the form a scene of a lesson has; docs/formats.md, "Lesson", documents the
// keys.
//
// One list of fields (state_fields.h) serves reader and writer. People write scenes by hand and
// want comments, so the one form is TOML: a second one, with other names for the same fields, would
// be another thing to keep in step.
#pragma once

#include "problem/describe/toml_reader.h"
#include "state/app_state.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::state {

// Every field.
[[nodiscard]] std::string to_toml(const AppState& state);
// Missing keys keep the field's default. Fails with `file`, line and what is wrong: a key that is
// not known, a value that the field cannot have.
[[nodiscard]] Result<AppState> from_toml(const std::string& toml, const std::string& file);

// What `compare = "name"` means to the caller; nothing: there is none of that name.
using SetupNamed = std::function<std::optional<Setup>(const std::string& name)>;

// As from_toml, for a table that has keys of its caller as well.
void read_fields(problem::TomlReader& reader, const toml::table& table,
                 const std::vector<std::string_view>& other_keys, AppState& state,
                 const SetupNamed& setup_named = {});

}  // namespace tilestep::state
