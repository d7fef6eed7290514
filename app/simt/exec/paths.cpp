// How the lanes of a warp part and come together again.
//
// A warp's paths form a stack: at a branch that not all lanes take, the running path becomes the
// join at the branch's immediate post-dominator and its parts are stacked above it. A part ends
// where it arrives at the join. Lanes whose branch leads straight to the join wait there and are
// not stacked; parts with the same place and join are merged. So the stack holds at most one path
// for each lane and one join for each level of nesting, whatever loops do.
//
// Any path that is nobody's join may be taken to the top: the order among them is only whose turn
// it is (paths_choice.cpp).
#include "simt/exec/paths.h"

#include <algorithm>
#include <bit>

namespace tilestep::simt {
namespace {

// Puts lanes on a part of the split whose parts lie on top of the stack.
void add_part(std::vector<Path>& paths, const Path& part) {
  for (auto p = paths.rbegin(); p != paths.rend(); ++p) {
    if (p->frame != part.frame || p->reconverge != part.reconverge) {
      break;
    }
    if (p->pc == part.pc) {
      p->mask |= part.mask;
      return;
    }
  }
  paths.push_back(part);
}

// Calls that no path is in, nor a call that one is in.
void free_frames(Warp& warp) {
  for (std::size_t f = warp.frames.size(); f-- > 1;) {
    const auto runs_in = [f](const Path& path) { return path.frame == f; };
    const auto called_by = [f](const Frame& frame) {
      return frame.function != kNoFunction && frame.depth != 0 && frame.caller == f;
    };
    if (std::none_of(warp.paths.begin(), warp.paths.end(), runs_in) &&
        std::none_of(warp.frames.begin(), warp.frames.end(), called_by)) {
      warp.frames[f] = {};
      warp.frames[f].function = kNoFunction;
    }
  }
  while (warp.frames.back().function == kNoFunction) {
    warp.frames.pop_back();
  }
}

}  // namespace

std::uint32_t lanes_above(const std::vector<Path>& paths, std::size_t index) {
  std::uint32_t lanes = 0;
  for (std::size_t k = index + 1; k < paths.size(); ++k) {
    lanes |= paths[k].mask;
  }
  return lanes;
}

bool is_leaf(const std::vector<Path>& paths, std::size_t index) {
  return (lanes_above(paths, index) & paths[index].mask) == 0;
}

std::uint32_t leaving_lanes(const Context& c) {
  std::uint32_t leaving = 0;
  std::uint32_t elsewhere = 0;  // on a path above
  const std::vector<Path>& paths = c.warp.paths;
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    const Frame& frame = c.warp.frames[path->frame];
    const ptx::Instruction& next = *c.program.functions[frame.function].code[path->pc].source;
    const bool leaves =
        next.op == ptx::Opcode::Exit || (next.op == ptx::Opcode::Ret && frame.depth == 0);
    if (leaves && next.guard == ptx::kNoGuard) {
      leaving |= path->mask & ~elsewhere;
    }
    elsewhere |= path->mask;
  }
  return leaving;
}

const Bound* diverge(Context& c, std::uint32_t reconverge, const Branch* branches,
                     std::size_t count) {
  std::vector<Path>& paths = c.warp.paths;
  Path part = paths.back();
  c.warp.stored_apart &= ~part.mask;
  const std::uint32_t join = reconverge == ptx::kNoPc ? part.reconverge : reconverge;
  if (join == part.reconverge) {
    paths.pop_back();  // the join below waits for these parts too
  } else {
    paths.back().pc = join;
    part.reconverge = join;
  }
  for (std::size_t k = count; k-- > 0;) {
    part.pc = branches[k].pc;
    part.mask = branches[k].mask;
    if (part.mask != 0 && part.pc != join) {
      add_part(paths, part);
    }
  }
  return next_path(c);
}

void drop_empty_paths(Warp& warp) {
  std::erase_if(warp.paths, [](const Path& path) { return path.mask == 0; });
}

void settle_paths(Warp& warp) {
  std::vector<Path>& paths = warp.paths;
  while (paths.back().mask == 0 || paths.back().pc == paths.back().reconverge) {
    paths.pop_back();
  }
  if (warp.frames.size() > 1) {
    free_frames(warp);
  }
}

void merge_paths(Warp& warp) {
  std::vector<Path>& paths = warp.paths;
  for (std::size_t k = paths.size(); k-- > 1;) {
    for (std::size_t other = 0; other < k; ++other) {
      Path& into = paths[other];
      const Path& path = paths[k];
      const bool same = into.pc == path.pc && into.reconverge == path.reconverge &&
                        into.frame == path.frame && into.wait == PathWait::None &&
                        path.wait == PathWait::None && (into.mask & path.mask) == 0;
      if (same && is_leaf(paths, other) && is_leaf(paths, k)) {
        into.mask |= path.mask;
        paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(k));
        break;
      }
    }
  }
}

}  // namespace tilestep::simt
