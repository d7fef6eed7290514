// Kept answers: any bytes are a file of them or an error, with their own checksum and with a
// correct one in front; and answers that were read can be written and read again.
#include "compile/cache.h"
#include "require.h"
#include "targets.h"
#include "workspace/kept_answers.h"

namespace tilestep::fuzz {
namespace {

void read_and_write(const std::string& text) {
  const auto answers = workspace::from_answer_text(text);
  if (!answers) {
    return;
  }
  const std::string written = workspace::to_answer_text(*answers);
  const auto again = workspace::from_answer_text(written);
  require(again && workspace::to_answer_text(*again) == written,
          "answers are read as they were written");
}

}  // namespace

void read_answers(Bytes bytes) {
  const std::string text = text_of(bytes);
  read_and_write(text);
  compile::Hash hash;
  hash.add(text);
  const std::string version = workspace::to_answer_text({}).substr(0, 19);
  read_and_write(version + "checksum " + hash.hex() + "\n" + text);
}

}  // namespace tilestep::fuzz
