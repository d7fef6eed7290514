// Links in a lesson's text that change what is on stage: [As[1][2]](#cell=As[1][2]),
// [naive](#kernel=naive&block_size=4), [the load](#scene=load-1). docs/formats.md, "Links".
#pragma once

#include "lesson/place.h"
#include "lesson/text.h"
#include "problem/result.h"
#include "state/app_state.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::lesson {

// What a scene, a question or a link shows: a state and the place in its run.
struct Position {
  state::AppState state;  // its step is still 0: go_to() finds it
  Place place;

  friend bool operator==(const Position& a, const Position& b) {
    return a.state == b.state && a.place.kind == b.place.kind && a.place.number == b.place.number;
  }
};

// One key with its value as it is written: block_size and 4.
struct Change {
  std::string key;
  std::string value;

  friend bool operator==(const Change&, const Change&) = default;
};

// What a name of a scene means to the caller; nothing: there is none of that name.
using PositionNamed = std::function<std::optional<Position>(const std::string& name)>;

// "#block=1&thread=6" → its changes, in order; nothing for a link to somewhere else.
[[nodiscard]] std::optional<std::vector<Change>> changes_of(std::string_view link);
// One after the other. Keys are those of a scene, and `scene` (all of it), `block`, `thread`,
// `cell` (of the focus). Fails with a sentence: an unknown key, a value that it cannot have.
[[nodiscard]] Result<Position> changed(Position from, std::span<const Change> changes,
                                       const PositionNamed& scene_named);

// The same for whoever knows the scenes, and where files of kernels lie: Lesson::follow().
using Follow = std::function<Result<Position>(const Position& from, std::span<const Change>)>;

struct Link {
  std::string target;  // "#cell=As[1][2]"
  std::string words;   // "As[1][2]"
};
// Of a Markdown text, in order.
[[nodiscard]] std::vector<Link> links_in(const std::string& markdown);
// The text with the words of links that change the stage, [As[1][2]](#cell=As[1][2]), in place of
// the links: for paper. Other links stay.
[[nodiscard]] std::string without_stage_links(const std::string& markdown);

}  // namespace tilestep::lesson
