#include "insight/check/sentences.h"

#include "insight/names.h"
#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep::insight {
namespace {

std::string thread_name(const simt::Program& program, const Party& party) {
  return insight::thread_name(party.thread, program.launch());
}

std::string block_name(const simt::Program& program, const Party& party) {
  return insight::block_name(party.block, program.launch());
}

std::string capitalised(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

std::string who(const simt::Program& program, const Party& party) {
  return thread_of_block(party.thread, party.block, program.launch());
}

std::string missing_fence(const simt::Program& program, const Finding& finding) {
  const Party& first = finding.parties[0];
  const Party& then = finding.parties[1];
  return tr(
      "{} {} {} at line {} and then signals through a word of global memory. {} sees the signal "
      "and {} the element at line {}. Without a fence the signal can arrive before the element "
      "does. Put __threadfence() between line {} and the atomic or store that signals.",
      capitalised(who(program, first)), verb(first.access), finding.element, first.line,
      capitalised(who(program, then)), verb(then.access), then.line, first.line);
}

std::string two_stores(const simt::Program& program, const Finding& finding,
                       const RaceShape& shape) {
  const Party& a = finding.parties[0];
  const Party& b = finding.parties[1];
  const std::string order =
      tr(shape.same_block ? "the two are not ordered" : "blocks of one launch are not ordered");
  const std::string cure =
      tr(!shape.same_block ? "Let each block store its own elements, or use an atomic."
         : a.line != b.line
             ? "Put __syncthreads() between them, or let one thread store."
             : "Let one thread store it, give each thread its own element, or use an atomic.");
  const char* const effect =
      tr(finding.same_value ? "but both store the same value, so the result does not show the race"
                            : "so the value that remains is undefined");
  return tr("{} {} {} at line {}, and {} {} it at line {}: {}, {}. {}",
            capitalised(who(program, a)), verb(a.access), finding.element, a.line,
            shape.same_block ? thread_name(program, b) : who(program, b), verb(b.access), b.line,
            order, effect, cure);
}

std::string two_initialisations(const simt::Program& program, const Finding& finding) {
  const Party& a = finding.parties[0];
  const Party& b = finding.parties[1];
  return tr(
      "{} initializes the mbarrier {} at line {}, and so does {} at line {}: several threads "
      "initialize one mbarrier, in no defined order. An initialization discards the arrivals "
      "before it. Let one thread initialize it, and put __syncthreads() between the initialization "
      "and the first use.",
      capitalised(who(program, a)), finding.element, a.line,
      a.block == b.block ? thread_name(program, b) : who(program, b), b.line);
}

std::string unfinished_copy(const simt::Program& program, const Finding& finding) {
  const Party& copier = finding.parties[0];
  const Party& now = finding.parties[1];
  const bool same_thread = copier.thread == now.thread;
  return tr(
      "{} {} {} at line {} while the asynchronous copy (cp.async) that {} started at line {} may "
      "still be in flight: no thread has waited for it{}. Wait with cp.async.wait_group "
      "(__pipeline_wait_prior) before {}; its argument is the number of latest groups that may "
      "stay in flight.",
      capitalised(who(program, now)), verb(now.access), finding.element, now.line,
      same_thread ? std::string(tr("it")) : thread_name(program, copier), copier.line,
      same_thread ? "" : tr(", and __syncthreads() does not"),
      tr(same_thread ? "it" : "the __syncthreads() between them"));
}

// "8 bytes past its end", "4 bytes before its start".
std::string distance_outside(const simt::Place& place, std::uint64_t size, std::uint32_t bytes) {
  if (place.offset < 0) {
    return tr("{} before its start", plural(-place.offset, "byte"));
  }
  const std::int64_t past = place.offset - static_cast<std::int64_t>(size);
  if (past < 0) {
    return tr("partly outside, {} past its end", plural(past + bytes, "byte"));
  }
  return past == 0 ? tr("just past its end") : tr("{} past its end", plural(past, "byte"));
}

std::string extent_of(const simt::Program& program, const simt::Allocation& allocation) {
  if (allocation.kind == simt::AllocationKind::Buffer) {
    const problem::Buffer& buffer = program.launch().buffers[allocation.launch_buffer];
    return buffer.rows == 1
               ? plural(buffer.cols, "element")
               : tr("{} and {}", plural(buffer.rows, "row"), plural(buffer.cols, "column"));
  }
  return plural(static_cast<std::int64_t>(allocation.bytes), "byte");
}

std::string out_of_range(const simt::Program& program, const Finding& finding,
                         const simt::FaultEvent& event, const simt::Place& place) {
  const Party& party = finding.parties.front();
  const std::string start =
      fmt::format("{} {}", capitalised(who(program, party)), verb(party.access));
  if (event.address < 4096) {
    return tr("{} through a null pointer at line {}. Check the pointer's argument.", start,
              party.line);
  }
  if (place.allocation == simt::kNoAllocation) {
    return tr(
        "{} address 0x{:x} at line {}, but this address belongs to no buffer. Check how the "
        "pointer is computed.",
        start, event.address, party.line);
  }
  const simt::Allocation& allocation = program.allocations()[place.allocation];
  if (place.inside && allocation.kind == simt::AllocationKind::Heap) {
    return tr(
        "{} {} at line {}, outside every memory block from malloc() that is still in use. Ask "
        "malloc() for as many bytes as the kernel uses, and call free() on a block only after its "
        "last use.",
        start, finding.element, party.line);
  }
  if (place.inside) {
    return tr(
        "{} {} at line {}, but kernels cannot store to {} memory. Set it from the host, or declare "
        "it __device__.",
        start, finding.element, party.line,
        allocation.kind == simt::AllocationKind::ConstVariable ? "__constant__" : tr("parameter"));
  }
  return tr(
      "{} {} at line {}, but {} has {}: the access is {}. Compare the indices with the size before "
      "the access.",
      start, finding.element, party.line, finding.variable, extent_of(program, allocation),
      distance_outside(place, allocation.bytes, event.bytes));
}

std::string misaligned(const simt::Program& program, const Finding& finding,
                       const simt::FaultEvent& event) {
  const Party& party = finding.parties.front();
  return tr(
      "{} {} {} bytes at {} (line {}): the address must be a multiple of {}, but the remainder is "
      "{}. Choose an index and a pitch that keep the address aligned, or access single elements.",
      capitalised(who(program, party)), verb(party.access), event.bytes,
      finding.element.empty() ? fmt::format("0x{:x}", event.address) : finding.element, party.line,
      event.bytes, event.address % event.bytes);
}

}  // namespace

std::string race_sentence(const simt::Program& program, const Finding& finding,
                          const RaceShape& shape) {
  const Party& a = finding.parties[0];
  const Party& b = finding.parties[1];
  if (shape.hidden_from_unit) {
    return hidden_from_unit(program, finding, shape);
  }
  if (shape.copy_under_way) {
    return shape.agents[0] == simt::AccessAgent::TmaUnit ? unfinished_bulk_copy(program, finding)
                                                         : unfinished_copy(program, finding);
  }
  if (shape.both_initialise) {
    return two_initialisations(program, finding);
  }
  if (shape.missing_fence) {
    return missing_fence(program, finding);
  }
  if (a.access != simt::AccessKind::Load && b.access != simt::AccessKind::Load) {
    return two_stores(program, finding, shape);
  }
  const Party& reader = a.access == simt::AccessKind::Load ? a : b;
  const Party& writer = a.access == simt::AccessKind::Load ? b : a;
  if (!shape.same_block) {
    return tr(
        "{} {} {} at line {} and {} reads it at line {}: blocks of one launch are not ordered, so "
        "either may come first. Split the work into two launches, or let each block use only its "
        "own elements.",
        capitalised(who(program, writer)), verb(writer.access), finding.element, writer.line,
        who(program, reader), reader.line);
  }
  const std::string cure =
      tr("no barrier orders the two{}. Put __syncthreads() between them{}{}{}.",
         shape.same_warp ? tr(", and the lanes of one warp need not run in lockstep") : "",
         shape.same_warp ? tr(", or __syncwarp() if only this warp uses the data") : "",
         shape.has_copy && !shape.read_comes_first
             ? tr(", after the wait for the copy (cp.async.wait_group, "
                  "__pipeline_wait_prior)")
             : "",
         writer.access == simt::AccessKind::Atomic
             ? tr(", or read it atomically too (cuda::atomic_ref has load())")
             : "");
  if (shape.read_comes_first) {
    return tr("{} {} {} at line {} while {} may still read it at line {}: {}",
              capitalised(who(program, writer)), verb(writer.access), finding.element, writer.line,
              thread_name(program, reader), reader.line, cure);
  }
  return tr("{} reads {} at line {} while {} may not have stored it yet at line {}: {}",
            capitalised(who(program, reader)), finding.element, reader.line,
            thread_name(program, writer), writer.line, cure);
}

std::string uninitialised_sentence(const simt::Program& program, const Finding& finding,
                                   simt::AllocationKind kind) {
  const Party& party = finding.parties.front();
  const std::string thread = capitalised(who(program, party));
  const std::string& element = finding.element;
  switch (kind) {
    case simt::AllocationKind::Shared:
      return tr(
          "{} reads {} at line {}, but no thread of its block has stored it: the value is whatever "
          "shared memory held before. Store every element before it is read, with __syncthreads() "
          "in between.",
          thread, element, party.line);
    case simt::AllocationKind::Heap:
      return tr(
          "{} reads {} at line {}, but nothing has been stored there since malloc() returned the "
          "memory: the value is whatever the memory held before. Store every element before it is "
          "read.",
          thread, element, party.line);
    case simt::AllocationKind::Local:
      return tr(
          "{} reads {} at line {}, but has not stored anything there: the value is whatever the "
          "memory held before. Initialize the variable where it is declared.",
          thread, element, party.line);
    default:
      return tr(
          "{} reads {} at line {}, but nothing was stored there: {} is an output and starts "
          "without values, so the value is whatever the memory held before. Store the element "
          "first, or fill the buffer before the launch and give it the role \"inout\".",
          thread, element, party.line, finding.variable);
  }
}

std::string nan_sentence(const simt::Program& program, const Finding& finding,
                         const std::string& operation) {
  const Party& party = finding.parties.front();
  return tr(
      "{} computes {} at line {}: the operands are numbers, but the result is not (NaN). Every "
      "value computed from it becomes NaN too. Check where the operands come from, or test them "
      "first.",
      capitalised(who(program, party)), operation, party.line);
}

namespace {

// Whether the warp of `party` has a thread in that lane: the last warp may have fewer threads.
bool has_lane(const simt::Program& program, const Party& party, std::uint32_t lane) {
  const auto lanes = program.warp_size();
  const auto thread = static_cast<std::uint32_t>(program.launch().block.linear(party.thread));
  return thread / lanes * lanes + lane < program.threads_per_block();
}

}  // namespace

std::string undefined_sentence(const simt::Program& program, const Finding& finding,
                               const std::string& opcode, std::uint32_t from) {
  const Party& reader = finding.parties.front();
  const Party& user = finding.parties.back();
  return tr(
      "{} takes a value from lane {} of its warp at line {} ({}), but that lane does not take "
      "part: {}. The value is undefined, and the value that {} {} in {} at line {} depends on it. "
      "Let every source lane take part, or do not use values from lanes that do not.",
      capitalised(who(program, reader)), from, reader.line, opcode,
      has_lane(program, reader, from)
          ? std::string(tr("it has left the kernel, is on another branch, or is not in the mask"))
          : tr("a block of {} threads has no thread in that lane", program.threads_per_block()),
      thread_name(program, user), verb(user.access),
      finding.element.empty() ? tr("memory") : finding.element, user.line);
}

std::string unset_sentence(const simt::Program& program, const Finding& finding,
                           const std::string& stored) {
  const Party& user = finding.parties.front();
  return tr(
      "{} {} {} at line {}. The value depends on {}, which this thread has not set before: it is "
      "whatever the register held. Initialize the variable where it is declared.",
      capitalised(who(program, user)), verb(user.access), stored.empty() ? tr("memory") : stored,
      user.line, finding.variable.empty() ? tr("a local variable") : finding.variable);
}

std::string input_store_sentence(const simt::Program& program, const Finding& finding) {
  const Party& party = finding.parties.front();
  return tr(
      "{} {} {} at line {}, but {} is an input. Store the result elsewhere, or give the buffer the "
      "role \"inout\".",
      capitalised(who(program, party)), verb(party.access), finding.element, party.line,
      finding.variable);
}

std::string cancelled_sentence(const simt::Program& program, std::uint64_t steps,
                               std::uint32_t blocks_ended, const std::optional<Party>& at) {
  const std::string start = tr("Canceled after {} warp instructions; {} of {} blocks had ended",
                               steps, blocks_ended, program.block_count());
  return at ? tr("{}, and {} was at line {} of {}.", start, who(program, *at), at->line,
                 program.launch().source_name)
            : tr("{}.", start);
}

std::string early_exit_sentence(const simt::Program& program, const EarlyExit& exit) {
  const problem::Dim3 block = program.block_index(exit.block);
  const std::string place = exit.line == 0 ? std::string(tr("a barrier of the block"))
                                           : tr("the barrier at line {}", exit.line);
  return tr(
      "{} waits at {}, but {} leaves the kernel without reaching it. GPUs of compute capability "
      "7.0 and later allow this: only threads that have not exited must arrive. Older ones need "
      "every thread of the block: let all threads reach it, and guard only the work before and "
      "after it.",
      capitalised(thread_of_block(program.thread_index(exit.present), block, program.launch())),
      place, insight::thread_name(program.thread_index(exit.left), program.launch()));
}

std::string nothing_stored_sentence(const std::string& buffer) {
  return tr(
      "No thread stores anything in {}, though the description calls it an output. Store the "
      "result there, or give the buffer the role \"input\".",
      buffer);
}

std::string overflow_sentence(const simt::Program& program, const Finding& finding,
                              const WrappedNumber& number) {
  const Party& origin = finding.parties.front();
  const Party& access = finding.parties.back();
  return tr(
      "{} computes an index as {} at line {}. The result is {}, but {} of 32 bits cannot hold it "
      "and wraps around to {}: at line {} the thread {} an element at the wrong address. {}",
      capitalised(who(program, origin)), number.operation, origin.line, number.exact,
      tr(number.is_unsigned ? "an unsigned number" : "an int"), number.held, access.line,
      verb(access.access),
      tr(number.is_unsigned && number.exact < 0
             ? "Compare the operands before subtracting: an index is never below 0."
             : "Compute the index in 64 bits: cast the first factor to size_t or long long."));
}

namespace {

// An instruction's text on one line.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return line;
}

std::string not_simulated_sentence(std::uint32_t line, std::string_view instruction,
                                   std::string_view opcode) {
  constexpr std::string_view kTextures[] = {"tex.",  "tld4.",  "txq.", "suld.",
                                            "sust.", "sured.", "suq."};
  const bool is_texture =
      std::any_of(std::begin(kTextures), std::end(kTextures),
                  [&](std::string_view start) { return opcode.starts_with(start); });
  if (is_texture) {
    return tr(
        "Line {} of the kernel accesses a texture or surface, which Tilestep does not simulate. "
        "Pass a pointer to the data instead, and index it.",
        line);
  }
  const bool is_cluster = opcode.find("cluster") != std::string_view::npos ||
                          opcode.starts_with("mapa") || opcode.starts_with("getctarank");
  if (is_cluster) {
    return tr(
        "Line {} of the kernel uses a cluster of blocks, which Tilestep does not simulate. Let "
        "blocks exchange values through global memory, and use a separate launch for each part.",
        line);
  }
  return tr(
      "Line {} of the kernel needs an instruction that Tilestep does not simulate: {}. Write this "
      "line with other instructions, or run the kernel on a GPU.",
      line, one_line(instruction));
}

}  // namespace

