#include "insight/names.h"
#include "narration/templates.h"
#include "problem/tr.h"
#include "ui/paint/painters.h"
#include "ui/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

using narration::part;
using narration::plain;

constexpr float kDone = 0.3F;       // of its hue, for done products
constexpr float kLeastEdge = 4.0F;  // pixels: a cube's shorter edge has no line
constexpr float kSmallest = 5.0F;   // lines of text: a smaller room has no words
constexpr float kVolumeWords = 1.35F;
constexpr float kMargin = 1.2F;      // lines around it, for letters
constexpr float kSmallCubes = 3.0F;  // lines: a small room without words
constexpr float kSmallPixels = 96.0F;

struct Placement {
  ImVec2 centre;
  float scale = 1.0F;
  [[nodiscard]] ImVec2 at(ImVec2 point) const {
    return {centre.x + scale * point.x, centre.y + scale * point.y};
  }
};

// As large as the whole product's frame fits in the room.
Placement place_in(const VolumePicture& picture, const Box& room) {
  ImVec2 low(1e6F, 1e6F);
  ImVec2 high(-1e6F, -1e6F);
  for (const VolumeLine& line : picture.frame) {
    for (const ImVec2& end : {line.from, line.to}) {
      low = {std::min(low.x, end.x), std::min(low.y, end.y)};
      high = {std::max(high.x, end.x), std::max(high.y, end.y)};
    }
  }
  const float scale =
      std::min(room.w / std::max(high.x - low.x, 1e-3F), room.h / std::max(high.y - low.y, 1e-3F));
  return {{room.x + 0.5F * room.w - 0.5F * scale * (low.x + high.x),
           room.y + 0.5F * room.h - 0.5F * scale * (low.y + high.y)},
          scale};
}

insight::ValueRole role_of(VolumeSide side) {
  switch (side) {
    case VolumeSide::A:
      return insight::ValueRole::A;
    case VolumeSide::B:
      return insight::ValueRole::B;
    case VolumeSide::C:
      break;
  }
  return insight::ValueRole::Sum;
}

float length(ImVec2 a, ImVec2 b) {
  return std::hypot(b.x - a.x, b.y - a.y);
}

std::array<ImVec2, 4> corners_of(const Placement& place, const VolumeFace& face) {
  std::array<ImVec2, 4> at{};
  std::ranges::transform(face.corners, at.begin(),
                         [&place](const ImVec2& corner) { return place.at(corner); });
  return at;
}

float shorter_edge(const std::array<ImVec2, 4>& at) {
  return std::min(length(at[0], at[1]), length(at[1], at[2]));
}

void paint_face(const StagePicture& p, const Placement& place, const VolumeFace& face) {
  const Theme& t = p.context.theme;
  const RoleColours& colours = role_colours(t, role_of(face.side));
  const std::array<ImVec2, 4> at = corners_of(place, face);
  p.list.AddConvexPolyFilled(
      at.data(), 4, face.is_running ? colours.solid.fill : mix(t.panel, colours.line, kDone));
  if (shorter_edge(at) >= kLeastEdge) {
    p.list.AddPolyline(at.data(), 4, with_alpha(t.panel, 0.75F), ImDrawFlags_Closed, 1.0F);
  }
}

// Drawn over all faces, so that no neighbor covers it.
void paint_focus(const StagePicture& p, const Placement& place, const VolumeFace& face) {
  const std::array<ImVec2, 4> at = corners_of(place, face);
  if (face.by_focus_thread && shorter_edge(at) >= kLeastEdge) {
    p.list.AddPolyline(at.data(), 4, p.context.theme.focus, ImDrawFlags_Closed,
                       std::max(1.5F, 0.1F * p.font));
  }
}

void paint_lines(const StagePicture& p, const Placement& place,
                 const std::vector<VolumeLine>& lines, bool behind, ImU32 colour, float width) {
  for (const VolumeLine& line : lines) {
    if (line.is_behind == behind) {
      p.list.AddLine(place.at(line.from), place.at(line.to), colour, width);
    }
  }
}

