// Makers of questions about a place in a run: one function per kind, based on what was executed
// there.
#include "course/asked.h"
#include "course/practice.h"
#include "record/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>

namespace tilestep::course {
namespace {

using lesson::QuestionKind;

constexpr std::size_t kAhead = 24;  // statements to the line's next execution

bool is_load(const record::Access& access) {
  return access.event.kind == simt::AccessKind::Load;
}

std::optional<Draft> which_element_read(Ground& ground) {
  const auto picked = some_access(ground, is_load);
  if (!picked) {
    return std::nullopt;
  }
  Draft draft = draft_at(*picked, QuestionKind::Cell);
  draft.ask = {fmt::format("Line {} is next. Which element of {} does {} read there?", picked->line,
                           picked->array, who(ground, picked->block, picked->thread).en),
               fmt::format("接着执行第 {} 行。{} 读 {} 的哪个元素？", picked->line,
                           who(ground, picked->block, picked->thread).zh, picked->array)};
  const std::string form = fmt::format("read({}, b{}, t{{}}, {})", picked->array, picked->block,
                                       statement_place(picked->statement + 1));
  draft.answer = fmt::format(fmt::runtime(form), picked->thread);
  add_other_threads(ground, *picked, form, draft);
  if (const auto other = other_time(ground, *picked)) {
    draft.wrong.push_back({fmt::format("read({}, b{}, t{}, {})", picked->array, picked->block,
                                       picked->thread, statement_place(*other + 1)),
                           {"The same line reads it, but in another iteration of the loop.",
                            "这是同一行在另一次循环里读的。"}});
  }
  return draft;
}

std::optional<Draft> which_element_stored(Ground& ground) {
  const auto picked = some_access(ground, [](const record::Access& access) {
    return access.event.kind == simt::AccessKind::Store;
  });
  if (!picked) {
    return std::nullopt;
  }
  Draft draft = draft_at(*picked, QuestionKind::Cell);
  draft.ask = {fmt::format("Line {} is next. Which element of {} does {} store?", picked->line,
                           picked->array, who(ground, picked->block, picked->thread).en),
               fmt::format("接着执行第 {} 行。{} 写 {} 的哪个元素？", picked->line,
                           who(ground, picked->block, picked->thread).zh, picked->array)};
  const std::string form = fmt::format("stored({}, b{}, t{{}})", picked->array, picked->block);
  draft.answer = fmt::format(fmt::runtime(form), picked->thread);
  add_other_threads(ground, *picked, form, draft);
  if (ground.program().block_count() > 1) {
    const std::uint32_t other = picked->block == 0 ? 1 : picked->block - 1;
    draft.wrong.push_back(
        {fmt::format("stored({}, b{}, t{})", picked->array, other, picked->thread),
         {"That is the same thread of another block.", "这是另一个线程块里同样的线程。"}});
  }
  return draft;
}

std::optional<Draft> who_brought_it(Ground& ground) {
  const auto picked = some_access(ground, is_load);
  if (!picked || !picked->is_shared) {
    return std::nullopt;
  }
  Draft draft = draft_at(*picked, QuestionKind::Thread);
  draft.ask = {fmt::format("{} reads {} next. Which thread put the number there?",
                           who(ground, picked->block, picked->thread).en, picked->element),
               fmt::format("{} 接着读 {}。里面的数是哪个线程写入的？",
                           who(ground, picked->block, picked->thread).zh, picked->element)};
  draft.ask.en[0] = 'T';
  draft.answer = fmt::format("writer({}, b{}, {})", picked->element, picked->block,
                             statement_place(picked->statement));
  const auto thread = [&](std::uint32_t linear) {
    const problem::Dim3 at = ground.program().thread_index(linear);
    return fmt::format("thread({}, {}, b{})", at.x, at.y, picked->block);
  };
  draft.wrong.push_back({thread(picked->thread),
                         {"That is who reads it. What a thread uses is mostly what others brought.",
                          "这是读它的线程。线程用的数大多是别的线程搬来的。"}});
  lesson::Position at = ground.from;
  at.place = draft.at;
  const auto answer = lesson::parse_expression(draft.answer);
  const auto writer = answer ? ground.answers.of(*answer, at) : fail("");
  if (!writer) {
    return std::nullopt;
  }
  if (const auto other = exchanged(ground, writer->thread)) {
    draft.wrong.push_back({thread(*other), {kExchanged, kExchangedZh}});
  }
  if (const auto other = neighbour(ground, writer->thread)) {
    draft.wrong.push_back(
        {thread(*other),
         {"That thread brought the number beside it.", "这个线程写的是旁边的数。"}});
  }
  return draft;
}

std::optional<Draft> where_from(Ground& ground) {
  const auto picked = some_access(ground, is_load);
  if (!picked || !picked->is_shared) {
    return std::nullopt;
  }
  Draft draft = draft_at(*picked, QuestionKind::Cell);
  draft.ask = {
      fmt::format("Which element of a matrix stands in {} of this block now?", picked->element),
      fmt::format("现在这个线程块的 {} 里是矩阵的哪个元素？", picked->element)};
  draft.answer = fmt::format("source({}, b{}, {})", picked->element, picked->block,
                             statement_place(picked->statement));
  const std::uint64_t blocks = ground.program().block_count();
  if (blocks > 1) {
    const std::uint32_t other = picked->block == 0 ? 1 : picked->block - 1;
    draft.wrong.push_back(
        {fmt::format("source({}, b{}, {})", picked->element, other,
                     statement_place(picked->statement)),
         {"That is what another block keeps in its own.", "这是另一个线程块里的。"}});
  }
  for (const auto& phase : ground.recording.phases_of(picked->block)) {
    draft.wrong.push_back(
        {fmt::format("source({}, b{}, step:{})", picked->element, picked->block, phase.last_step),
         {"That stands there in another round.", "那是另一轮里的数。"}});
    if (draft.wrong.size() > 5) {
      break;
    }
  }
  return draft;
}

// A variable that one statement changes.
struct Changed {
  std::string name;
  std::uint32_t line = 0;
};
std::optional<Changed> changed_in(const Ground& ground, const Moment& moment, std::uint32_t block,
                                  std::uint32_t thread) {
  const auto starts = ground.recording.statement_starts();
  const record::State before = ground.recording.state_at(starts[moment.statement]);
  const record::State after = ground.recording.state_at(starts[moment.statement + 1], before);
  const simt::Program& program = ground.program();
  for (const record::NamedValue& now : after.variables(block, thread)) {
    const auto was = before.variable(block, thread, now.name);
    const std::string text = record::format_value(program, now.value);
    if (now.is_parameter || text.empty() || text.find_first_of("{&–[") != std::string::npos) {
      continue;
    }
    if (!was || record::format_value(program, *was) != text) {
      return Changed{now.name, before.line(block, thread)};
    }
  }
  return std::nullopt;
}

// The statement in which the thread executes that line again.
std::optional<std::size_t> next_time(const Ground& ground, const Moment& moment,
                                     const Changed& changed, std::uint32_t block,
                                     std::uint32_t thread) {
  const auto starts = ground.recording.statement_starts();
  const std::size_t last = std::min(moment.statement + kAhead, statements_of(ground.recording));
  for (std::size_t at = moment.statement + 1; at < last; ++at) {
    if (ground.recording.state_at(starts[at]).line(block, thread) == changed.line) {
      return at;
    }
  }
  return std::nullopt;
}

std::optional<Draft> what_value_next(Ground& ground) {
  for (std::size_t i = 0; i < looks_of(ground); ++i) {
    const auto moment = some_moment(ground);
    if (!moment) {
      return std::nullopt;
    }
    const state::Focus& focus = ground.from.state.focus;
    const auto threads = static_cast<std::size_t>(ground.program().threads_per_block());
    const std::uint32_t block =
        ground.is_here ? focus.block
                       : static_cast<std::uint32_t>(ground.dice.of(ground.program().block_count()));
    const std::uint32_t thread =
        ground.is_here ? focus.thread : static_cast<std::uint32_t>(ground.dice.of(threads));
    const auto changed = changed_in(ground, *moment, block, thread);
    if (!changed || changed->line == 0) {
      continue;
    }
    const std::size_t after = moment->statement + 1;
    const std::string form =
        fmt::format("value({}, b{}, t{{}}, {})", changed->name, block, statement_place(after));
    Picked at{.statement = moment->statement, .block = block, .thread = thread};
    Draft draft = draft_at(at, QuestionKind::Number);
    draft.ask = {fmt::format("Line {} is next. What is {} of {} after it?", changed->line,
                             changed->name, who(ground, block, thread).en),
                 fmt::format("接着执行第 {} 行。之后{} 的 {} 是多少？", changed->line,
                             who(ground, block, thread).zh, changed->name)};
    draft.answer = fmt::format(fmt::runtime(form), thread);
    draft.wrong.push_back({fmt::format("value({}, b{}, t{}, {})", changed->name, block, thread,
                                       statement_place(moment->statement)),
                           {"That is what it is before this line.", "这是执行这一行之前的值。"}});
    add_other_threads(ground, at, form, draft);
    if (const auto later = next_time(ground, *moment, *changed, block, thread)) {
      draft.wrong.push_back({fmt::format("value({}, b{}, t{}, {})", changed->name, block, thread,
                                         statement_place(*later + 1)),
                             {"That is one round of the loop later.", "这是再循环一次之后的值。"}});
    }
    return draft;
  }
  return std::nullopt;
}

std::optional<Draft> how_often_loaded(Ground& ground) {
  const auto picked = some_access(ground, is_load);
  if (!picked || picked->is_shared) {
    return std::nullopt;
  }
  Draft draft = draft_at(*picked, QuestionKind::Number);
  draft.ask = {fmt::format("How many times is {} loaded from global memory in this launch?",
                           picked->element),
               fmt::format("在这次启动里，{} 从全局内存读几次？", picked->element)};
  draft.answer = fmt::format("loads({})", picked->element);
  draft.wrong = {{"1",
                  {"Each block that needs it, or each thread, loads it for itself.",
                   "每个要用它的线程块或线程都得自己读一次。"}},
                 {fmt::format("products({})", picked->element),
                  {"That is how many products use it.", "这是用到它的乘积的个数。"}},
                 {"blocks()", {"Not every block needs it.", "并不是每个线程块都用到它。"}},
                 {"threads()", {"Not every thread needs it.", "并不是每个线程都用到它。"}}};
  return draft;
}

std::optional<Draft> how_many_passes(Ground& ground) {
  const auto picked = some_access(ground, [](const record::Access&) { return true; });
  if (!picked) {
    return std::nullopt;
  }
  Draft draft = draft_at(*picked, QuestionKind::Number);
  const char* const asked = picked->is_shared ? "passes" : "sectors";
  draft.ask = {
      fmt::format("Line {} is next. How many {} does the access to {} of the warp of {} take?",
                  picked->line, picked->is_shared ? "passes through shared memory" : "sectors",
                  picked->array, who(ground, picked->block, picked->thread).en),
      fmt::format("接着执行第 {} 行。{} 所在的线程束访问 {} 要{}？", picked->line,
                  who(ground, picked->block, picked->thread).zh, picked->array,
                  picked->is_shared ? "分几次完成" : "几个扇区")};
  draft.answer = fmt::format("{}({}, b{}, t{}, {})", asked, picked->array, picked->block,
                             picked->thread, statement_place(picked->statement + 1));
  const std::string active = fmt::format("active(b{}, w{}, {})", picked->block, picked->warp.warp,
                                         statement_place(picked->statement + 1));
  if (picked->is_shared) {
    draft.wrong = {
        {"1",
         {"Different words of one bank take a pass each.", "同一个存储体里不同的字要各占一次。"}},
        {active,
         {"One for each lane. Lanes that want the same word, or words of "
          "different banks, are served together.",
          "每条通道一次？要同一个字或不同存储体的通道是一起完成的。"}}};
  } else {
    draft.wrong = {
        {"1", {"A sector is 32 bytes: 8 neighbouring words.", "一个扇区 32 字节：8 个相邻的字。"}},
        {active,
         {"One for each lane. Lanes whose words lie in one sector share it.",
          "每条通道一个？字在同一扇区的通道共用它。"}}};
  }
  draft.wrong.push_back({"block(x)", {"That is the width of the block.", "这是线程块的宽度。"}});
  return draft;
}

constexpr std::size_t kMostStatements = 20'000;  // searched for lines

// The lines that access each array, in the whole run.
std::map<Touch, TouchedLine> lines_of_run(const Ground& ground) {
  const simt::Program& program = ground.program();
  std::map<Touch, TouchedLine> lines;
  const std::size_t count = std::min(statements_of(ground.recording), kMostStatements);
  for (std::size_t i = 0; i < count; ++i) {
    for (const record::Access& access : activity_of(ground.recording, i).accesses) {
      if (access.event.mask == 0) {
        continue;
      }
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(access.event.mask));
      const simt::Place at = program.locate_array(access.event.addresses[lane], access.event.bytes);
      if (at.allocation >= program.arrays().size()) {
        continue;
      }
      TouchedLine here{.line = access.line, .statement = i, .block = access.warp.block};
      here.thread = program.thread_of(access.warp, lane);
      TouchedLine& known =
          lines.try_emplace({program.arrays()[at.allocation].name, access.event.kind}, here)
              .first->second;
      known.is_only = known.is_only && known.line == here.line;
    }
  }
  return lines;
}

std::optional<Draft> which_line(Ground& ground) {
  if (!ground.lines) {
    ground.lines = lines_of_run(ground);
  }
  if (ground.lines->size() < 2) {
    return std::nullopt;
  }
  auto chosen = std::next(ground.lines->begin(),
                          static_cast<std::ptrdiff_t>(ground.dice.of(ground.lines->size())));
  const auto& [touch, at] = *chosen;
  if (!at.is_only || touch.kind == simt::AccessKind::Atomic) {
    return std::nullopt;
  }
  const auto line = [](const TouchedLine& there) {
    return fmt::format("line(b{}, t{}, {})", there.block, there.thread,
                       statement_place(there.statement));
  };
  const bool loads = touch.kind == simt::AccessKind::Load;
  Draft draft{.kind = QuestionKind::Line};
  draft.block = at.block;
  draft.thread = at.thread;
  draft.ask = {fmt::format("Which line {} {}?", loads ? "reads" : "stores to", touch.array),
               fmt::format("哪一行{} {}？", loads ? "读" : "写", touch.array)};
  draft.answer = line(at);
  for (const auto& [other, there] : *ground.lines) {
    draft.wrong.push_back(
        {line(there),
         {fmt::format("That line {} {}.",
                      other.kind == simt::AccessKind::Load ? "reads" : "stores to", other.array),
          fmt::format("这一行{} {}。", other.kind == simt::AccessKind::Load ? "读" : "写",
                      other.array)}});
  }
  return draft;
}

std::optional<Draft> how_many_off(Ground& ground) {
  const auto picked = some_access(ground, [](const record::Access&) { return true; });
  if (!picked) {
    return std::nullopt;
  }
  const std::string of = fmt::format("(b{}, w{}, {})", picked->block, picked->warp.warp,
                                     statement_place(picked->statement + 1));
  Draft draft = draft_at(*picked, QuestionKind::Number);
  draft.ask = {fmt::format("Line {} is next. How many lanes of warp {} of this block take part?",
                           picked->line, picked->warp.warp),
               fmt::format("接着执行第 {} 行。这个线程块的线程束 {} 有几条通道参加？", picked->line,
                           picked->warp.warp)};
  draft.answer = "active" + of;
  draft.wrong = {{"masked" + of, {"Those are the lanes that are off.", "这是关闭的通道数。"}},
                 {"warp_size",
                  {"A warp has as many, and not all of them take part.",
                   "线程束有这么多通道，但不是全都参加。"}},
                 {"threads()", {"That is the whole launch.", "这是整个启动的线程数。"}}};
  return draft;
}

std::optional<Draft> is_it_a_race(Ground& ground) {
  Draft draft{.kind = QuestionKind::YesNo};
  draft.at = ground.from.place;
  draft.block = ground.from.state.focus.block;
  draft.thread = ground.from.state.focus.thread;
  draft.ask = {"Is there a race in this launch, whatever the schedule?",
               "无论怎样调度，这次启动里有没有竞争？"};
  const std::string found = "found('shared-memory race') + found('global-memory race')";
  draft.answer = found + " > 0";
  draft.wrong = {
      {found + " == 0",
       {"A race is two threads at one cell, one of them storing, and no barrier between: "
        "whether C came out right says nothing about it.",
        "竞争是两个线程访问同一格、其中一个在写、中间没有同步：C 碰巧算对也不能说明没有竞争。"}}};
  return draft;
}

constexpr std::array kMakers = std::to_array<Maker>({{"reads", which_element_read},
                                                     {"stores", which_element_stored},
                                                     {"brought", who_brought_it},
                                                     {"from", where_from},
                                                     {"value", what_value_next},
                                                     {"loads", how_often_loaded},
                                                     {"passes", how_many_passes},
                                                     {"line", which_line},
                                                     {"lanes", how_many_off},
                                                     {"race", is_it_a_race}});

}  // namespace

std::span<const Maker> makers() {
  return kMakers;
}

}  // namespace tilestep::course
