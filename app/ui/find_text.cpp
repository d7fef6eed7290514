#include "ui/find_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace tilestep::ui {
namespace {

std::string folded(std::string_view text) {
  std::string folded(text);
  std::ranges::transform(folded, folded.begin(), [](unsigned char c) {
    return static_cast<char>(c < 0x80 ? std::tolower(c) : c);
  });
  return folded;
}

bool is_of_a_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

int characters(std::string_view bytes) {
  return static_cast<int>(std::ranges::count_if(
      bytes, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void find_in_line(const std::string& line, const std::string& wanted, const FindRequest& request,
                  int number, std::vector<FoundText>& found) {
  for (std::size_t at = line.find(wanted); at != std::string::npos;) {
    const std::size_t end = at + wanted.size();
    const bool is_word = (at == 0 || !is_of_a_word(line[at - 1])) &&
                         (end == line.size() || !is_of_a_word(line[end]));
    if (!request.whole_word || is_word) {
      const int from = characters(std::string_view(line).substr(0, at));
      found.push_back({number, from, from + characters(wanted)});
      at = line.find(wanted, end);
    } else {
      at = line.find(wanted, at + 1);
    }
  }
}

}  // namespace

std::vector<FoundText> find_all(const std::string& text, const FindRequest& request) {
  std::vector<FoundText> found;
  if (request.wanted.empty()) {
    return found;
  }
  const std::string wanted = request.match_case ? request.wanted : folded(request.wanted);
  int number = 1;
  for (std::size_t begin = 0; begin <= text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    find_in_line(request.match_case ? std::string(line) : folded(line), wanted, request, number,
                 found);
    begin = end + 1;
  }
  return found;
}

int nearest(const std::vector<FoundText>& all, int line, int character, int step) {
  if (all.empty()) {
    return -1;
  }
  const auto next = std::ranges::lower_bound(
      all, std::pair(line, character), {},
      [](const FoundText& found) { return std::pair(found.line, found.from); });
  const auto count = static_cast<int>(all.size());
  const auto index = static_cast<int>(next - all.begin());
  return step > 0 ? index % count : (index - 1 + count) % count;
}

}  // namespace tilestep::ui
