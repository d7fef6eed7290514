// Words for what is on screen. A page and the action that opens it have the same tooltip.
#pragma once

#include "problem/words.h"
#include "state/app_state.h"
#include "state/command.h"

namespace tilestep {

template <>
inline constexpr auto kWords<state::Tab> = std::to_array<Word<state::Tab>>(
    {{state::Tab::Step, "step", "Step", "Steps through the kernel."},
     {state::Tab::Timing, "timing", "Timing", "Shows speed versus BLOCK_SIZE, next to cuBLAS."}});

template <>
inline constexpr auto kWords<state::Theme> = std::to_array<Word<state::Theme>>(
    {{state::Theme::Dark, "dark", "dark"}, {state::Theme::Light, "light", "light"}});

template <>
inline constexpr auto kWords<state::Typeface> = std::to_array<Word<state::Typeface>>(
    {{state::Typeface::Roboto, "roboto", "Roboto", "Text in Roboto."},
     {state::Typeface::OpenDyslexic, "open_dyslexic", "OpenDyslexic",
      "Text in OpenDyslexic, whose letters are heavier at the bottom, for readers with "
      "dyslexia."}});

template <>
inline constexpr auto kWords<state::RooflinePart> = std::to_array<Word<state::RooflinePart>>(
    {{state::RooflinePart::Memory, "memory", "memory"},
     {state::RooflinePart::Arithmetic, "arithmetic", "arithmetic"},
     {state::RooflinePart::Kernels, "kernels", "kernels"}});

template <>
inline constexpr auto kWords<state::Answering> =
    std::to_array<Word<state::Answering>>({{state::Answering::Asked, "asked", "asked"},
                                           {state::Answering::Given, "given", "answered"},
                                           {state::Answering::Shown, "shown", "shown"}});

template <>
inline constexpr auto kWords<state::InspectorPage> = std::to_array<Word<state::InspectorPage>>(
    {{state::InspectorPage::Thread, "thread", "Thread",
      "Shows the focus thread's variables and sum."},
     {state::InspectorPage::Warp, "warp", "Warp", "Shows one variable in all lanes of the warp."},
     {state::InspectorPage::Memory, "memory", "Memory",
      "Shows what the last statement read and stored."},
     {state::InspectorPage::Findings, "findings", "Findings",
      "Shows races, faults and the check of C."}});

template <>
inline constexpr auto kWords<state::SourcePage> = std::to_array<Word<state::SourcePage>>(
    {{state::SourcePage::Source, "source", "Source"},
     {state::SourcePage::Ptx, "ptx", "PTX"},
     {state::SourcePage::Sass, "sass", "SASS"},
     {state::SourcePage::Difference, "difference", "Difference"}});

template <>
inline constexpr auto kWords<state::TimingPage> = std::to_array<Word<state::TimingPage>>(
    {{state::TimingPage::BlockSize, "block_size", "BLOCK_SIZE",
      "Shows speed versus BLOCK_SIZE, measured and predicted."},
     {state::TimingPage::Size, "size", "N", "Shows speed versus N at one BLOCK_SIZE."},
     {state::TimingPage::Ladder, "ladder", "Kernels",
      "Shows every kernel as a bar, the fastest on top."},
     {state::TimingPage::Roofline, "roofline", "Roofline",
      "Shows speed versus arithmetic intensity, with the GPU's ceilings."},
     {state::TimingPage::Occupancy, "occupancy", "Occupancy",
      "Shows how many warps an SM holds, and what limits them."},
     {state::TimingPage::Counters, "counters", "Counters",
      "Shows Tilestep's counts next to the hardware's counters."},
     {state::TimingPage::Sm, "sm", "One SM",
      "Shows what each warp of one SM does in every clock cycle, estimated from the machine "
      "code."}});

template <>
inline constexpr auto kWords<state::NumberForm> = std::to_array<Word<state::NumberForm>>(
    {{state::NumberForm::Decimal, "decimal", "decimal", "Shows numbers in decimal: 0.1."},
     {state::NumberForm::Hex, "hex", "hexadecimal", "Shows the bits of numbers: 0x3DCCCCCD."},
     {state::NumberForm::Binary, "binary", "binary",
      "Shows the bits of numbers as sign, exponent and fraction."},
     {state::NumberForm::Exact, "exact", "exact",
      "Shows every digit of a number: 0.100000001490116119384765625."}});

template <>
inline constexpr auto kWords<state::Asked> = std::to_array<Word<state::Asked>>(
    {{state::Asked::Nothing, "nothing", "nothing"},
     {state::Asked::Open, "open", "Open"},
     {state::Asked::SaveScene, "save_scene", "Save the scene as"},
     {state::Asked::NewSession, "new_session", "Name of the new session"}});

// The tooltip is the label of the axis.
template <>
inline constexpr auto kWords<state::SpeedUnit> = std::to_array<Word<state::SpeedUnit>>(
    {{state::SpeedUnit::Gflops, "gflops", "GFLOP/s", "GFLOP/s"},
     {state::SpeedUnit::OfCublas, "of_cublas", "% of cuBLAS", "% of cuBLAS SGEMM"},
     {state::SpeedUnit::OfPeak, "of_peak", "% of peak", "% of the FFMA peak"}});

template <>
inline constexpr auto kWords<state::Unit> =
    std::to_array<Word<state::Unit>>({{state::Unit::Phase, "phase", "phases"},
                                      {state::Unit::Statement, "statement", "statements"},
                                      {state::Unit::Instruction, "instruction", "instructions"}});

// The tooltip says what the file contains.
template <>
inline constexpr auto kWords<state::ExportOf> = std::to_array<Word<state::ExportOf>>(
    {{state::ExportOf::Stage, "stage", "Stage", "The stage alone, as a picture."},
     {state::ExportOf::Window, "window", "Window", "The whole window, as a picture."},
     {state::ExportOf::Plot, "plot", "Plot", "The plot of the Timing tab: picture or numbers."},
     {state::ExportOf::Trace, "trace", "Trace",
      "Every statement of the focus block: sentence, lines, and accesses element by element."},
     {state::ExportOf::Variables, "variables", "Variables",
      "Every variable of the focus thread, after each of its statements."},
     {state::ExportOf::Counters, "counters", "Counters",
      "Requests, sectors, conflicts and flops of the launch, by line."},
     {state::ExportOf::Findings, "findings", "Findings",
      "Races, faults and the check of C, with threads and lines."},
     {state::ExportOf::Film, "film", "Film", "The run from one place to another, as a film."},
     {state::ExportOf::Progress, "progress", "Progress",
      "Your answers and your labs in all lessons: a file to hand in."}});

template <>
inline constexpr auto kWords<state::ExportFormat> = std::to_array<Word<state::ExportFormat>>(
    {{state::ExportFormat::Png, "png", "PNG", "Pixels."},
     {state::ExportFormat::Svg, "svg", "SVG", "Lines and text, sharp at every size."},
     {state::ExportFormat::Csv, "csv", "CSV", "A table, for a spreadsheet."},
     {state::ExportFormat::Json, "json", "JSON", "For your own programs (docs/examples)."},
     {state::ExportFormat::Gif, "gif", "GIF", "Plays everywhere; 256 colors."},
     {state::ExportFormat::Mp4, "mp4", "MP4", "H.264: smaller files, all colors."}});

}  // namespace tilestep
