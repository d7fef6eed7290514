// History for undo: Ctrl+Z undoes changes, Backspace returns to the previous place.
//
// An entry is the state before and after a command. Undo resets only the fields in which the two
// differ: undoing a change of theme does not change the position. Pure.
#pragma once

#include "state/app_state.h"
#include "state/command.h"

#include <cstddef>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

namespace tilestep::state {

// How a command is remembered.
enum class Remembered {
  Change,   // undo and redo: kernel, sizes, text, breakpoints, appearance
  Place,    // stepping and looking around: back and forward, as in a browser
  Nothing,  // opens a field, starts a job, asks
};
[[nodiscard]] Remembered remembered(const Command& command);

class History {
 public:
  static constexpr std::size_t kMost = 200;  // entries of each kind
  static constexpr double kOneStroke = 0.8;  // seconds: commands of one kind within this time are
                                             // one entry (a slider, a row of steps)

  // A command turned `before` into `after`. `now`: seconds, monotonic.
  void note(const AppState& before, const AppState& after, const Command& command, double now);

  // The state with the last entry undone, or redone; nullopt if there is no entry.
  [[nodiscard]] std::optional<AppState> undo(const AppState& current);
  [[nodiscard]] std::optional<AppState> redo(const AppState& current);
  // The previous place, and the next one. Places of another run are dropped: Ctrl+Z returns to that
  // run.
  [[nodiscard]] std::optional<AppState> back(const AppState& current);
  [[nodiscard]] std::optional<AppState> forward(const AppState& current);

  // Result of Undo, Redo, GoBack and GoForward; nullopt for other commands.
  struct Step {
    std::optional<AppState> state;  // nullopt: no entry
    std::string sentence;           // to show to the user
  };
  [[nodiscard]] std::optional<Step> go(const Command& command, const AppState& current);

 private:
  struct Entry {
    AppState before;
    AppState after;
  };
  struct Track {
    std::vector<Entry> done;
    std::vector<Entry> undone;
    std::type_index kind = typeid(void);  // of the latest command
    double latest = -1e9;                 // its time in seconds
    bool is_one_stroke = false;           // the next command of that kind may extend the entry
  };
  static void add(Track& track, Entry entry, std::type_index kind, double now);
  [[nodiscard]] static std::optional<AppState> take(std::vector<Entry>& from,
                                                    std::vector<Entry>& to,
                                                    const AppState& current);
  // take() for the entries of changes.
  [[nodiscard]] std::optional<AppState> change(std::vector<Entry>& from, std::vector<Entry>& to,
                                               const AppState& current);

  Track changes_;
  Track places_;
};

}  // namespace tilestep::state
