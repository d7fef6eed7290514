// The data set's file format: reading with errors that name the place, writing one point per line.
#include "problem/tr.h"
#include "timing/dataset.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <re2/re2.h>
#include <simdjson.h>
#include <stdexcept>

namespace tilestep::timing {
namespace {

using Json = nlohmann::ordered_json;  // what is written
using Read = simdjson::dom::element;

constexpr const char* kFormat = "tilestep-timings";
constexpr int kVersion = 1;

// Carries "points[3].samples_ms[2]: …" up to parse_dataset; used only in this file.
class PlaceError : public std::runtime_error {
 public:
  PlaceError(const std::string& place, const std::string& what)
      : std::runtime_error(place + ": " + what) {}
};

std::string join(const std::string& place, const char* key) {
  return place.empty() ? key : place + "." + key;
}

std::optional<Read> optional_member(Read object, const char* key) {
  Read value;
  return object[key].get(value) == simdjson::SUCCESS ? std::optional(value) : std::nullopt;
}

Read member(Read object, const std::string& place, const char* key) {
  if (!object.is_object()) {
    throw PlaceError(place.empty() ? tr("top level") : place, tr("expected an object"));
  }
  const std::optional<Read> value = optional_member(object, key);
  if (!value) {
    throw PlaceError(join(place, key), tr("is missing"));
  }
  return *value;
}

// The elements of an array; `expected` is the error for another type.
simdjson::dom::array elements(Read value, const std::string& place, const char* expected) {
  simdjson::dom::array array;
  if (value.get(array) != simdjson::SUCCESS) {
    throw PlaceError(place, expected);
  }
  return array;
}

std::string text_in(Read value, const std::string& place, const char* key) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) {
    throw PlaceError(join(place, key), tr("expected a string in quotes"));
  }
  return std::string(text);
}

std::string text(Read object, const std::string& place, const char* key) {
  return text_in(member(object, place, key), place, key);
}

std::string optional_text(Read object, const std::string& place, const char* key) {
  const std::optional<Read> value = optional_member(object, key);
  return value ? text_in(*value, place, key) : std::string();
}

int integer_in(Read value, const std::string& place, const char* key, int smallest) {
  std::int64_t integer = 0;
  if (value.get(integer) != simdjson::SUCCESS || integer < smallest ||
      integer > std::numeric_limits<int>::max()) {
    throw PlaceError(join(place, key), tr("expected an integer of at least {}", smallest));
  }
  return static_cast<int>(integer);
}

int integer(Read object, const std::string& place, const char* key, int smallest) {
  return integer_in(member(object, place, key), place, key, smallest);
}

int optional_integer(Read object, const std::string& place, const char* key) {
  const std::optional<Read> value = optional_member(object, key);
  return value ? integer_in(*value, place, key, 0) : 0;
}

bool boolean(Read object, const std::string& place, const char* key) {
  bool value = false;
  if (member(object, place, key).get(value) != simdjson::SUCCESS) {
    throw PlaceError(join(place, key), tr("expected true or false"));
  }
  return value;
}

// `place()` returns the value's name, for an error: there are tens of thousands in a data set.
template <class Place>
double milliseconds(Read value, const Place& place) {
  double ms = 0.0;
  if (value.get(ms) != simdjson::SUCCESS || !(ms >= 0.0)) {
    throw PlaceError(place(), tr("expected a number of milliseconds, at least 0"));
  }
  return ms;
}

std::vector<double> samples(Read object, const std::string& place, const char* key) {
  const simdjson::dom::array array =
      elements(member(object, place, key), join(place, key), tr("expected an array of numbers"));
  std::vector<double> values;
  values.reserve(array.size());
  for (const Read value : array) {
    values.push_back(
        milliseconds(value, [&] { return fmt::format("{}.{}[{}]", place, key, values.size()); }));
  }
  return values;
}

double positive(Read object, const std::string& place, const char* key) {
  double value = 0.0;
  if (member(object, place, key).get(value) != simdjson::SUCCESS || !(value > 0.0)) {
    throw PlaceError(join(place, key), tr("expected a number above 0"));
  }
  return value;
}

Copies read_copies(Read json, const std::string& place) {
  return {positive(json, place, "pageable_to_device_gb_s"),
          positive(json, place, "pageable_to_host_gb_s"),
          positive(json, place, "locked_to_device_gb_s"),
          positive(json, place, "locked_to_host_gb_s")};
}

std::vector<Pitch> read_pitches(Read json, const std::string& place) {
  std::vector<Pitch> pitches;
  for (const Read pitch : elements(json, place, tr("expected an array"))) {
    const std::string at = fmt::format("{}[{}]", place, pitches.size());
    pitches.push_back({integer(pitch, at, "row_bytes", 1), integer(pitch, at, "pitch_bytes", 1)});
  }
  return pitches;
}

