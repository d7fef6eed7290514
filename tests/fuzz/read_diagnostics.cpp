// The compiler's log: messages with explanations, with or without a place in a file.
#include "compile/diagnostics.h"
#include "require.h"
#include "targets.h"

namespace tilestep::fuzz {

void read_diagnostics(Bytes bytes) {
  const std::string log = text_of(bytes);
  compile::Request request;
  request.source_name = "tiled.cu";
  request.source = "#include \"tile.h\"\n__global__ void k(float* a) {}\n";
  request.name_expression = "k<4>";
  auto diagnostics = compile::parse_diagnostics(log);
  for (const compile::Diagnostic& diagnostic : diagnostics) {
    require(diagnostic.line >= 0 && diagnostic.column >= 0, "places are counted from 1");
    (void)compile::names_missing_header(diagnostic);
  }
  diagnostics = compile::explain_entry(std::move(diagnostics), request);
  diagnostics = compile::explain_syntax(std::move(diagnostics), request);
  diagnostics = compile::explain_not_simulated(std::move(diagnostics));
  diagnostics = compile::explain_missing(std::move(diagnostics), request);
  diagnostics = compile::explain_names(std::move(diagnostics), request);
  (void)compile::dropped_arguments(log, request);
}

}  // namespace tilestep::fuzz
