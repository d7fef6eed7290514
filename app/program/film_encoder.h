// Pictures of one size to a film: GIF or MP4, by the program ffmpeg, which is run beside this one.
#pragma once

#include "platform/image.h"
#include "problem/result.h"
#include "workspace/child.h"

#include <filesystem>
#include <optional>
#include <string>

namespace tilestep::program {

inline constexpr int kFilmRate = 25;  // pictures a second; a GIF counts hundredths of a second

enum class FilmFormat { Gif, Mp4 };
// By the name's ending; fails with a sentence.
[[nodiscard]] Result<FilmFormat> film_format(const std::filesystem::path& file);

class FilmEncoder {
 public:
  struct Settings {
    std::filesystem::path file;
    FilmFormat format = FilmFormat::Mp4;
    int width = 0;   // even
    int height = 0;  // even
  };
  // Fails where there is no ffmpeg: what to install.
  [[nodiscard]] static Result<FilmEncoder> start(const Settings& settings);
  // One that is not finished leaves nothing behind.
  ~FilmEncoder();
  FilmEncoder(const FilmEncoder&) = delete;
  FilmEncoder& operator=(const FilmEncoder&) = delete;
  FilmEncoder(FilmEncoder&&) noexcept = default;
  FilmEncoder& operator=(FilmEncoder&&) noexcept = delete;

  [[nodiscard]] Result<void> add(const platform::Image& image);
  // The film stands under its name afterwards, complete.
  [[nodiscard]] Result<void> finish();

 private:
  // A folder that goes with it.
  class Scratch {
   public:
    explicit Scratch(std::filesystem::path folder) : folder_(std::move(folder)) {}
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    Scratch(Scratch&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
    Scratch& operator=(Scratch&&) = delete;
    [[nodiscard]] std::filesystem::path operator/(const char* name) const { return folder_ / name; }

   private:
    std::filesystem::path folder_;
  };
  FilmEncoder(Settings settings, Scratch scratch, workspace::Child child)
      : settings_(std::move(settings)), scratch_(std::move(scratch)), child_(std::move(child)) {}
  [[nodiscard]] Error failure() const;
  [[nodiscard]] Result<void> end();  // of the child: what it says if it has failed

  Settings settings_;
  Scratch scratch_;
  workspace::Child child_;
};

}  // namespace tilestep::program
