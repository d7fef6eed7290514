// Where in memory one warp-wide access lies: the sectors of global memory and the banks of shared
// memory, with the lanes on every word. Counters count these (counters.h), pictures show them.
#pragma once

#include "simt/state/event.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tilestep::insight {

// A piece of a 128-byte line of global memory: the least that is moved.
inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kBanks = 32;
inline constexpr std::uint32_t kBankBytes = 4;

// A sector that lanes touch.
struct TouchedSector {
  std::uint64_t address = 0;                                     // of its first byte
  std::array<std::uint32_t, kSectorBytes / kBankBytes> lanes{};  // by word: masks; 0: not used
};

// A word in a bank.
struct BankWord {
  std::uint64_t address = 0;  // of its first byte
  std::uint32_t bank = 0;
  std::uint32_t height = 0;  // how many other words of the bank lie below it
  std::uint32_t lanes = 0;   // mask
};

// What shared memory serves together, in as many passes as the highest stack has words.
struct BankStacks {
  std::uint32_t lanes = 0;
  std::vector<BankWord> words;  // by address, each once
  std::uint32_t passes = 0;
};

struct AccessLayout {
  std::uint32_t lanes = 0;             // how many
  std::uint32_t bytes = 0;             // distinct ones
  std::vector<TouchedSector> sectors;  // global memory: by address
  std::uint32_t ideal_sectors = 0;     // distinct bytes / 32, rounded up
  std::vector<BankStacks> stacks;      // shared memory: one after the other
  std::uint32_t passes = 0;            // of all stacks
  std::uint32_t ideal_passes = 0;      // one for each stack
};

[[nodiscard]] AccessLayout lay_out(const simt::MemoryEvent& event);

[[nodiscard]] std::vector<TouchedSector> touched_sectors(const simt::MemoryEvent& event);
[[nodiscard]] BankStacks bank_stacks(const simt::MemoryEvent& event, std::uint32_t lanes);

}  // namespace tilestep::insight
