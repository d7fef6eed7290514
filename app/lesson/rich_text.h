// Markdown as paragraphs of styled words, ready to draw.
#pragma once

#include <cmark.h>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::lesson {

// Adjacent words of one style.
struct Span {
  std::string text;
  bool strong = false;  // **bold**, a heading
  bool emphasis = false;
  bool code = false;
  std::string link;  // target; empty: no link

  friend bool operator==(const Span&, const Span&) = default;
};

struct Paragraph {
  std::vector<Span> spans;
  int depth = 0;         // depth of the list that contains it; 0: no list
  std::string bullet;    // "•" or "2."; empty: continuation, or no list
  bool is_code = false;  // a code block: its lines are kept

  friend bool operator==(const Paragraph&, const Paragraph&) = default;
};

// Ignores pictures and HTML, which lessons do not have.
[[nodiscard]] std::vector<Paragraph> paragraphs_of(const std::string& markdown);

// The same as HTML, without line breaks between ideographs. HTML blocks in the text stay.
[[nodiscard]] std::string html_of(const std::string& markdown);

// The words of a paragraph without styles.
[[nodiscard]] std::string plain_text(const Paragraph& paragraph);

// Owns CommonMark's tree.
struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
using Document = std::unique_ptr<cmark_node, FreeNode>;

struct FreeWalk {
  void operator()(cmark_iter* walk) const { cmark_iter_free(walk); }
};
using Walk = std::unique_ptr<cmark_iter, FreeWalk>;

[[nodiscard]] Document parse_markdown(const std::string& markdown);
// The words of a node without markup.
[[nodiscard]] std::string plain_text(cmark_node* node);

}  // namespace tilestep::lesson
