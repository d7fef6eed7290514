// The table of source lines of machine code: section .debug_line of a cubin.
//
// The format is DWARF 2 ("Line Number Information", 6.2). NVIDIA's extended operations for inlined
// functions are skipped by their length. Pure: bytes in, numbers out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace tilestep::ptx {

// Line of each 16 bytes of code; 0: no line, or another file than the first. `sequences`: offsets
// in `section` of the addresses that belong to this code. Damaged bytes end the table.
[[nodiscard]] std::vector<std::uint32_t> read_line_table(std::span<const std::byte> section,
                                                         const std::set<std::uint64_t>& sequences,
                                                         std::size_t code_bytes);

}  // namespace tilestep::ptx
