// An AppState as TOML, the form of a lesson's scenes; docs/formats/lesson.md, documents the
// keys.
//
// One list of fields (state_fields.h) serves the reader and the writer. TOML is the only form,
// because people write scenes by hand and want comments; a second form would be another list to
// keep up to date.
#pragma once

#include "problem/describe/toml_reader.h"
#include "state/app_state.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::state {

// Writes every field.
[[nodiscard]] std::string to_toml(const AppState& state);
// Missing keys keep the field's default. Errors name `file`, the line and the mistake: an unknown
// key or an invalid value.
[[nodiscard]] Result<AppState> from_toml(const std::string& toml, const std::string& file);

// The Setup that `compare = "name"` refers to; nullopt if the name is unknown.
using SetupNamed = std::function<std::optional<Setup>(const std::string& name)>;

// Reads like from_toml, for a table that also has keys of the caller.
void read_fields(problem::TomlReader& reader, const toml::table& table,
                 const std::vector<std::string_view>& other_keys, AppState& state,
                 const SetupNamed& setup_named = {});

}  // namespace tilestep::state
