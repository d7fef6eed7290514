#include "lesson/markdown.h"

namespace tilestep::lesson {

Document parse_markdown(const std::string& markdown) {
  return Document(cmark_parse_document(markdown.data(), markdown.size(), CMARK_OPT_DEFAULT));
}

std::string plain_text(cmark_node* node) {
  std::string text;
  const Walk walk(cmark_iter_new(node));
  while (cmark_iter_next(walk.get()) != CMARK_EVENT_DONE) {
    cmark_node* const part = cmark_iter_get_node(walk.get());
    const cmark_node_type type = cmark_node_get_type(part);
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE) {
      text += cmark_node_get_literal(part);
    } else if (type == CMARK_NODE_SOFTBREAK) {
      text += ' ';
    }
  }
  return text;
}

}  // namespace tilestep::lesson
