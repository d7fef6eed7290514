// proposal_text: the description, with its notes as comments.
#include "problem/propose/proposal.h"
#include "problem/tr.h"

#include <string>

namespace tilestep::problem {

std::string proposal_text(const Proposal& proposal) {
  std::vector<std::string> head = proposal.head;
  for (const std::string& question : proposal.questions) {
    head.push_back(tr("Question: {}", question));
  }
  return description_text(proposal.spec, head, proposal.notes);
}

}  // namespace tilestep::problem
