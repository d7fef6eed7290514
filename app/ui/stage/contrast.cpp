#include "ui/stage/contrast.h"

#include "problem/text.h"

#include <algorithm>

namespace tilestep::ui {
namespace {

bool is_alike(const StripAccess& a, const StripAccess& b) {
  return a.array == b.array && a.kind == b.kind && a.is_shared == b.is_shared;
}

}  // namespace

std::string code_of_line(const std::string& source, std::uint32_t line) {
  std::size_t from = 0;
  for (std::uint32_t i = 1; i < line && from != std::string::npos; ++i) {
    from = source.find('\n', from);
    from += from == std::string::npos ? 0 : 1;
  }
  if (from == std::string::npos) {
    return {};
  }
  const std::string code = source.substr(from, source.find('\n', from) - from);
  return std::string(trimmed(std::string_view(code).substr(0, code.find("//"))));
}

void ContrastMemory::lay_out(const Runs& runs, std::uint32_t block, std::uint32_t thread) {
  runs_ = runs;
  laid_.clear();
  for (const workspace::ContrastRun& run : *runs) {
    const simt::Program& program = run.recording->program();
    Laid laid{make_shape(program, ""), {}, {}};
    for (const Sheet& sheet : laid.shape.sheets) {
      laid.is_padding.emplace_back(sheet.count, sheet.kind == SheetKind::Shared);
    }
    for (const std::uint64_t address : run.stored) {
      const auto place = sheet_place(laid.shape, program, program.locate(address, 1));
      if (place && place->inside) {
        const Sheet& sheet = laid.shape.sheets[size(place->sheet)];
        laid.is_padding[size(place->sheet)][cell_index(sheet, {place->row, place->col})] = false;
      }
    }
    record::Activity all;
    all.accesses = run.accesses;
    laid.strip = make_memory_strip({program, laid.shape, &all, block, thread});
    laid_.push_back(std::move(laid));
  }
}

// By how many of its like the warp has made before it.
std::vector<const StripAccess*> ContrastMemory::same_in_each(const StripAccess& access) const {
  const auto own = std::ranges::find_if(*runs_, &workspace::ContrastRun::is_on_stage);
  std::vector<const StripAccess*> found;
  if (own == runs_->end()) {
    return found;
  }
  const auto& ours = laid_[static_cast<std::size_t>(own - runs_->begin())].strip.accesses;
  const auto before = std::ranges::count_if(ours, [&](const StripAccess& other) {
    return is_alike(other, access) && other.step < access.step;
  });
  for (const Laid& laid : laid_) {
    auto left = before;
    for (const StripAccess& other : laid.strip.accesses) {
      if (is_alike(other, access) && left-- == 0) {
        found.push_back(&other);
      }
    }
  }
  return found.size() == laid_.size() ? found : std::vector<const StripAccess*>();
}

Contrast ContrastMemory::find(const Runs& runs, const MemoryStrip& strip, std::uint32_t block,
                              std::uint32_t thread) {
  Contrast contrast;
  if (runs == nullptr) {
    runs_.reset();
    laid_.clear();
    return contrast;
  }
  if (runs != runs_) {
    lay_out(runs, block, thread);
  }
  std::vector<const StripAccess*> chosen;
  insight::ValueRole role = insight::ValueRole::None;
  std::uint32_t most = 0;
  for (const StripAccess& access : strip.accesses) {
    const auto found = same_in_each(access);
    if (found.empty()) {
      continue;
    }
    const auto [least, worst] = std::ranges::minmax(found, {}, &StripAccess::cost);
    if (chosen.empty() || worst->cost() - least->cost() > most) {
      most = worst->cost() - least->cost();
      chosen = found;
      role = access.role;
    }
  }
  contrast.strip.warp = strip.warp;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const workspace::ContrastRun& run = (*runs)[i];
    contrast.strip.accesses.push_back(*chosen[i]);
    contrast.strip.accesses.back().role = role;
    const int sheet = chosen[i]->sheet;
    contrast.sides.push_back(
        {run.title, code_of_line(run.source, chosen[i]->line), run.is_on_stage, &laid_[i].shape,
         &run.recording->program(),
         sheet == kNoSheet ? std::vector<bool>() : laid_[i].is_padding[size(sheet)]});
  }
  return contrast;
}

}  // namespace tilestep::ui