Ceilings read_ceilings(Read json, const std::string& place) {
  Ceilings c;
  c.architecture = integer(json, place, "architecture", 50);
  c.sms = integer(json, place, "sms", 1);
  c.l2_bytes = integer(json, place, "l2_bytes", 0);
  c.dram_gb_s = positive(json, place, "dram_gb_s");
  c.l2_gb_s = positive(json, place, "l2_gb_s");
  c.shared_gb_s = positive(json, place, "shared_gb_s");
  c.ffma_gflops = positive(json, place, "ffma_gflops");
  c.date = text(json, place, "date");
  if (const auto copies = optional_member(json, "copies")) {
    c.copies = read_copies(*copies, join(place, "copies"));
  }
  if (const auto pitches = optional_member(json, "pitches")) {
    c.pitches = read_pitches(*pitches, join(place, "pitches"));
  }
  return c;
}

Json write_ceilings(const Ceilings& c) {
  Json json{{"architecture", c.architecture}, {"sms", c.sms},
            {"l2_bytes", c.l2_bytes},         {"dram_gb_s", c.dram_gb_s},
            {"l2_gb_s", c.l2_gb_s},           {"shared_gb_s", c.shared_gb_s},
            {"ffma_gflops", c.ffma_gflops},   {"date", c.date}};
  if (c.copies) {
    json["copies"] = {{"pageable_to_device_gb_s", c.copies->pageable_to_device_gb_s},
                      {"pageable_to_host_gb_s", c.copies->pageable_to_host_gb_s},
                      {"locked_to_device_gb_s", c.copies->locked_to_device_gb_s},
                      {"locked_to_host_gb_s", c.copies->locked_to_host_gb_s}};
  }
  for (const Pitch& pitch : c.pitches) {
    json["pitches"].push_back({{"row_bytes", pitch.row_bytes}, {"pitch_bytes", pitch.pitch_bytes}});
  }
  return json;
}

Provenance read_provenance(Read json) {
  const std::string place = "provenance";
  Provenance p;
  p.gpu = text(json, place, "gpu");
  p.driver = text(json, place, "driver");
  p.cuda = text(json, place, "cuda");
  p.cublas = text(json, place, "cublas");
  p.date = text(json, place, "date");
  p.host = text(json, place, "host");
  p.sm_clock_mhz = integer(json, place, "sm_clock_mhz", 0);
  p.memory_clock_mhz = integer(json, place, "memory_clock_mhz", 0);
  p.max_sm_clock_mhz = integer(json, place, "max_sm_clock_mhz", 0);
  p.method = text(json, place, "method");
  if (const auto ceilings = optional_member(json, "ceilings")) {
    p.ceilings = read_ceilings(*ceilings, join(place, "ceilings"));
  }
  return p;
}

Point read_point(Read json, const std::string& place) {
  Point point;
  point.kernel = text(json, place, "kernel");
  point.problem = {integer(json, place, "M", 1), integer(json, place, "N", 1),
                   integer(json, place, "K", 1)};
  point.block_size = integer(json, place, "block_size", 0);
  point.samples_ms = samples(json, place, "samples_ms");
  point.verified = boolean(json, place, "verified");
  point.note = optional_text(json, place, "note");
  point.sm_clock_mhz = optional_integer(json, place, "sm_clock_mhz");
  point.registers = optional_integer(json, place, "registers");
  point.shared_bytes = optional_integer(json, place, "shared_bytes");
  point.temperature_c = optional_integer(json, place, "temperature_c");
  point.held_back_by = optional_text(json, place, "held_back_by");
  point.launched = optional_text(json, place, "launched");
  if (const auto flops = optional_member(json, "flops")) {
    if (flops->get(point.flops) != simdjson::SUCCESS || !(point.flops > 0.0)) {
      throw PlaceError(join(place, "flops"), tr("expected a number of operations, above 0"));
    }
  }
  if (const auto reference = optional_member(json, "reference_ms")) {
    point.reference_ms = milliseconds(*reference, [&] { return join(place, "reference_ms"); });
  }
  if (optional_member(json, "warm_samples_ms")) {
    point.warm_samples_ms = samples(json, place, "warm_samples_ms");
  }
  if (point.samples_ms.empty() && point.note.empty()) {
    throw PlaceError(place, tr("has no samples and no note that gives the reason"));
  }
  return point;
}

DataSet read_dataset(Read json) {
  if (text(json, "", "format") != kFormat) {
    throw PlaceError("format", tr("expected \"{}\"", kFormat));
  }
  const int version = integer(json, "", "version", 1);
  if (version > kVersion) {
    throw PlaceError(
        "version",
        tr("is {}, but this Tilestep reads versions up to {}. Update Tilestep", version, kVersion));
  }
  DataSet data;
  data.provenance = read_provenance(member(json, "", "provenance"));
  const simdjson::dom::array points =
      elements(member(json, "", "points"), "points", tr("expected an array"));
  data.points.reserve(points.size());
  for (const Read point : points) {
    data.points.push_back(read_point(point, fmt::format("points[{}]", data.points.size())));
  }
  return data;
}

