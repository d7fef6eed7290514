#include "ptx/text/body_reader.h"

#include "problem/problem.h"
#include "problem/tr.h"
#include "ptx/model/control_flow.h"

#include <algorithm>

namespace tilestep::ptx {
namespace {

constexpr std::uint32_t kDeepestBlock = 256;
constexpr std::uint32_t kLargestCallArea = 1U << 20;

// `what` at the place of `where`, under the same guard.
Instruction placed(Instruction what, const Instruction& where) {
  what.guard = where.guard;
  what.guard_negated = where.guard_negated;
  what.line = where.line;
  what.text = where.text;
  what.text_offset = where.text_offset;
  what.first_operand = where.first_operand;
  return what;
}

// The end of a body is a return, explicit or not.
[[nodiscard]] bool can_fall_through(const Instruction& last) {
  const bool leaves = last.op == Opcode::Ret || last.op == Opcode::Exit ||
                      last.op == Opcode::Trap || last.op == Opcode::Bra ||
                      last.op == Opcode::BrxIdx;
  return !leaves || last.guard != kNoGuard;
}

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

// The call's place had an earlier .loc (PTX ISA 9.0, 11.5.5). If it had none, it gets a new entry,
// which no instruction uses.
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

void BodyReader::read_guard(Instruction& instruction) {
  instruction.guard_negated = lexer_.accept('!');
  const Token name = lexer_.expect_word("a predicate");
  const auto symbol = reading_.symbols.find(name.text);
  const bool is_predicate =
      symbol && symbol->kind == SymbolKind::Register && symbol->reg.cls == RegisterClass::Pred;
  if (!is_predicate) {
    lexer_.error(name.line, tr("'{}' is not a predicate declared here.", name.text));
    return;
  }
  instruction.guard = symbol->reg.index;
}

void BodyReader::read_instruction() {
  const Token start = lexer_.peek();
  Instruction place;
  place.line = line_;
  place.text = start.line;
  place.text_offset = start.offset;
  place.first_operand = static_cast<std::uint32_t>(function().operands.size());
  if (lexer_.accept('@')) {
    read_guard(place);
  }
  const Token word = lexer_.expect_word("an instruction");
  if (place.guard == kNoGuard && lexer_.accept(':')) {
    read_label(word);
    return;
  }
  const Form& form = forms_.get(word.text);
  Instruction instruction = placed(form.prototype, place);
  read_operands_of(form, instruction);
  if (!lexer_.failed()) {
    function().instructions.push_back(instruction);
  }
}

void BodyReader::read_operands_of(const Form& form, Instruction& instruction) {
  operands_.clear();
  switch (form.prototype.op) {
    case Opcode::Unknown:
      lexer_.skip_statement();
      return;
    case Opcode::Bra:
      read_bra(instruction);
      return;
    case Opcode::BrxIdx:
      read_brx(instruction);
      return;
    case Opcode::Call:
      read_call(instruction);
      return;
    default:
      break;
  }
  read_operands(lexer_, reading_.symbols, operands_);
  if (lexer_.failed()) {
    return;
  }
  if (!bind_operands(form, operands_, parsed_.module, instruction, function().operands)) {
    instruction = placed({}, instruction);
  } else if (form.has_matrix) {
    instruction.target = static_cast<std::uint32_t>(function().matrix_forms.size());
    MatrixForm matrix = form.matrix;
    for (std::size_t i = 0; i < std::min<std::size_t>(operands_.groups.size(), 4); ++i) {
      matrix.group_sizes[i] = static_cast<std::uint8_t>(operands_.groups[i].count);
    }
    function().matrix_forms.push_back(matrix);
  }
}

void BodyReader::read_bra(Instruction&) {
  const Token label = lexer_.expect_word("a label");
  uses_.push_back({label.text, blocks_.back().id, label.line, pc(), kNoPc, 0});
  lexer_.expect(';', "after a branch");
}

void BodyReader::read_brx(Instruction& instruction) {
  read_operand(lexer_, reading_.symbols, operands_);
  lexer_.expect(',', "after the index of a branch");
  const Token name = lexer_.expect_word("a list of branch targets");
  lexer_.expect(';', "after a branch");
  const auto targets = reading_.symbols.find(name.text);
  if (!targets || targets->kind != SymbolKind::Targets) {
    lexer_.error(name.line, tr("'{}' is not a list of branch targets.", name.text));
    return;
  }
  const Operand index = operands_.operands.empty() ? Operand{} : operands_.operands[0].operand;
  if (index.kind != OperandKind::Register || index.reg.cls != RegisterClass::B32) {
    instruction = placed({}, instruction);
    return;
  }
  instruction.target = targets->index;
  instruction.operand_count = 1;
  function().operands.push_back(index);
}

// `(a, b)` of a call, appended to operands_.
void BodyReader::read_call_list() {
  lexer_.expect('(', "before the parameters of a call");
  while (!lexer_.at_end() && !lexer_.peek().is(')')) {
    read_operand(lexer_, reading_.symbols, operands_);
    if (!lexer_.accept(',')) {
      break;
    }
  }
  lexer_.expect(')', "after the parameters of a call");
}

// `call.uni (retval0), name, (param0, param1), prototype;`
void BodyReader::read_call(Instruction& instruction) {
  if (lexer_.peek().is('(')) {
    read_call_list();
    lexer_.expect(',', "after the returned values of a call");
  }
  const std::size_t target = operands_.operands.size();
  read_operand(lexer_, reading_.symbols, operands_);
  if (lexer_.accept(',')) {
    read_call_list();
  }
  if (lexer_.accept(',')) {
    const Token prototype = lexer_.expect_word("a prototype");
    if (!lexer_.failed() && !reading_.symbols.find(prototype.text)) {
      lexer_.error(prototype.line, tr("'{}' is not declared here.", prototype.text));
    }
  }
  lexer_.expect(';', "after a call");
  if (!lexer_.failed() && !bind_call(instruction, target)) {
    function().operands.resize(instruction.first_operand);
    instruction = placed({}, instruction);
  }
}

// In NVRTC's calling convention everything is passed in the call area.
bool BodyReader::bind_call(Instruction& instruction, std::size_t target) {
  constexpr std::size_t kMostOperands = 255;  // Instruction::operand_count
  const std::size_t count = operands_.operands.size();
  if (!operands_.understood || count > kMostOperands) {
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& operand = operands_.operands[i].operand;
    const bool indirect =
        operand.kind == OperandKind::Register && operand.reg.cls == RegisterClass::B64;
    const bool fits = i == target ? operand.kind == OperandKind::Function || indirect
                                  : operand.kind == OperandKind::CallParam;
    if (!fits || operand.value != 0) {
      return false;
    }
    function().operands.push_back(operand);
  }
  const Operand& callee = operands_.operands[target].operand;
  if (callee.kind == OperandKind::Function) {
    const Function& called = parsed_.module.functions[callee.index];
    if (!params_fit(called.returns, 0, target) || !params_fit(called.params, target + 1, count)) {
      return false;
    }
  }
  instruction.dest_count = static_cast<std::uint8_t>(target);
  instruction.operand_count = static_cast<std::uint8_t>(count);
  if (target > 0) {
    instruction.flags = static_cast<std::uint16_t>(instruction.flags | kHasReturn);
  }
  return true;
}

// Whether every parameter has a piece of the call area, at least as large as the callee expects.
bool BodyReader::params_fit(const std::vector<Param>& params, std::size_t first,
                            std::size_t last) const {
  if (params.size() != last - first) {
    return false;
  }
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (operands_.operands[first + i].symbol_bytes < params[i].bytes) {
      return false;
    }
  }
  return true;
}

std::uint32_t BodyReader::find_label(const LabelUse& use) const {
  for (BlockId block = use.block;; block = parents_[block]) {
    const auto label = labels_.find({block, use.name});
    if (label != labels_.end()) {
      return label->second;
    }
    if (block == 0) {
      return kNoPc;
    }
  }
}

void BodyReader::resolve_labels() {
  for (const LabelUse& use : uses_) {
    const std::uint32_t place = find_label(use);
    if (place == kNoPc) {
      lexer_.error(use.line, tr("label '{}' is not defined in this function.", use.name));
      return;
    }
    if (use.table == kNoPc) {
      function().instructions[use.instruction].target = place;
    } else {
      function().branch_tables[use.table][use.element] = place;
    }
  }
}

// The end of a body is a return, explicit or not: after this no path runs past the last
// instruction.
void BodyReader::add_final_return(const Token& closing_brace) {
  const Function& body = function();
  const auto is_end = [&](std::uint32_t target) { return target == body.instructions.size(); };
  bool reached = body.instructions.empty() || can_fall_through(body.instructions.back());
  for (const LabelUse& use : uses_) {
    reached = reached || is_end(find_label(use));
  }
  if (reached) {
    Instruction last;
    last.op = Opcode::Ret;
    last.line = line_;
    last.text = closing_brace.line;
    last.text_offset = closing_brace.offset;
    last.first_operand = static_cast<std::uint32_t>(body.operands.size());
    function().instructions.push_back(last);
  }
}

void BodyReader::finish(const Token& closing_brace) {
  add_final_return(closing_brace);
  resolve_labels();
  if (lexer_.failed()) {
    return;
  }
  Function& done = function();
  done.register_words = slots_.words;
  done.predicate_count = slots_.predicates;
  const auto pointer = [&](std::string_view name, Register otherwise) {
    const auto symbol = reading_.symbols.find(name);
    const bool is_pointer =
        symbol && symbol->kind == SymbolKind::Register && symbol->reg.cls == RegisterClass::B64;
    return is_pointer ? symbol->reg : otherwise;
  };
  done.stack_pointer = pointer("%SP", done.stack_pointer);
  done.stack_pointer_local = pointer("%SPL", done.stack_pointer_local);
  done.last_text_line = closing_brace.line;
  find_reconvergence(done);
}

}  // namespace tilestep::ptx
