#include "insight/check/overwritten_stores.h"

#include "insight/check/stored_word.h"
#include "insight/names.h"
#include "problem/tr.h"
#include "record/place_name.h"
#include "simt/state/lane_mask.h"

#include <utility>

namespace tilestep::insight {
namespace {

constexpr std::uint64_t kWord = 4;

std::uint64_t key_of(const simt::StepInfo& info, const simt::MemoryEvent& event,
                     std::uint64_t word) {
  constexpr int kBlockBits = 40;  // above all addresses of shared memory
  return event.space == ptx::Space::Shared ? word | std::uint64_t{info.id.block} << kBlockBits
                                           : word | std::uint64_t{1} << 63;
}

}  // namespace

void OverwrittenStores::on_memory(const simt::StepInfo& info, const simt::MemoryEvent& event) {
  const bool is_followed = event.space == ptx::Space::Shared || event.space == ptx::Space::Global;
  if (!is_followed || event.is_issue) {
    return;
  }
  simt::for_each_lane(event.mask, [&](std::uint32_t lane) {
    const std::uint64_t first = event.addresses[lane] / kWord * kWord;
    for (std::uint64_t word = first; word < event.addresses[lane] + event.bytes; word += kWord) {
      if (event.kind == simt::AccessKind::Store && event.bytes >= kWord) {
        store(info, event, lane, word);
      } else {
        unread_.erase(key_of(info, event, word));
      }
    }
  });
}

void OverwrittenStores::store(const simt::StepInfo& info, const simt::MemoryEvent& event,
                              std::uint32_t lane, std::uint64_t word) {
  const simt::Program& program = machine_.program();
  const auto value = stored_word(machine_, info, event, lane, word / kWord);
  const std::uint64_t key = key_of(info, event, word);
  const auto before = unread_.find(key);
  const Party now = party_of(program, info, lane, lines_.line_of(info, machine_), 0);
  const simt::Place place = program.locate(word, kWord);
  const bool is_lost = before != unread_.end() && value && before->second.value != 0 &&
                       before->second.value != *value && before->second.by.line != now.line &&
                       place.inside;
  if (is_lost) {
    const Party& by = before->second.by;
    const auto [it, is_new] =
        sentences_.try_emplace({place.allocation, by.line, now.line}, std::string());
    if (is_new) {
      const problem::Launch& launch = program.launch();
      it->second = tr(
          "{} is overwritten before any thread reads it: {} stores it at line {}, and {} stores it "
          "again at line {}. Store the second value elsewhere, or read the first one before.",
          record::place_name(program, place), thread_of_block(by.thread, by.block, launch), by.line,
          thread_of_block(now.thread, now.block, launch), now.line);
    }
  }
  if (value) {
    unread_.insert_or_assign(key, Stored{now, *value});
  } else {
    unread_.erase(key);
  }
}

std::vector<std::string> OverwrittenStores::sentences() const {
  std::vector<std::string> all;
  for (const auto& [place, sentence] : sentences_) {
    all.push_back(sentence);
  }
  return all;
}

}  // namespace tilestep::insight