// The text's value, which the parser owns. Reading a data set so takes a sixth of the instructions
// that nlohmann's values take, but only nlohmann knows where a mistake is.
Result<Read> root_of(simdjson::dom::parser& parser, const std::string& json,
                     const std::string& name) {
  Read root;
  const simdjson::error_code mistake = parser.parse(json).get(root);
  if (mistake == simdjson::SUCCESS) {
    return root;
  }
  try {
    const Json has_another_mistake = Json::parse(json);  // throws with the place
  } catch (const nlohmann::json::exception& error) {
    return tl::unexpected(json_mistake(name, error.what()));
  }
  return tl::unexpected(json_mistake(name, simdjson::error_message(mistake)));
}

// Host and device names are external data: invalid UTF-8 is replaced instead of causing an
// exception.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json write_point(const Point& point) {
  Json json = {{"kernel", point.kernel},         {"M", point.problem.M},
               {"N", point.problem.N},           {"K", point.problem.K},
               {"block_size", point.block_size}, {"verified", point.verified}};
  const auto add_known = [&json](const char* key, int value) {
    if (value != 0) {
      json[key] = value;
    }
  };
  add_known("sm_clock_mhz", point.sm_clock_mhz);
  add_known("registers", point.registers);
  add_known("shared_bytes", point.shared_bytes);
  add_known("temperature_c", point.temperature_c);
  if (!point.held_back_by.empty()) {
    json["held_back_by"] = point.held_back_by;
  }
  if (!point.launched.empty()) {
    json["launched"] = point.launched;
  }
  if (point.flops > 0.0) {
    json["flops"] = point.flops;
  }
  if (point.reference_ms > 0.0) {
    json["reference_ms"] = point.reference_ms;
  }
  if (!point.note.empty()) {
    json["note"] = point.note;
  }
  json["samples_ms"] = point.samples_ms.ms();
  if (!point.warm_samples_ms.empty()) {
    json["warm_samples_ms"] = point.warm_samples_ms;
  }
  return json;
}

// Removes everything up to the first `end`, if there is one.
bool cut_through(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  if (at != std::string_view::npos) {
    text.remove_prefix(at + end.size());
  }
  return at != std::string_view::npos;
}

}  // namespace

Result<DataSet> parse_dataset(const std::string& json, const std::string& name) {
  simdjson::dom::parser parser;
  const Result<Read> root = root_of(parser, json, name);
  TILESTEP_RETURN_IF_ERROR(root);
  try {
    DataSet data = read_dataset(*root);
    data.name = name;
    return data;
  } catch (const PlaceError& error) {
    return fail(fmt::format("{}: {}.", name, error.what()));
  }
}

Result<Point> parse_point(const std::string& json) {
  simdjson::dom::parser parser;
  const Result<Read> root = root_of(parser, json, "point");
  TILESTEP_RETURN_IF_ERROR(root);
  try {
    return read_point(*root, "point");
  } catch (const PlaceError& error) {
    return fail(error.what());
  }
}

std::string to_json(const Point& point) {
  return dump(write_point(point));
}

std::string to_json(const DataSet& data) {
  const Provenance& p = data.provenance;
  Json provenance = {{"gpu", p.gpu},
                     {"driver", p.driver},
                     {"cuda", p.cuda},
                     {"cublas", p.cublas},
                     {"date", p.date},
                     {"host", p.host},
                     {"sm_clock_mhz", p.sm_clock_mhz},
                     {"memory_clock_mhz", p.memory_clock_mhz},
                     {"max_sm_clock_mhz", p.max_sm_clock_mhz},
                     {"method", p.method}};
  if (p.ceilings) {
    provenance["ceilings"] = write_ceilings(*p.ceilings);
  }
  std::string points;
  for (const Point& point : data.points) {
    points += points.empty() ? "\n    " : ",\n    ";
    points += to_json(point);
  }
  return fmt::format(
      "{{\n  \"format\": \"{}\",\n  \"version\": {},\n  \"provenance\": {},\n  \"points\": [{}\n  "
      "]\n}}\n",
      kFormat, kVersion, dump(provenance), points);
}

Error json_mistake(const std::string& file, std::string_view what) {
  if (what.starts_with("[json.exception.")) {
    cut_through(what, "] ");
  }
  std::string place = file;
  static const re2::RE2 kPlace("parse error at line ([0-9]{1,9}), column ([0-9]{1,9}):");
  int line = 0;
  int column = 0;
  if (re2::RE2::PartialMatch(re2::StringPiece(what.data(), std::min<std::size_t>(what.size(), 80)),
                             kPlace, &line, &column)) {
    place = fmt::format("{}:{}:{}", file, line, column);
    cut_through(what, ": ");
    if (what.starts_with("syntax error while parsing")) {
      cut_through(what, " - ");
    }
  }
  return {tr("{}: not JSON: {}. Correct the file, or write it again.", place, what)};
}

}  // namespace tilestep::timing
