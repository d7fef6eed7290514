// The subcommands that draw: render, scenes, film, lesson handout and course kit; and reference,
// which prints the tables of the window's keys.
#pragma once

#include "cli/command.h"
#include "course/answers.h"
#include "course/captions.h"
#include "lesson/lesson.h"
#include "problem/describe/catalog.h"
#include "problem/result.h"
#include "state/app_state.h"
#include "workspace/workspace.h"

#include <CLI/App.hpp>

#include <filesystem>
#include <span>
#include <string>

namespace tilestep::program {

void add_render_commands(CLI::App& app, cli::Context& context);

// film: a run as GIF or MP4.
void add_film_command(CLI::App& app, cli::Context& context);

// lesson handout: a lesson on paper, with the pictures of its scenes; course kit: all lessons as
// pages, slides and films.
void add_course_commands(CLI::App& app, cli::Context& context);
// course grade: progress and submissions that were handed in; `app` is `course`.
void add_grade_command(CLI::App& app, cli::Context& context);
// Captions beside a film, one file for each of the lesson's languages: x.en.vtt beside x.mp4.
[[nodiscard]] Result<void> write_captions(const lesson::Lesson& lesson, course::Answers& answers,
                                          const std::filesystem::path& film,
                                          std::span<const course::ShownBeat> shown);

// scenes: a lesson as pictures.
void add_scenes_command(CLI::App& app, cli::Context& context);

// The lesson at one of its beats, counted from 1, as opened from the list.
[[nodiscard]] Result<state::AppState> open_beat(workspace::Workspace& workspace,
                                                const std::string& lesson, int beat);
// BLOCK_SIZE 0 is for kernels without one; for a kernel with one it selects nothing.
[[nodiscard]] Result<void> check_point(const state::TimedPoint& point,
                                       const problem::Catalog& catalog, const std::string& place);

// reference: prints the tables of docs/keys.md and docs/commands.md; --help does not list it.

void add_reference_command(CLI::App& app);

}  // namespace tilestep::program
