// A run as a film: the window, stepped from place to place and drawn off-screen with a clock of its
// own, so that it is animated like the window.
#pragma once

#include "course/captions.h"
#include "lesson/place.h"
#include "platform/image.h"
#include "platform/window.h"
#include "problem/result.h"
#include "workspace/child.h"
#include "workspace/workspace.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <vector>

namespace tilestep::program {

// The run, the pace and the file of a film.
struct FilmRequest {
  lesson::Place from{lesson::Place::Kind::Start, 0};
  lesson::Place to{lesson::Place::Kind::End, 0};  // of a phase: its end
  state::Unit by = state::Unit::Phase;
  float pace = 0.5F;  // places per second
  bool caption = true;
  std::filesystem::path file;  // .gif or .mp4
};

// `window`: off-screen, of the film's size; both sides even. `state`: its kernel must be known to
// the workspace; animated if AppState::animate is on. `report` gets the finished part, 0…1. Fails
// with a sentence; an unfinished film is deleted.
[[nodiscard]] Result<void> make_film(workspace::Workspace& workspace, platform::Window& window,
                                     state::AppState state, const FilmRequest& request,
                                     const std::atomic<bool>& cancelled,
                                     const std::function<void(double)>& report);

// The pace and the file of a film of a lesson.
struct LessonFilmRequest {
  float pace = 0.1F;           // beats per second; a question takes two: asked, and answered
  std::filesystem::path file;  // .gif or .mp4
};

// A film of the open lesson, from the beat on stage (workspace::LessonController): the phases that
// lead to a scene's place are played before it. As make_film(). Returns when each beat is shown.
[[nodiscard]] Result<std::vector<course::ShownBeat>> make_lesson_film(
    workspace::Workspace& workspace, platform::Window& window, const LessonFilmRequest& request,
    const std::atomic<bool>& cancelled, const std::function<void(double)>& report);

// Encodes pictures of one size as a film, GIF or MP4, with the program ffmpeg as a child process.
inline constexpr int kFilmRate = 25;  // pictures per second; a GIF counts hundredths of a second

enum class FilmFormat { Gif, Mp4 };
// The format by the name's extension; fails with a sentence.
[[nodiscard]] Result<FilmFormat> film_format(const std::filesystem::path& file);

// Encodes one film. Add pictures in order, then call finish().
class FilmEncoder {
 public:
  struct Settings {
    std::filesystem::path file;
    FilmFormat format = FilmFormat::Mp4;
    int width = 0;   // even
    int height = 0;  // even
  };
  // Fails if there is no ffmpeg; the error says what to install.
  [[nodiscard]] static Result<FilmEncoder> start(const Settings& settings);
  // Deletes an unfinished film.
  ~FilmEncoder();
  FilmEncoder(const FilmEncoder&) = delete;
  FilmEncoder& operator=(const FilmEncoder&) = delete;
  FilmEncoder(FilmEncoder&&) noexcept = default;
  FilmEncoder& operator=(FilmEncoder&&) noexcept = delete;

  [[nodiscard]] Result<void> add(const platform::Image& image);
  // Afterwards the complete film is in its file.
  [[nodiscard]] Result<void> finish();

 private:
  // A temporary folder, deleted with the object.
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
  [[nodiscard]] Result<void> end();  // of the child; the error is its message

  Settings settings_;
  Scratch scratch_;
  workspace::Child child_;
};

}  // namespace tilestep::program
