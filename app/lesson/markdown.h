// CommonMark's tree, owned.
#pragma once

#include <cmark.h>
#include <memory>
#include <string>

namespace tilestep::lesson {

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
