// 128-bit content hash: XXH3 of the xxHash library. Not cryptographic: it tells texts apart and
// finds damage; whoever can write the user's cache can do anything already.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tilestep::compile {

class Hash {
 public:
  Hash();
  ~Hash();
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;
  Hash(Hash&&) = delete;
  Hash& operator=(Hash&&) = delete;

  // Each text with its length before it, so that {"ab", "c"} differs from {"a", "bc"}.
  void add(std::string_view text);
  void add(std::uint64_t number);
  [[nodiscard]] std::string hex() const;  // 32 digits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilestep::compile
