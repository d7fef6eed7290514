#include "ui/stage/memory_strip.h"

#include "narration/templates.h"
#include "narration/thread_view.h"
#include "problem/text.h"
#include "record/activity.h"
#include "record/place_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

namespace tilestep::ui {
namespace {

using narration::counted;
using narration::Hue;
using narration::Noun;
using narration::part;
using narration::Pieces;
using narration::plain;
using narration::Say;
using narration::strong;

std::size_t used_words(const insight::TouchedSector& sector) {
  return sector.lanes.size() -
         static_cast<std::size_t>(std::count(sector.lanes.begin(), sector.lanes.end(), 0U));
}

// "A[0][8..11]": from the first used word to the last, if both are in one row.
std::string sector_name(const simt::Program& program, const insight::TouchedSector& sector) {
  const auto is_used = [](std::uint32_t lanes) { return lanes != 0; };
  const auto first = std::find_if(sector.lanes.begin(), sector.lanes.end(), is_used);
  const auto last = std::find_if(sector.lanes.rbegin(), sector.lanes.rend(), is_used);
  const auto name = [&](std::ptrdiff_t word) {
    const auto offset = static_cast<std::uint64_t>(word) * insight::kBankBytes;
    return record::place_name(program,
                              program.locate(sector.address + offset, insight::kBankBytes));
  };
  const std::string from = name(first - sector.lanes.begin());
  const std::string to = name(sector.lanes.rend() - last - 1);
  const std::size_t bracket = from.rfind('[');
  if (from == to || bracket == std::string::npos || from.back() != ']' ||
      to.compare(0, bracket, from, 0, bracket) != 0 || to.rfind('[') != bracket) {
    return from;
  }
  return fmt::format("{}..{}", from.substr(0, from.size() - 1), to.substr(bracket + 1));
}

std::string array_name(const simt::Program& program, const simt::Place& place) {
  const std::string name = record::place_name(program, place);
  return name.substr(0, name.find('['));
}

StripAccess strip_access(const StripInputs& in, const record::Access& access) {
  const simt::Program& program = in.program;
  const simt::MemoryEvent& event = access.event;
  StripAccess out;
  out.layout = insight::lay_out(event);
  out.kind = event.kind;
  out.is_shared = event.space == ptx::Space::Shared;
  out.line = access.line;
  out.step = access.step;
  const std::uint64_t address =
      event.addresses[static_cast<std::size_t>(std::countr_zero(event.mask))];
  const simt::Place first = program.locate(address, event.bytes);
  out.array = array_name(program, first);
  if (first.allocation != simt::kNoAllocation) {
    out.base = program.allocations()[first.allocation].base;
  }
  if (const auto where = sheet_place(in.shape, program, first)) {
    out.sheet = where->sheet;
    out.role = in.shape.sheets[size(where->sheet)].role;
  }
  if (out.is_shared && in.sums != nullptr) {
    const insight::ValueRole held =
        in.sums->role_of_shared(address % simt::kWindowBytes / 4, access.step + 1);
    out.role = held == insight::ValueRole::None ? out.role : held;
  }
  for (const insight::TouchedSector& sector : out.layout.sectors) {
    out.sector_names.push_back(sector_name(program, sector));
  }
  return out;
}

Pieces bank_sentence(const StripAccess& access) {
  std::set<std::uint32_t> banks;
  std::size_t words = 0;
  std::uint32_t most = 0;
  for (const insight::BankStacks& stacks : access.layout.stacks) {
    most = std::max(most, stacks.passes);
    words += stacks.words.size();
    for (const insight::BankWord& word : stacks.words) {
      banks.insert(word.bank);
    }
  }
  const narration::Places places{{"lanes", plain(counted(access.layout.lanes, Noun::Lane))},
                                 {"words", plain(counted(words, Noun::Word))},
                                 {"banks", strong(fmt::format("{}", banks.size()))},
                                 {"most", strong(fmt::format("{}", most), Hue::Fault)},
                                 {"passes", strong(counted(access.layout.passes, Noun::PassNoun),
                                                   access.is_bad() ? Hue::Fault : Hue::Good)}};
  if (access.is_bad()) {
    return part("memory_conflict", places);
  }
  return part(access.layout.passes == 1 ? Say("memory_banks") : Say("memory_wide"), places);
}

Pieces sector_sentence(const StripAccess& access) {
  const std::uint64_t moved = access.layout.sectors.size() * std::uint64_t{insight::kSectorBytes};
  const narration::Places places{
      {"lanes", plain(counted(access.layout.lanes, Noun::Lane))},
      {"asked", plain(counted(access.layout.bytes, Noun::Byte))},
      {"moved", strong(counted(moved, Noun::Byte), access.is_bad() ? Hue::Fault : Hue::Good)},
      {"sectors",
       strong(counted(access.cost(), Noun::Sector), access.is_bad() ? Hue::Fault : Hue::Good)},
      {"least", strong(fmt::format("{}", access.least()))}};
  return part(access.is_bad() ? Say("memory_uncoalesced") : Say("memory_sectors"), places);
}

bool is_alike(const StripAccess& a, const StripAccess& b) {
  return a.array == b.array && a.kind == b.kind && a.is_shared == b.is_shared;
}

}  // namespace

std::optional<std::uint32_t> StripAccess::fullest_bank() const {
  std::optional<std::uint32_t> bank;
  std::uint32_t height = 0;  // words below the highest
  for (const insight::BankStacks& stacks : layout.stacks) {
    for (const insight::BankWord& word : stacks.words) {
      if (word.height > height || (word.height == height && bank && word.bank < *bank)) {
        bank = word.bank;
        height = word.height;
      }
    }
  }
  return bank;
}

std::vector<bool> StripAccess::surplus() const {
  std::vector<std::size_t> order(layout.sectors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return used_words(layout.sectors[a]) > used_words(layout.sectors[b]);
  });
  std::vector<bool> is_surplus(order.size());
  for (std::size_t i = layout.ideal_sectors; i < order.size(); ++i) {
    is_surplus[order[i]] = true;
  }
  return is_surplus;
}

