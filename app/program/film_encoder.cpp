#include "problem/file.h"
#include "problem/text.h"
#include "problem/tr.h"
#include "program/film.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tilestep::program {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Names of intermediate files.
constexpr const char* kLossless = "film.mkv";
constexpr const char* kPalette = "palette.png";

fs::path unfinished(const fs::path& file) {
  return file.string() + std::string(problem::kUnfinishedFile);
}

Words first_words() {
  return {"ffmpeg", "-nostdin", "-loglevel", "error", "-y"};
}

void append(Words& words, Words more) {
  words.insert(words.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

// Reads raw pictures from standard input.
Words read_words(const FilmEncoder::Settings& s) {
  Words words = first_words();
  append(words, {"-f", "rawvideo", "-pixel_format", "rgba", "-video_size",
                 fmt::format("{}x{}", s.width, s.height), "-framerate", std::to_string(kFilmRate),
                 "-i", "pipe:0"});
  return words;
}

// Plays everywhere: H.264 with halved colors, and the index at the front.
Words mp4_words(const FilmEncoder::Settings& s) {
  Words words = read_words(s);
  append(words, {"-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"});
  append(words, {"-c:v", "libx264", "-preset", "medium", "-crf", "18", "-tune", "animation"});
  append(words, {"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"});
  append(words, {"-movflags", "+faststart", "-f", "mp4", unfinished(s.file).string()});
  return words;
}

// A GIF has one palette of 256 colors, which is known after the last picture: the film is stored
// losslessly until then.
Words lossless_words(const FilmEncoder::Settings& s, const fs::path& film,
                     const fs::path& palette) {
  Words words = read_words(s);
  append(words, {"-filter_complex",
                 "split[film][colours];[colours]palettegen=reserve_transparent=0[palette]"});
  append(words, {"-map", "[film]", "-c:v", "ffv1", "-pix_fmt", "bgr0", film.string()});
  append(words, {"-map", "[palette]", "-frames:v", "1", "-update", "1", palette.string()});
  return words;
}

Words gif_words(const FilmEncoder::Settings& s, const fs::path& film, const fs::path& palette) {
  Words words = first_words();
  append(words, {"-i", film.string(), "-i", palette.string()});
  append(words, {"-lavfi", "paletteuse=dither=none:diff_mode=rectangle"});
  append(words, {"-loop", "0", "-f", "gif", unfinished(s.file).string()});
  return words;
}

Result<fs::path> make_scratch() {
  std::error_code error;
  const fs::path folder =
      fs::temp_directory_path(error) / fmt::format("tilestep-film-{:08x}", std::random_device()());
  if (error || !fs::create_directory(folder, error)) {
    return fail(
        tr("Cannot create a folder for intermediate pictures. Set TMPDIR to a writable folder."));
  }
  fs::permissions(folder, fs::perms::owner_all, error);
  return folder;
}

Result<workspace::Child> start_ffmpeg(const Words& words, std::optional<std::string_view> input) {
  auto child = workspace::Child::start(words, input);
  if (!child) {
    return fail(
        tr("A film needs the program ffmpeg. {} Install it (Debian: sudo apt install ffmpeg), then "
           "try again.",
           child.error().message));
  }
  return child;
}

}  // namespace

Result<FilmFormat> film_format(const fs::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".gif" || ending == ".GIF") {
    return FilmFormat::Gif;
  }
  if (ending == ".mp4" || ending == ".MP4") {
    return FilmFormat::Mp4;
  }
  return fail(tr("{}: a film is a GIF or MP4 file. Choose a name that ends in .gif or .mp4.",
                 file.string()));
}

FilmEncoder::Scratch::~Scratch() {
  if (!folder_.empty()) {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
}

Result<FilmEncoder> FilmEncoder::start(const Settings& settings) {
  auto folder = make_scratch();
  TILESTEP_RETURN_IF_ERROR(folder);
  Scratch scratch(std::move(*folder));
  const Words words = settings.format == FilmFormat::Mp4
                          ? mp4_words(settings)
                          : lossless_words(settings, scratch / kLossless, scratch / kPalette);
  auto child = start_ffmpeg(words, std::nullopt);
  TILESTEP_RETURN_IF_ERROR(child);
  return FilmEncoder(settings, std::move(scratch), std::move(*child));
}

FilmEncoder::~FilmEncoder() {
  if (!settings_.file.empty()) {
    std::error_code ignored;
    fs::remove(unfinished(settings_.file), ignored);
  }
}

Error FilmEncoder::failure() const {
  const std::string said(trimmed(child_.errors()));
  return {tr("{} cannot be written: ffmpeg reports '{}'. Choose another path or format.",
             settings_.file.string(), said.substr(0, said.find('\n')))};
}

Result<void> FilmEncoder::end() {
  child_.end_input();
  return child_.wait() == 0 ? Result<void>() : tl::unexpected(failure());
}

Result<void> FilmEncoder::add(const platform::Image& image) {
  if (child_.write(image.rgba)) {
    return {};
  }
  static_cast<void>(end());
  return tl::unexpected(failure());
}

Result<void> FilmEncoder::finish() {
  if (auto ended = end(); !ended) {
    return ended;
  }
  if (settings_.format == FilmFormat::Gif) {
    auto child = start_ffmpeg(gif_words(settings_, scratch_ / kLossless, scratch_ / kPalette), "");
    TILESTEP_RETURN_IF_ERROR(child);
    child_ = std::move(*child);
    if (auto ended = end(); !ended) {
      return ended;
    }
  }
  std::error_code error;
  fs::rename(unfinished(settings_.file), settings_.file, error);
  if (error) {
    return fail(tr("{} cannot be written: {}. Choose another path.", settings_.file.string(),
                   error.message()));
  }
  return {};
}

}  // namespace tilestep::program