// A letter outside the frame, beside an edge.
void paint_letter(const StagePicture& p, const Placement& place, ImVec2 edge, const char* letter,
                  insight::ValueRole role) {
  const float size = 1.1F * p.font;
  const ImVec2 at = place.at(edge);
  const float away = std::max(length(place.centre, at), 1.0F);
  const float by = 0.8F * p.font / away;
  const ImVec2 text = p.context.fonts.mono->CalcTextSizeA(size, 1e6F, 0.0F, letter);
  p.list.AddText(p.context.fonts.mono, size,
                 {std::round(at.x + by * (at.x - place.centre.x) - 0.5F * text.x),
                  std::round(at.y + by * (at.y - place.centre.y) - 0.5F * text.y)},
                 role_colours(p.context.theme, role).line, letter);
}

void paint_cubes(const StagePicture& p, const VolumeScene& scene, const Placement& place) {
  const VolumePicture& picture = scene.picture;
  const Theme& t = p.context.theme;
  const ImU32 block = block_colour(t, p.program.block_index(scene.block));
  paint_lines(p, place, picture.frame, true, with_alpha(t.text_dim, 0.3F), 1.0F);
  paint_lines(p, place, picture.block, true, with_alpha(block, 0.5F), 1.5F);
  // Faces have neighbors or a line at every edge: antialiasing would leave seams.
  const ImDrawListFlags flags = p.list.Flags;
  p.list.Flags &= ~ImDrawListFlags_AntiAliasedFill;
  for (const VolumeFace& face : picture.faces) {
    paint_face(p, place, face);
  }
  p.list.Flags = flags;
  for (const VolumeFace& face : picture.faces) {
    paint_focus(p, place, face);
  }
  paint_lines(p, place, picture.frame, false, with_alpha(t.text_dim, 0.6F), 1.0F);
  paint_lines(p, place, picture.block, false, block, 2.0F);
  paint_letter(p, place, picture.i_label, "i", insight::ValueRole::A);
  paint_letter(p, place, picture.j_label, "j", insight::ValueRole::B);
  paint_letter(p, place, picture.k_label, "k", insight::ValueRole::Sum);
}

template <class Number>
narration::Pieces volume_number(Number value) {
  return plain(fmt::format("{}", value));
}

// "k = 2", "k = 4 to 7", "".
std::string running_text(const VolumeCount& count) {
  if (count.running == 0) {
    return "";
  }
  return count.first_k == count.last_k ? fmt::format("k = {}", count.first_k)
                                       : tr("k = {} to {}", count.first_k, count.last_k);
}

std::string say(narration::Say row, const narration::Places& places) {
  return narration::plain_text(part(row, places));
}

std::string count_text(const VolumeCount& count) {
  return say("volume_count",
             {{"done", volume_number(count.done)}, {"all", volume_number(count.all)}});
}

// The face at that point; faces are ordered from back to front.
const VolumeFace* face_at(const VolumePicture& picture, const Placement& place, ImVec2 point) {
  const VolumeFace* found = nullptr;
  for (const VolumeFace& face : picture.faces) {
    bool any_left = false;
    bool any_right = false;
    for (std::size_t i = 0; i < face.corners.size(); ++i) {
      const ImVec2 a = place.at(face.corners[i]);
      const ImVec2 b = place.at(face.corners[(i + 1) % face.corners.size()]);
      const float side = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);
      any_left = any_left || side < 0.0F;
      any_right = any_right || side > 0.0F;
    }
    found = any_left && any_right ? found : &face;
  }
  return found;
}

}  // namespace