MemoryStrip make_memory_strip(const StripInputs& in) {
  MemoryStrip strip;
  const auto warp_size = in.program.warp_size();
  strip.warp = in.thread / warp_size;
  if (in.statement == nullptr) {
    return strip;
  }
  const std::set<std::uint32_t> mbarriers = record::mbarrier_lines(in.program.module());
  for (const record::Access& access : in.statement->accesses) {
    const bool is_counted =
        access.event.space == ptx::Space::Shared || access.event.space == ptx::Space::Global;
    // The second half of a copy moves the data that its first half was counted for.
    if (access.warp == simt::WarpId{in.block, strip.warp} && is_counted && access.event.mask != 0 &&
        !record::is_of_mbarrier(access, mbarriers) && !access.event.is_arrival &&
        access.event.agent == simt::AccessAgent::Thread) {
      strip.accesses.push_back(strip_access(in, access));
    }
  }
  return strip;
}

std::string cost_words(const StripAccess& access) {
  const Noun noun = access.is_shared ? Noun::PassNoun : Noun::Sector;
  const narration::Places places{{"cost", plain(counted(access.cost(), noun))},
                                 {"least", plain(fmt::format("{}", access.least()))}};
  return narration::plain_text(
      part(access.is_bad() ? Say("cost_instead") : Say("cost_least"), places));
}

Pieces access_title(const StripAccess& access) {
  const narration::Places places{
      {"array", strong(access.array, narration::hue_of_role(access.role))}};
  switch (access.kind) {
    case simt::AccessKind::Load:
      return part("load_of", places);
    case simt::AccessKind::Store:
      return part("store_to", places);
    case simt::AccessKind::Atomic:
      break;
  }
  return part("update_of", places);
}

Pieces access_sentence(const StripAccess& access) {
  return access.is_shared ? bank_sentence(access) : sector_sentence(access);
}

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

// The index of the access among the warp's equal ones.
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
