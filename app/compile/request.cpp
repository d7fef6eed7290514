#include "compile/compiler.h"
#include "compile/hash.h"

namespace tilestep::compile {

Request make_request(const problem::Launch& launch, Build build) {
  Request request;
  request.source_name = launch.source_name;
  request.source = launch.source;
  request.headers = launch.headers;
  request.options = {"-arch=compute_80", "-std=c++20", build == Build::Step ? "-G" : "-lineinfo"};
  for (const auto& [name, value] : launch.defines) {
    request.options.push_back("-D" + name + "=" + value);
  }
  request.name_expression = launch.entry;
  return request;
}

std::string cache_key(const Request& request) {
  Hash hash;
  hash.add("tilestep request 1");  // a new number when equal requests should compile anew
  hash.add(request.source_name);
  hash.add(request.source);
  hash.add(request.headers.size());
  for (const auto& [name, text] : request.headers) {
    hash.add(name);
    hash.add(text);
  }
  hash.add(request.options.size());
  for (const std::string& option : request.options) {
    hash.add(option);
  }
  hash.add(request.name_expression);
  return hash.hex();
}

}  // namespace tilestep::compile
