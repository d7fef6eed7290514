// What was done, so that it can be undone: Ctrl+Z for what was changed, Backspace for where one
// was.
//
// An entry is the state before a command and after it. To undo it sets the fields in which the two
// differ, and no others, to what they were: a theme that is undone moves nobody. Pure.
#pragma once

#include "state/app_state.h"
#include "state/command.h"

#include <cstddef>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

namespace tilestep::state {

// What becomes of a command.
enum class Remembered {
  Change,   // undone and done again: kernel, sizes, text, breakpoints, how it is shown
  Place,    // stepping and looking around: back and forth, as in a browser
  Nothing,  // opens a field, starts a job, asks
};
[[nodiscard]] Remembered remembered(const Command& command);

class History {
 public:
  static constexpr std::size_t kMost = 200;  // entries of each kind
  static constexpr double kOneStroke =
      0.8;  // seconds: commands of one kind that follow one another
            // sooner are one entry (a slider, a row of steps)

  // A command has made `after` of `before`. `now`: seconds, monotonic.
  void note(const AppState& before, const AppState& after, const Command& command, double now);

  // The state with the last entry undone, or done again; nothing where there is none.
  [[nodiscard]] std::optional<AppState> undo(const AppState& current);
  [[nodiscard]] std::optional<AppState> redo(const AppState& current);
  // To the place before, and to the one after it. Places of another run are forgotten: Ctrl+Z goes
  // there.
  [[nodiscard]] std::optional<AppState> back(const AppState& current);
  [[nodiscard]] std::optional<AppState> forward(const AppState& current);

  // Undo, Redo, GoBack and GoForward; nothing for other commands.
  struct Step {
    std::optional<AppState> state;  // nothing: there is nowhere to go
    std::string sentence;           // which is said
  };
  [[nodiscard]] std::optional<Step> go(const Command& command, const AppState& current);

  [[nodiscard]] bool can_undo() const { return !changes_.done.empty(); }
  [[nodiscard]] bool can_redo() const { return !changes_.undone.empty(); }
  [[nodiscard]] bool can_go_back() const { return !places_.done.empty(); }
  [[nodiscard]] bool can_go_forward() const { return !places_.undone.empty(); }

 private:
  struct Entry {
    AppState before;
    AppState after;
  };
  struct Track {
    std::vector<Entry> done;
    std::vector<Entry> undone;
    std::type_index kind = typeid(void);  // of the latest command
    double latest = -1e9;                 // when it came
    bool is_one_stroke = false;           // the next of that kind may go on with it
  };
  static void add(Track& track, Entry entry, std::type_index kind, double now);
  [[nodiscard]] static std::optional<AppState> take(std::vector<Entry>& from,
                                                    std::vector<Entry>& to,
                                                    const AppState& current);
  // take() among the changes.
  [[nodiscard]] std::optional<AppState> change(std::vector<Entry>& from, std::vector<Entry>& to,
                                               const AppState& current);

  Track changes_;
  Track places_;
};

}  // namespace tilestep::state
