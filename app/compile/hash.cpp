#include "compile/hash.h"

#include <fmt/format.h>

#include <new>
#include <type_traits>
#include <xxhash.h>

namespace tilestep::compile {

struct Hash::State {
  XXH3_state_t* xxh = XXH3_createState();
};

Hash::Hash() : state_(std::make_unique<State>()) {
  static_assert(!std::is_copy_constructible_v<Hash> && !std::is_move_constructible_v<Hash>);
  if (state_->xxh == nullptr) {
    throw std::bad_alloc();
  }
  XXH3_128bits_reset(state_->xxh);
}

Hash::~Hash() {
  XXH3_freeState(state_->xxh);
}

void Hash::add(std::string_view text) {
  add(text.size());
  XXH3_128bits_update(state_->xxh, text.data(), text.size());
}

void Hash::add(std::uint64_t number) {
  // Byte by byte: the key is the same whatever the machine's byte order.
  unsigned char bytes[sizeof number];
  for (std::size_t i = 0; i < sizeof number; ++i) {
    bytes[i] = static_cast<unsigned char>(number >> (8 * i));
  }
  XXH3_128bits_update(state_->xxh, bytes, sizeof bytes);
}

std::string Hash::hex() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(state_->xxh);
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

}  // namespace tilestep::compile
