#include "ptx/text/body_reader.h"

#include "problem/problem.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilestep::ptx {
namespace {

constexpr std::uint32_t kDeepestBlock = 256;
constexpr std::uint32_t kLargestCallArea = 1U << 20;

}  // namespace

const Form& FormCache::get(std::string_view word) {
  const auto [place, is_new] = forms_.try_emplace(word);
  if (is_new) {
    place->second = decode_opcode(word);
  }
  return place->second;
}

BodyReader::BodyReader(Reading& reading, FormCache& forms, ParsedText& parsed,
                       std::uint32_t function, std::vector<PendingInlineName>& inline_names)
    : reading_(reading),
      lexer_(reading.lexer),
      forms_(forms),
      parsed_(parsed),
      function_index_(function),
      inline_names_(inline_names),
      parents_{0} {
  this->function().lines.emplace_back();
}

void BodyReader::read() {
  lexer_.expect('{', "at the start of a function's body");
  blocks_.push_back({});
  while (!lexer_.at_end()) {
    if (blocks_.size() == 1 && lexer_.peek().is('}')) {
      finish(lexer_.take());
      return;
    }
    read_statement();
  }
  lexer_.error_expected(tr("the closing brace of a function's body"));
}

void BodyReader::read_statement() {
  const Token& next = lexer_.peek();
  if (next.is('{')) {
    open_block();
  } else if (next.is('}')) {
    close_block();
  } else if (next.is(';')) {
    lexer_.take();  // an empty statement, as inline asm leaves them
  } else if (next.is('@') || next.kind == TokenKind::Word) {
    if (next.kind == TokenKind::Word && next.text[0] == '.') {
      read_directive(lexer_.take());
    } else {
      read_instruction();
    }
  } else {
    lexer_.error_expected(tr("an instruction, a label or a directive"));
  }
}

void BodyReader::open_block() {
  const Token brace = lexer_.take();
  if (blocks_.size() >= kDeepestBlock) {
    lexer_.error(brace.line, tr("blocks are nested too deeply."));
    return;
  }
  const auto id = static_cast<BlockId>(parents_.size());
  parents_.push_back(blocks_.back().id);
  blocks_.push_back({id, call_offset_});
  reading_.symbols.open_scope();
}

void BodyReader::close_block() {
  lexer_.take();
  reading_.symbols.close_scope();
  call_offset_ = blocks_.back().call_offset;
  blocks_.pop_back();
}

void BodyReader::read_directive(const Token& word) {
  if (word.text == ".loc") {
    read_loc();
  } else if (word.text == ".reg") {
    read_registers(reading_, function(), slots_);
  } else if (word.text == ".param") {
    read_call_param();
  } else if (const auto space = variable_space(word.text)) {
    read_variables(reading_, parsed_.module, *space, false, function_index_);
  } else if (word.text == ".pragma") {
    lexer_.skip_statement();
  } else {
    lexer_.error(word.line, tr("'{}' is not a directive of a function's body.", word.text));
  }
}

// `.loc 1 18 17, function_name $L__info_string0, inlined_at 1 43 3`
void BodyReader::read_loc() {
  Line line;
  line.file = lexer_.expect_count("a file number");
  line.line = lexer_.expect_count("a line number");
  line.column = lexer_.expect_count("a column number");
  line_ = static_cast<std::uint32_t>(function().lines.size());
  function().lines.push_back(line);
  while (lexer_.accept(',')) {
    if (lexer_.accept("function_name")) {
      PendingInlineName pending{function_index_, line_, lexer_.expect_word("a label").text, 0};
      if (lexer_.peek().is('+')) {
        pending.addend = read_constant_expression(lexer_).bits;
      }
      inline_names_.push_back(pending);
    } else if (lexer_.accept("inlined_at")) {
      function().lines[line_].inlined_at = read_inlined_at(line_);
    } else {
      lexer_.error_expected(tr("function_name or inlined_at"));
    }
  }
}

// The call's place was the subject of an earlier .loc (PTX ISA 9.0, 11.5.5); one that was not gets
// an entry of its own, which no instruction has.
std::uint32_t BodyReader::read_inlined_at(std::uint32_t line_index) {
  Line call;
  call.file = lexer_.expect_count("a file number");
  call.line = lexer_.expect_count("a line number");
  call.column = lexer_.expect_count("a column number");
  std::vector<Line>& lines = function().lines;
  for (std::uint32_t i = line_index; i-- > 1;) {
    if (lines[i].file == call.file && lines[i].line == call.line &&
        lines[i].column == call.column) {
      return i;
    }
  }
  lines.push_back(call);
  return static_cast<std::uint32_t>(lines.size() - 1);
}

// `.param .align 8 .b8 param0[24];` in a call sequence: a piece of the call area.
void BodyReader::read_call_param() {
  do {
    std::string_view name;
    const std::uint32_t line = lexer_.peek().line;
    const Param param = read_param(lexer_, name);
    if (lexer_.failed()) {
      return;
    }
    const std::uint32_t offset = align_up(call_offset_, param.align);
    call_offset_ = offset + param.bytes;
    function().call_bytes = std::max(function().call_bytes, call_offset_);
    if (call_offset_ > kLargestCallArea) {
      lexer_.error(line, tr("the parameters of this call are too large."));
    } else if (!reading_.symbols.declare(name, {SymbolKind::CallParam, {}, offset, param.bytes})) {
      lexer_.error(line, tr("parameter '{}' is declared twice.", name));
    }
  } while (lexer_.accept(','));
  lexer_.expect(';', "after a parameter of a call");
}

void BodyReader::read_label(const Token& name) {
  if (lexer_.peek().is(".callprototype") || lexer_.peek().is(".calltargets")) {
    lexer_.skip_statement();
    if (!lexer_.failed() &&
        !reading_.symbols.declare(name.text, {SymbolKind::Prototype, {}, 0, 0})) {
      lexer_.error(name.line, tr("'{}' is declared twice.", name.text));
    }
    return;
  }
  if (lexer_.accept(".branchtargets")) {
    read_branch_targets(name);
    return;
  }
  const BlockId block = blocks_.back().id;
  if (!labels_.try_emplace({block, name.text}, pc()).second) {
    lexer_.error(name.line, tr("duplicate label '{}' in a function.", name.text));
  }
  if (block == 0) {
    parsed_.labels.try_emplace(name.text, LabelPlace{function_index_, pc()});
  }
}

void BodyReader::read_branch_targets(const Token& label) {
  const auto table = static_cast<std::uint32_t>(function().branch_tables.size());
  std::uint32_t element = 0;
  do {
    const Token target = lexer_.expect_word("a label");
    uses_.push_back({target.text, blocks_.back().id, target.line, 0, table, element++});
  } while (lexer_.accept(','));
  lexer_.expect(';', "after branch targets");
  function().branch_tables.emplace_back(element, kNoPc);
  if (!lexer_.failed() &&
      !reading_.symbols.declare(label.text, {SymbolKind::Targets, {}, table, 0})) {
    lexer_.error(label.line, tr("'{}' is declared twice.", label.text));
  }
}

}  // namespace tilestep::ptx