std::string division_sentence(const simt::Program& program, const Finding& finding) {
  const Party& party = finding.parties.front();
  return tr(
      "{} divides an integer by 0 at line {}: the result is undefined (a GPU returns some number "
      "and continues). Test the divisor before the division.",
      capitalised(who(program, party)), party.line);
}

std::string fault_sentence(const simt::Program& program, const Finding& finding,
                           const simt::FaultEvent& event, const simt::Place& place,
                           std::string_view opcode) {
  const Party& party = finding.parties.front();
  switch (event.kind) {
    case simt::FaultKind::OutOfRange:
      return out_of_range(program, finding, event, place);
    case simt::FaultKind::Misaligned:
      return misaligned(program, finding, event);
    case simt::FaultKind::NotInMask:
      return tr(
          "{} executes {} at line {} with a mask that does not contain its own lane: the behavior "
          "is undefined. Call it only in the lanes of the mask, or put every calling lane into the "
          "mask.",
          capitalised(who(program, party)), opcode, party.line);
    case simt::FaultKind::DivergentBarrier:
      if (!event.detail.empty()) {
        return tr(
            "{} exchanges values with lanes of its warp at line {} ({}), but some lanes of its "
            "mask never reach this line. Put only lanes that reach it into the mask, or let all "
            "lanes of the mask reach it.",
            capitalised(who(program, party)), party.line, opcode);
      }
      return tr(
          "Only some threads of a warp in {} reach __syncthreads() at line {}, including {}: the "
          "others took another branch. Every thread of the block must reach it: move it out of the "
          "branch.",
          block_name(program, party), party.line, thread_name(program, party));
    case simt::FaultKind::BarrierDeadlock:
      if (!finding.element.empty()) {
        return tr(
            "{} waits forever at line {}: the mbarrier {} expects {}, and no other thread can make "
            "progress. Initialize it with the number of arrivals of each phase, make sure that "
            "every arrival happens, and wait for the parity of the correct phase.",
            capitalised(who(program, party)), party.line, finding.element, event.detail);
      }
      if (!event.detail.empty()) {
        return tr(
            "{} spins at line {} forever: {}, and no other thread can make progress. Store the "
            "value on every path through the kernel, or do not wait for it.",
            capitalised(who(program, party)), party.line, event.detail);
      }
      if (event.expected != 0) {
        return tr(
            "Deadlock in {}: {} waits at the barrier at line {}, which expects {} threads. {} "
            "arrived, and no other thread can arrive. Each time, exactly as many threads must "
            "arrive as the barrier expects.",
            block_name(program, party), thread_name(program, party), party.line, event.expected,
            event.arrived);
      }
      return tr(
          "Deadlock in {}: {} waits at the barrier at line {}, which other threads never reach. "
          "Every thread of the block must pass the same barriers.",
          block_name(program, party), thread_name(program, party), party.line);
    case simt::FaultKind::DivisionByZero:
      return division_sentence(program, finding);
    case simt::FaultKind::NotSimulated:
      return not_simulated_sentence(party.line, event.detail, opcode);
    case simt::FaultKind::UndefinedCall:
      return tr(
          "Line {} of the kernel calls {}(), whose body is in none of the source files, so "
          "Tilestep does not simulate it. Define it in the .cu, or include the file that does.",
          party.line, event.detail);
    case simt::FaultKind::GridBarrier:
      return tr(
          "Line {} of the kernel synchronizes the grid (cooperative groups), which needs a "
          "cooperative launch: Tilestep simulates only ordinary launches. Split the kernel into "
          "two launches at this point.",
          party.line);
    case simt::FaultKind::WildCall:
      return tr(
          "{} calls a function through {} at line {}. Store the address of a __device__ function "
          "of this type in the pointer before the call.",
          capitalised(who(program, party)),
          event.address == 0 ? std::string(tr("a null pointer"))
                             : tr("a pointer that holds 0x{:x}, which is not the address of any "
                                  "function of the pointer's type,",
                                  event.address),
          party.line);
    case simt::FaultKind::Trap:
      return tr("{} stops at line {}: {}.", capitalised(who(program, party)), party.line,
                event.detail.empty() ? std::string("trap") : event.detail);
    case simt::FaultKind::StackOverflow:
      return tr(
          "{} calls functions more than {} levels deep at line {}. That is Tilestep's limit; a "
          "GPU's limit depends on its stack (cudaLimitStackSize) and on how much of it each call "
          "uses. End the recursion earlier.",
          capitalised(who(program, party)), simt::kMaxCallDepth, party.line);
  }
  return {};
}

}  // namespace tilestep::insight
