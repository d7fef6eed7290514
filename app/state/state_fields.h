// The list of AppState's fields with their keys in a scene's TOML (scene.h).
//
// `visitor` reads or writes each field; the structured bindings fail to compile when a struct gets
// a field that is missing here.
#pragma once

#include "problem/problem.h"
#include "state/app_state.h"
#include "state/exporting.h"

#include <cstdint>
#include <limits>

namespace tilestep::state {

inline constexpr std::int64_t kLargestInt = std::numeric_limits<int>::max();
inline constexpr std::int64_t kLargestIndex = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::int64_t kLargestStep = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kLargestThread = 1023;
inline constexpr std::int64_t kLargestOfGpu = 1'000'000;  // SMs, MHz, GB/s, KiB, warps

template <class Visitor>
void visit(Visitor& visitor, Focus& focus) {
  auto& [block, thread, cell_of, cell_row, cell_col, cell_name, sum] = focus;
  visitor.integer("block", block, 0, kLargestIndex);
  visitor.integer("thread", thread, 0, kLargestThread);
  visitor.field("cell", cell_of);
  visitor.integer("row", cell_row, 0, kLargestInt);
  visitor.integer("col", cell_col, 0, kLargestInt);
  visitor.field("name", cell_name);
  visitor.integer("sum", sum, -1, kLargestInt);
}

template <class Visitor>
void visit(Visitor& visitor, PhaseView& phase) {
  auto& [done, from] = phase;
  visitor.field("done", done);
  visitor.integer("from", from, 0, kLargestStep);
}

template <class Visitor>
void visit(Visitor& visitor, Camera& camera) {
  auto& [zoom, x, y] = camera;
  visitor.field("zoom", zoom);
  visitor.field("x", x);
  visitor.field("y", y);
}

template <class Visitor>
void visit(Visitor& visitor, VolumeView& volume) {
  auto& [large, yaw, pitch] = volume;
  visitor.field("large", large);
  visitor.field("yaw", yaw);
  visitor.field("pitch", pitch);
}

template <class Visitor>
void visit(Visitor& visitor, TimedPoint& point) {
  auto& [kernel, block_size, dataset] = point;
  visitor.field("kernel", kernel);
  visitor.integer("block_size", block_size, 0, problem::kLargestBlockSize);
  visitor.field("dataset", dataset);
}

template <class Visitor>
void visit(Visitor& visitor, GuessView& guess) {
  auto& [kernel, gflops, at, shown] = guess;
  visitor.field("kernel", kernel);
  visitor.field("gflops", gflops);
  visitor.integer("at", at, 1, problem::kLargestBlockSize);
  visitor.field("shown", shown);
}

template <class Visitor>
void visit(Visitor& visitor, WhatIf& what_if) {
  auto& [sms, clock_mhz, dram_gb_s, l2_gb_s, shared_kib, warps] = what_if;
  visitor.integer("sms", sms, 0, kLargestOfGpu);
  visitor.integer("clock_mhz", clock_mhz, 0, kLargestOfGpu);
  visitor.integer("dram_gb_s", dram_gb_s, 0, kLargestOfGpu);
  visitor.integer("l2_gb_s", l2_gb_s, 0, kLargestOfGpu);
  visitor.integer("shared_kib", shared_kib, 0, kLargestOfGpu);
  visitor.integer("warps", warps, 0, kLargestOfGpu);
}

template <class Visitor>
void visit(Visitor& visitor, SmView& sm) {
  auto& [stage, stamps, blocks, first, clocks, by_scheduler, instruction] = sm;
  visitor.field("stage", stage);
  visitor.field("stamps", stamps);
  visitor.integer("blocks", blocks, 0, 32);
  visitor.integer("first", first, 0, kLargestStep);
  visitor.integer("clocks", clocks, 0, kLargestStep);
  visitor.field("by_scheduler", by_scheduler);
  visitor.integer("instruction", instruction, -1, kLargestInt);
}

template <class Visitor>
void visit(Visitor& visitor, TimingView& timing) {
  auto& [page, unit, dataset, overlays, problem, log_scale, every_kernel, alone, predict,
         measure_all_kernels, measure_all_sizes, gpu, selected_kernel, selected_block_size, against,
         guess, what_if, what_if_open, method_open, roofline, sm] = timing;
  visitor.field("page", page);
  visitor.field("unit", unit);
  visitor.field("dataset", dataset);
  visitor.field("overlays", overlays);
  visitor.field("size", problem);
  visitor.field("log", log_scale);
  visitor.field("every_kernel", every_kernel);
  visitor.field("alone", alone);
  visitor.field("predict", predict);
  visitor.field("measure_all_kernels", measure_all_kernels);
  visitor.field("measure_all_sizes", measure_all_sizes);
  visitor.field("gpu", gpu);
  visitor.field("kernel", selected_kernel);
  visitor.integer("block_size", selected_block_size, 0, problem::kLargestBlockSize);
  visitor.part("against", against);
  visitor.part("guess", guess);
  visitor.part("what_if", what_if);
  visitor.field("what_if_open", what_if_open);
  visitor.field("method_open", method_open);
  visitor.field("roofline", roofline);
  visitor.part("sm", sm);
}

template <class Visitor>
void visit(Visitor& visitor, ExportView& exporting) {
  auto& [of, format, scale, film_from, film_to, film_by, film_pace, film_height, film_caption,
         film_lecture] = exporting;
  visitor.field("of", of);
  visitor.field("format", format);
  visitor.integer("scale", scale, 1, kLargestExportScale);
  visitor.field("film_from", film_from);
  visitor.field("film_to", film_to);
  visitor.field("film_by", film_by);
  visitor.field("film_pace", film_pace);
  visitor.integer("film_height", film_height, kLeastFilmHeight, kLargestFilmHeight);
  visitor.field("film_caption", film_caption);
  visitor.field("film_lecture", film_lecture);
}

template <class Visitor>
void visit(Visitor& visitor, LessonView& course) {
  auto& [lesson, beat, list, notes, ring, answering, given, missed, hint, film, spotlight, votes] =
      course;
  visitor.field("lesson", lesson);
  visitor.integer("beat", beat, 0, kLargestInt);
  visitor.field("list", list);
  visitor.field("notes", notes);
  visitor.field("ring", ring);
  visitor.field("answering", answering);
  visitor.field("given", given);
  visitor.field("missed", missed);
  visitor.field("hint", hint);
  visitor.field("film", film);
  visitor.field("spotlight", spotlight);
  visitor.field("votes", votes);
}

template <class Visitor>
void visit(Visitor& visitor, problem::Parameters& parameters) {
  auto& [problem, block_size] = parameters;
  auto& [M, N, K] = problem;
  visitor.integer("M", M, 1, kLargestInt);
  visitor.integer("N", N, 1, kLargestInt);
  visitor.integer("K", K, 1, kLargestInt);
  visitor.integer("block_size", block_size, 1, 1024);
}

template <class Visitor>
void visit(Visitor& visitor, simt::Schedule& schedule) {
  visitor.field("schedule", schedule.kind);
  visitor.integer("warp", schedule.run_ahead_warp, 0, kLargestThread);
  visitor.integer("seed", schedule.seed, 0, kLargestIndex);
}

template <class Visitor>
void visit(Visitor& visitor, Setup& setup) {
  auto& [kernel, edited_source, parameters, input, schedule, warp_size, build] = setup;
  visitor.field("kernel", kernel);
  visitor.field("edited_source", edited_source);
  visit(visitor, parameters);
  visitor.field("input", input);
  visit(visitor, schedule);
  visitor.lanes("warp_size", warp_size);
  visitor.field("build", build);
}

template <class Visitor>
void visit(Visitor& visitor, Comparison& comparison) {
  auto& [on, second, alignment] = comparison;
  visitor.field("on", on);
  visit(visitor, second);
  visitor.field("align", alignment);
}

template <class Visitor>
void visit(Visitor& visitor, AppState& state) {
  visit(visitor, static_cast<Setup&>(state));
  auto& [sizes_locked, comparison, step, second_step, phase, playing, pace, focus, breakpoints,
         conditions, event, watch, tab, theme, typeface, language, scale, camera, inspector,
         inspector_open, show_memory, show_contrast, show_costs, volume, source_page, header_open,
         lecture, whole_map, editing, animate, number_form, blank, show_keys, show_palette,
         show_go_to, show_export, controls_by_key, asked, show_find, show_save_as, condition_line,
         timing, exporting, course] = static_cast<View&>(state);
  visitor.field("sizes_locked", sizes_locked);
  visitor.comparison("compare", state);
  visitor.integer("step", step, 0, kLargestStep);
  visitor.integer("second_step", second_step, 0, kLargestStep);
  visitor.part("phase", phase);
  visitor.field("playing", playing);
  visitor.field("pace", pace);
  visitor.part("focus", focus);
  visitor.field("breakpoints", breakpoints);
  visitor.field("conditions", conditions);
  visitor.field("event", event);
  visitor.field("watch", watch);
  visitor.field("tab", tab);
  visitor.field("theme", theme);
  visitor.field("typeface", typeface);
  visitor.field("language", language);
  visitor.field("scale", scale);
  visitor.part("camera", camera);
  visitor.field("inspector", inspector);
  visitor.field("inspector_open", inspector_open);
  visitor.field("show_memory", show_memory);
  visitor.field("show_contrast", show_contrast);
  visitor.field("show_costs", show_costs);
  visitor.part("volume", volume);
  visitor.field("source", source_page);
  visitor.field("header_open", header_open);
  visitor.field("lecture", lecture);
  visitor.field("whole_map", whole_map);
  visitor.field("editing", editing);
  visitor.field("animate", animate);
  visitor.field("number_form", number_form);
  visitor.field("blank", blank);
  visitor.field("show_keys", show_keys);
  visitor.field("show_palette", show_palette);
  visitor.field("show_go_to", show_go_to);
  visitor.field("asked", asked);
  visitor.field("show_find", show_find);
  visitor.field("show_save_as", show_save_as);
  visitor.field("show_export", show_export);
  visitor.field("controls_by_key", controls_by_key);
  visitor.integer("condition_line", condition_line, 0, kLargestInt);
  visitor.part("timing", timing);
  visitor.part("export", exporting);
  visitor.part("lesson", course);
}

}  // namespace tilestep::state