bool paint_volume_corner(const StagePicture& p, const VolumeScene& scene, const Box& room) {
  const float margin = kMargin * p.font;
  const bool has_words = room.w >= 2.0F * kSmallest * p.font &&
                         room.h >= (kSmallest + kVolumeWords) * p.font + 2.0F * margin;
  const float words = has_words ? kVolumeWords * p.font : 0.0F;
  const Box cubes{room.x + margin, room.y + margin, room.w - 2.0F * margin,
                  room.h - 2.0F * margin - words};
  if (!has_words && std::min(cubes.w, cubes.h) < std::max(kSmallCubes * p.font, kSmallPixels)) {
    return false;
  }
  paint_cubes(p, scene, place_in(scene.picture, cubes));
  if (!has_words) {
    return true;
  }
  const std::string running = running_text(scene.count);
  std::string text = running + (running.empty() ? "" : " · ") + count_text(scene.count);
  const auto width = [&](float size) { return text_width(p.context.fonts.text, size, text); };
  const float smaller = 0.85F * p.font;
  text = width(smaller) > room.w ? running : text;
  p.list.AddText(p.context.fonts.text, width(p.font) > room.w ? smaller : p.font,
                 {room.x, room.bottom() - words}, p.context.theme.text, text.c_str());
  return true;
}

std::optional<std::uint32_t> paint_volume(const StagePicture& p, const VolumeScene& scene,
                                          const Box& room) {
  const Theme& t = p.context.theme;
  p.list.AddRectFilled({room.x, room.y}, {room.right(), room.bottom()}, t.panel);
  const float pad = 0.8F * p.font;
  const float column = std::min(24.0F * p.font, 0.4F * room.w);  // for words
  const float margin = 1.5F * p.font;
  const Box cubes{room.x + margin, room.y + margin, room.w - column - 2.0F * margin,
                  room.h - 2.0F * margin};
  const Placement place = place_in(scene.picture, cubes);
  paint_cubes(p, scene, place);
  const VolumeCount& count = scene.count;
  const Volume& v = scene.volume;
  const float left = room.right() - column;
  const float wrap = column - pad;
  float y = room.y + margin;
  const auto write = [&](ImFont* font, float size, ImU32 colour, const std::string& text) {
    const float height = font->CalcTextSizeA(size, 1e6F, wrap, text.c_str()).y;
    if (y + height <= room.bottom()) {
      p.list.AddText(font, size, {left, std::round(y)}, colour, text.c_str(), nullptr, wrap);
    }
    y += height + 0.6F * p.font;
  };
  write(p.context.fonts.bold, 1.4F * p.font, t.text,
        say("volume_title",
            {{"m", volume_number(v.m)}, {"n", volume_number(v.n)}, {"k", volume_number(v.k)}}));
  write(p.context.fonts.text, 1.1F * p.font, t.text, say("volume_cube", {}));
  write(p.context.fonts.text, 1.1F * p.font, t.text,
        say("volume_block", {{"block", plain(insight::block_name(p.program.block_index(scene.block),
                                                                 p.program.launch()))},
                             {"count", plain(count_text(count))}}));
  if (count.running > 0) {
    write(p.context.fonts.bold, 1.1F * p.font, role_colours(t, insight::ValueRole::Sum).line,
          say("volume_running",
              {{"count", volume_number(count.running)}, {"k", plain(running_text(count))}}));
  }
  write(p.context.fonts.text, p.font, t.text_dim, say("volume_faces", {}));
  write(p.context.fonts.text, p.font, t.text_dim, say("volume_keys", {}));
  const VolumeFace* const face = face_at(scene.picture, place, ImGui::GetIO().MousePos);
  return face == nullptr ? std::nullopt : std::optional(face->step);
}

void paint_no_volume(const StagePicture& p, const Box& room) {
  p.list.AddRectFilled({room.x, room.y}, {room.right(), room.bottom()}, p.context.theme.panel);
  p.list.AddText(p.context.fonts.text, 1.1F * p.font,
                 {room.x + 1.5F * p.font, room.y + 1.5F * p.font}, p.context.theme.text,
                 say("volume_none", {}).c_str(), nullptr, room.w - 3.0F * p.font);
}

}  // namespace tilestep::ui
