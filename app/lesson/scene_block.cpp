#include "lesson/scene_block.h"

#include "problem/describe/input_reader.h"
#include "problem/describe/toml_reader.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

namespace tilestep::lesson {
namespace {

constexpr std::int64_t kLargestInt = std::numeric_limits<int>::max();
constexpr std::int64_t kLargestIndex = std::numeric_limits<std::uint32_t>::max();

constexpr std::pair<std::string_view, simt::ScheduleKind> kSchedules[] = {
    {"lockstep", simt::ScheduleKind::Lockstep},
    {"sequential", simt::ScheduleKind::Sequential},
    {"run_ahead", simt::ScheduleKind::RunAhead},
    {"random", simt::ScheduleKind::Random}};
constexpr std::pair<std::string_view, state::Tab> kTabs[] = {{"step", state::Tab::Step},
                                                             {"timing", state::Tab::Timing}};
constexpr std::pair<std::string_view, state::Theme> kThemes[] = {{"dark", state::Theme::Dark},
                                                                 {"light", state::Theme::Light}};
constexpr std::pair<std::string_view, state::InspectorPage> kInspectorPages[] = {
    {"thread", state::InspectorPage::Thread},
    {"warp", state::InspectorPage::Warp},
    {"memory", state::InspectorPage::Memory},
    {"findings", state::InspectorPage::Findings}};
constexpr std::pair<std::string_view, state::SourcePage> kSourcePages[] = {
    {"source", state::SourcePage::Source}, {"ptx", state::SourcePage::Ptx}};
constexpr std::pair<std::string_view, state::TimingPage> kTimingPages[] = {
    {"block_size", state::TimingPage::BlockSize}, {"size", state::TimingPage::Size},
    {"ladder", state::TimingPage::Ladder},        {"roofline", state::TimingPage::Roofline},
    {"occupancy", state::TimingPage::Occupancy},  {"counters", state::TimingPage::Counters}};
constexpr std::pair<std::string_view, state::SpeedUnit> kSpeedUnits[] = {
    {"gflops", state::SpeedUnit::Gflops},
    {"of_cublas", state::SpeedUnit::OfCublas},
    {"of_peak", state::SpeedUnit::OfPeak}};

class Reader {
 public:
  explicit Reader(const std::string& file) : reader_(file) {}

  Scene read(const toml::table& table);
  [[nodiscard]] const std::optional<Error>& error() const { return reader_.error(); }

 private:
  void read_launch(const toml::table& table, state::AppState& state);
  void read_view(const toml::table& table, state::AppState& state);
  void read_focus(const toml::table& table, state::Focus& focus);
  void read_camera(const toml::table& table, state::Camera& camera);
  void read_timing(const toml::table& table, state::TimingView& timing);
  void read_breakpoints(const toml::table& table, state::AppState& state);

  // Leaves `value` as it is when the key is missing.
  template <class Integer>
  void integer(const toml::table& table, std::string_view key, std::int64_t lowest,
               std::int64_t highest, Integer& value) {
    const auto read = reader_.integer(table, key, static_cast<std::int64_t>(value));
    if (table.contains(key) && (read < lowest || read > highest)) {
      reader_.note(*table.get(key),
                   fmt::format("{} must be between {} and {}.", key, lowest, highest));
      return;
    }
    value = static_cast<Integer>(read);
  }

  void real(const toml::table& table, std::string_view key, float& value) {
    value = static_cast<float>(reader_.real(table, key, value));
  }

  template <class Value, std::size_t count>
  void word(const toml::table& table, std::string_view key,
            const std::pair<std::string_view, Value> (&words)[count], Value& value) {
    if (const toml::node* const node = table.get(key)) {
      value = reader_.word(*node, words);
    }
  }

  const toml::table* part(const toml::table& table, std::string_view key) {
    const toml::node* const node = table.get(key);
    return node == nullptr ? nullptr : reader_.table_of(*node, key);
  }

