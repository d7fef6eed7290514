// What is fuzzed: one function for each reader of untrusted bytes, and one for the machine.
//
// Each takes any bytes and returns; a broken promise of the room aborts, so that libFuzzer keeps
// the bytes. tests/fuzz/cases/<target> holds the inputs that once did, made small, and some that
// reach far; the test test_fuzz runs them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tilestep::fuzz {

using Bytes = std::span<const std::uint8_t>;

// PTX text: a module that parses keeps the invariants that the machine relies on.
void read_ptx(Bytes bytes);

// A launch description: whatever parses is evaluated for a small size, or refused with a sentence.
void read_description(Bytes bytes);

// A kernel made of these bytes, valid PTX by construction: it runs the same step by step, at once,
// and on every instruction set; and all analyses bear to watch it.
void execute(Bytes bytes);

}  // namespace tilestep::fuzz
