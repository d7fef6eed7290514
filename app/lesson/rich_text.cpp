#include "lesson/rich_text.h"

#include "problem/text.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tilestep::lesson {
namespace {

// A line break between two ideographs is no blank.
void join_ideographs(std::vector<Span>& spans) {
  for (std::size_t i = 0; i < spans.size(); ++i) {
    std::string& text = spans[i].text;
    text = joined_ideographs(std::move(text));
    const std::string before = i > 0 ? spans[i - 1].text : "";
    const bool follows = ends_with_ideograph(before) &&
                         begins_with_ideograph(text.substr(std::min(text.size(), std::size_t{1})));
    if (text.starts_with(' ') && (follows || ends_with_full_mark(before))) {
      text.erase(0, 1);
    }
    const bool goes_on = i + 1 < spans.size() && begins_with_ideograph(spans[i + 1].text);
    if (goes_on && text.ends_with(' ') && ends_with_ideograph(text.substr(0, text.size() - 1))) {
      text.pop_back();
    }
  }
}

class Typesetter {
 public:
  explicit Typesetter(const std::string& markdown)
      : document_(parse_markdown(markdown)), walk_(cmark_iter_new(document_.get())) {}

  std::vector<Paragraph> run() {
    for (cmark_event_type event{}; (event = cmark_iter_next(walk_.get())) != CMARK_EVENT_DONE;) {
      cmark_node* const node = cmark_iter_get_node(walk_.get());
      take(node, event == CMARK_EVENT_ENTER);
    }
    for (Paragraph& paragraph : all_) {
      if (!paragraph.is_code) {
        join_ideographs(paragraph.spans);
      }
    }
    return std::move(all_);
  }

 private:
  void take(cmark_node* node, bool enters) {
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_LIST:
        depth_ += enters ? 1 : -1;
        break;
      case CMARK_NODE_ITEM:
        bullet_ = enters ? bullet_of(node) : "";
        break;
      case CMARK_NODE_HEADING:
        style_.strong = enters;
        [[fallthrough]];
      case CMARK_NODE_PARAGRAPH:
        if (enters) {
          begin(false);
        }
        break;
      case CMARK_NODE_CODE_BLOCK:
        begin(true);
        style_.code = true;
        add(cmark_node_get_literal(node));
        style_.code = false;
        break;
      default:
        take_inline(node, enters);
    }
  }

  void take_inline(cmark_node* node, bool enters) {
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_STRONG:
        style_.strong = enters;
        break;
      case CMARK_NODE_EMPH:
        style_.emphasis = enters;
        break;
      case CMARK_NODE_LINK:
        style_.link = enters ? cmark_node_get_url(node) : "";
        break;
      case CMARK_NODE_CODE:
        style_.code = true;
        add(cmark_node_get_literal(node));
        style_.code = false;
        break;
      case CMARK_NODE_TEXT:
        add(cmark_node_get_literal(node));
        break;
      case CMARK_NODE_SOFTBREAK:
      case CMARK_NODE_LINEBREAK:
        add(" ");
        break;
      default:
        break;
    }
  }

  static std::string bullet_of(cmark_node* item) {
    cmark_node* const list = cmark_node_parent(item);
    if (cmark_node_get_list_type(list) == CMARK_BULLET_LIST) {
      return "•";
    }
    int number = cmark_node_get_list_start(list);
    for (cmark_node* before = cmark_node_previous(item); before != nullptr;
         before = cmark_node_previous(before)) {
      ++number;
    }
    return std::to_string(number) + ".";
  }

  void begin(bool is_code) { all_.push_back({{}, depth_, std::exchange(bullet_, ""), is_code}); }

  void add(const char* text) {
    if (all_.empty()) {
      begin(false);
    }
    auto& spans = all_.back().spans;
    Span span = style_;
    span.text = text;
    if (!spans.empty() && spans.back().strong == span.strong &&
        spans.back().emphasis == span.emphasis && spans.back().code == span.code &&
        spans.back().link == span.link) {
      spans.back().text += span.text;
    } else {
      spans.push_back(std::move(span));
    }
  }

  Document document_;
  Walk walk_;
  std::vector<Paragraph> all_;
  Span style_;
  int depth_ = 0;
  std::string bullet_;
};

// Text beside a line break; "" beside other nodes.
std::string text_of(cmark_node* node) {
  return node != nullptr && cmark_node_get_type(node) == CMARK_NODE_TEXT
             ? cmark_node_get_literal(node)
             : std::string();
}

}  // namespace

std::vector<Paragraph> paragraphs_of(const std::string& markdown) {
  return Typesetter(markdown).run();
}

std::string plain_text(const Paragraph& paragraph) {
  std::string text;
  for (const Span& span : paragraph.spans) {
    text += span.text;
  }
  return text;
}

std::string html_of(const std::string& markdown) {
  const Document document = parse_markdown(markdown);
  const Walk walk(cmark_iter_new(document.get()));
  for (cmark_event_type event{}; (event = cmark_iter_next(walk.get())) != CMARK_EVENT_DONE;) {
    cmark_node* const node = cmark_iter_get_node(walk.get());
    if (cmark_node_get_type(node) != CMARK_NODE_SOFTBREAK) {
      continue;
    }
    const std::string before = text_of(cmark_node_previous(node));
    if (ends_with_full_mark(before) ||
        (ends_with_ideograph(before) && begins_with_ideograph(text_of(cmark_node_next(node))))) {
      cmark_node_free(node);
    }
  }
  const std::unique_ptr<char, void (*)(void*)> html(
      cmark_render_html(document.get(), CMARK_OPT_UNSAFE), std::free);
  return html.get();
}

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