  problem::TomlReader reader_;
};

bool is_file_name(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos;
}

Scene Reader::read(const toml::table& table) {
  reader_.expect_keys(
      table,
      {"name",      "title",  "kernel", "M",         "N",      "K",           "block_size", "input",
       "schedule",  "warp",   "seed",   "warp_size", "place",  "focus",       "tab",        "theme",
       "inspector", "source", "scale",  "camera",    "timing", "breakpoints", "pace"});
  Scene scene;
  scene.name = reader_.required_string(table, "name");
  if (!is_file_name(scene.name)) {
    reader_.note(table.contains("name") ? *table.get("name") : table,
                 "name must be a file name: only lower-case letters, digits, - and _.");
  }
  scene.title = reader_.string(table, "title");
  read_launch(table, scene.state);
  read_view(table, scene.state);
  if (const toml::node* const node = table.get("place")) {
    if (const Result<Place> place = parse_place(reader_.string(table, "place"))) {
      scene.place = *place;
    } else {
      reader_.note(*node, place.error().message);
    }
  }
  return scene;
}

void Reader::read_launch(const toml::table& table, state::AppState& state) {
  state.kernel = reader_.string(table, "kernel", state.kernel);
  integer(table, "M", 1, kLargestInt, state.parameters.problem.M);
  integer(table, "N", 1, kLargestInt, state.parameters.problem.N);
  integer(table, "K", 1, kLargestInt, state.parameters.problem.K);
  integer(table, "block_size", 1, 1024, state.parameters.block_size);
  if (const toml::node* const input = table.get("input")) {
    state.input = problem::read_input(reader_, *input);
  }
  word(table, "schedule", kSchedules, state.schedule.kind);
  integer(table, "warp", 0, 1023, state.schedule.run_ahead_warp);
  integer(table, "seed", 0, kLargestIndex, state.schedule.seed);
  integer(table, "warp_size", 1, 32, state.warp_size);
  if (!std::has_single_bit(static_cast<unsigned>(state.warp_size))) {
    reader_.note(*table.get("warp_size"), "warp_size must be 1, 2, 4, 8, 16 or 32.");
  }
}

void Reader::read_view(const toml::table& table, state::AppState& state) {
  word(table, "tab", kTabs, state.tab);
  word(table, "theme", kThemes, state.theme);
  word(table, "inspector", kInspectorPages, state.inspector);
  word(table, "source", kSourcePages, state.source_page);
  real(table, "scale", state.scale);
  real(table, "pace", state.pace);
  read_focus(table, state.focus);
  read_camera(table, state.camera);
  read_timing(table, state.timing);
  read_breakpoints(table, state);
}

void Reader::read_focus(const toml::table& table, state::Focus& focus) {
  const toml::table* const keys = part(table, "focus");
  if (keys == nullptr) {
    return;
  }
  reader_.expect_keys(*keys, {"block", "thread", "cell", "row", "col"});
  integer(*keys, "block", 0, kLargestIndex, focus.block);
  integer(*keys, "thread", 0, 1023, focus.thread);
  focus.cell_of = reader_.string(*keys, "cell");
  integer(*keys, "row", 0, kLargestInt, focus.cell_row);
  integer(*keys, "col", 0, kLargestInt, focus.cell_col);
}

void Reader::read_camera(const toml::table& table, state::Camera& camera) {
  if (const toml::table* const keys = part(table, "camera")) {
    reader_.expect_keys(*keys, {"zoom", "x", "y"});
    real(*keys, "zoom", camera.zoom);
    real(*keys, "x", camera.x);
    real(*keys, "y", camera.y);
  }
}

void Reader::read_timing(const toml::table& table, state::TimingView& timing) {
  const toml::table* const keys = part(table, "timing");
  if (keys == nullptr) {
    return;
  }
  reader_.expect_keys(
      *keys, {"page", "unit", "dataset", "size", "log", "predict", "kernel", "block_size"});
  word(*keys, "page", kTimingPages, timing.page);
  word(*keys, "unit", kSpeedUnits, timing.unit);
  timing.dataset = reader_.string(*keys, "dataset", timing.dataset);
  int size = timing.problem.N;
  integer(*keys, "size", 1, kLargestInt, size);
  timing.problem = {size, size, size};
  timing.log_scale = reader_.boolean(*keys, "log", timing.log_scale);
  timing.predict = reader_.boolean(*keys, "predict", timing.predict);
  timing.selected_kernel = reader_.string(*keys, "kernel", timing.selected_kernel);
  integer(*keys, "block_size", 0, 32, timing.selected_block_size);
}

void Reader::read_breakpoints(const toml::table& table, state::AppState& state) {
  const toml::node* const node = table.get("breakpoints");
  if (node == nullptr) {
    return;
  }
  if (!node->is_array()) {
    reader_.note(*node, "breakpoints must be an array of line numbers.");
    return;
  }
  for (const toml::node& line : *node->as_array()) {
    if (!line.is_integer() || line.as_integer()->get() < 1 ||
        line.as_integer()->get() > kLargestInt) {
      reader_.note(line, "a breakpoint must be a line number, 1 or more.");
      return;
    }
    state.breakpoints.insert(static_cast<int>(line.as_integer()->get()));
  }
}

}  // namespace

Result<Scene> parse_scene_block(const std::string& toml, const std::string& file, int first_line,
                                const std::string& title) {
  // Empty lines before it make TOML's line numbers those of the file.
  const std::string padded = std::string(static_cast<std::size_t>(first_line - 1), '\n') + toml;
  const Result<toml::table> table = problem::parse_toml(padded, file);
  if (!table) {
    return tl::make_unexpected(table.error());
  }
  Reader reader(file);
  Scene scene = reader.read(*table);
  if (reader.error()) {
    return tl::make_unexpected(*reader.error());
  }
  if (scene.title.empty()) {
    scene.title = title.empty() ? scene.name : title;
  }
  return scene;
}

}  // namespace tilestep::lesson
