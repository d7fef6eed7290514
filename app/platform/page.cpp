#include "platform/page.h"

#include <cstdlib>
#include <emscripten.h>

namespace tilestep::platform {
namespace {

// clang-format off
EM_JS(void, page_copy, (const char* text), { Module.tilestep.copy(UTF8ToString(text)); })
EM_JS(char*, page_pasted, (), { return stringToNewUTF8(Module.tilestep.pasted); })
EM_JS(char*, page_letters, (int has_field), {
  return stringToNewUTF8(Module.tilestep.letters(has_field !== 0));
})
EM_JS(void, page_tell_staged, (), { Module.tilestep.tellStaged(); })
EM_JS(char*, page_address, (), {
  const link = Module.tilestep.opened;
  Module.tilestep.opened = null;
  return link === null ? 0 : stringToNewUTF8(link);
})
EM_JS(void, page_say, (const char* text, const char* language), {
  Module.tilestep.say(UTF8ToString(text), UTF8ToString(language));
})
EM_JS(void, page_show_address, (const char* link), { Module.tilestep.show(UTF8ToString(link)); })
// clang-format on

}  // namespace

std::optional<std::string> taken(char* text) {
  if (text == nullptr) {
    return std::nullopt;
  }
  std::string copy = text;
  std::free(text);  // NOLINT(cppcoreguidelines-no-malloc)
  return copy;
}

std::string take_letters(bool has_text_field) {
  return taken(page_letters(has_text_field ? 1 : 0)).value_or("");
}

std::optional<std::string> take_address() {
  return taken(page_address());
}

void show_address(const std::string& link) {
  page_show_address(link.c_str());
}

void say_aloud(const std::string& text, const std::string& language) {
  page_say(text.c_str(), language.c_str());
}

void tell_staged() {
  page_tell_staged();
}

std::string pasted() {
  return taken(page_pasted()).value_or("");
}

void copy(const char* text) {
  page_copy(text);
}

}  // namespace tilestep::platform
