// Markdown as paragraphs of words in styles, for whoever draws it.
#pragma once

#include <cmark.h>
#include <memory>
#include <string>
#include <vector>

namespace tilestep::lesson {

// Neighbouring words of one style.
struct Span {
  std::string text;
  bool strong = false;  // **bold**, a heading
  bool emphasis = false;
  bool code = false;
  std::string link;  // its target; empty: it is none

  friend bool operator==(const Span&, const Span&) = default;
};

struct Paragraph {
  std::vector<Span> spans;
  int depth = 0;         // of the list that it is in; 0: in none
  std::string bullet;    // "•" or "2."; empty: it goes on, or is in no list
  bool is_code = false;  // a block of code: its lines stand as they are

  friend bool operator==(const Paragraph&, const Paragraph&) = default;
};

// Pictures and HTML are left out: a lesson has none.
[[nodiscard]] std::vector<Paragraph> paragraphs_of(const std::string& markdown);

// Of a paragraph, without its styles.
[[nodiscard]] std::string plain_text(const Paragraph& paragraph);

// CommonMark's tree, owned.
struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
using Document = std::unique_ptr<cmark_node, FreeNode>;

struct FreeWalk {
  void operator()(cmark_iter* walk) const { cmark_iter_free(walk); }
};
using Walk = std::unique_ptr<cmark_iter, FreeWalk>;

[[nodiscard]] Document parse_markdown(const std::string& markdown);
// The words of a node, without their marks.
[[nodiscard]] std::string plain_text(cmark_node* node);

}  // namespace tilestep::lesson
