// Used by proposals only: how names are compared, and which ones mean a block's size.
#pragma once

#include "problem/source/cuda_scanner.h"
#include "problem/source/cuda_text.h"
#include "problem/text.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tilestep::problem {

using Word = std::string_view;

inline constexpr int kEdge = 16;  // of a block with unknown size

inline constexpr Word kBlockNames[] = {
    "BLOCK_SIZE", "BLOCKSIZE", "BLOCK_DIM",   "BLOCKDIM",   "TILE_WIDTH",
    "TILE_SIZE",  "TILE_DIM",  "TILE",        "BDIM",       "BLOCK",
    "THREADS",    "TPB",       "NUM_THREADS", "BLOCKDIM_X", "THREADS_PER_BLOCK",
    "block_size", "blocksize"};

// Plain names (plain_size_name) of the number of threads in a warp.
inline constexpr Word kWarpNames[] = {
    "warpsize",       "warpwidth",    "warpthreads", "warplanes",    "warpdim",
    "threadsperwarp", "lanesperwarp", "warpsz",      "warp",         "cudawarpsize",
    "threadsinwarp",  "lanes",        "numlanes",    "nthreadswarp", "warpthreadnum",
    "lanecount",      "warplanecount"};

// "d_in", "in_d", "dev_in" → "in"
inline std::string bare(const std::string& name) {
  std::string text = lower(name);
  for (const Word prefix : {"d_", "dev_", "g_", "device_", "dev"}) {
    if (text.starts_with(prefix) && text.size() > prefix.size()) {
      text = text.substr(prefix.size());
      break;
    }
  }
  return text.ends_with("_d") ? text.substr(0, text.size() - 2) : text;
}

// "BLOCK_SIZE_M", "K10_BM", "kBlockM" and "BM_" → "blocksizem", "bm", "blockm", "bm"
inline std::string plain_size_name(const std::string& name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::string text = name;
  std::size_t digit = 1;
  while (digit < text.size() && is_digit(text[digit])) {
    ++digit;
  }
  const bool has_k = !text.empty() && (text[0] == 'k' || text[0] == 'K');
  if (has_k && digit > 1 && digit + 1 < text.size() && text[digit] == '_') {
    text.erase(0, digit + 1);
  } else if (text.size() > 2 && text[0] == 'k' && is_upper(text[1])) {
    text.erase(0, 1);
  }
  std::erase(text, '_');
  return lower(text);
}

// The likeliest value of a size that the text does not give.
inline int usual_size(const std::string& name) {
  return is_one_of(kWarpNames, plain_size_name(name)) ? 32 : kEdge;
}

inline const CudaKernel* find_kernel(const CudaText& text, const std::string& name) {
  const auto found = std::find_if(text.kernels.begin(), text.kernels.end(),
                                  [&](const CudaKernel& k) { return k.name == name; });
  return found == text.kernels.end() ? nullptr : &*found;
}

// "ns::kernel<4>" → "kernel"
inline std::string plain_name(const std::string& entry) {
  std::string name = entry.substr(0, entry.find('<'));
  const auto scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

inline bool has_in_body(const CudaText& text, const CudaKernel& kernel,
                        const std::vector<std::string>& sequence) {
  const auto begin = text.tokens.begin() + static_cast<std::ptrdiff_t>(kernel.body_begin);
  const auto end = text.tokens.begin() + static_cast<std::ptrdiff_t>(kernel.body_end);
  return std::search(begin, end, sequence.begin(), sequence.end()) != end;
}

}  // namespace tilestep::problem
