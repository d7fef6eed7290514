#include "ui/sum_text.h"

#include "insight/names.h"
#include "insight/trace/sums.h"
#include "narration/templates.h"
#include "problem/tr.h"
#include "problem/words.h"
#include "simt/state/memory.h"
#include "ui/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

namespace tilestep::ui {
namespace {

using insight::SumKind;

constexpr Message kOthers = "+ terms that are not products";

std::string value(float number) {
  return full_number(static_cast<double>(number));
}

std::string factor(float number) {
  return factor_number(static_cast<double>(number));
}

std::string place(const insight::Term::Factor& of, const problem::Launch& launch) {
  if (!of.via.empty()) {
    return of.via;
  }
  if (of.launch_buffer == insight::kNoBuffer || of.launch_buffer >= launch.buffers.size()) {
    return factor(of.value);
  }
  return problem::element_name(launch.buffers[of.launch_buffer], of.row, of.col);
}

// "+ ", "− " before a term; empty before the first one that is added.
std::string sign(const insight::Term& term, bool is_first) {
  return term.times < 0.0 ? "− " : is_first ? "" : "+ ";
}

std::string times(const insight::Term& term) {
  const double count = std::abs(term.times);
  return count == 1.0 ? "" : fmt::format("{:g}·", count);
}

std::string numbers(const insight::Term& term) {
  return times(term) + factor(term.a.value) + "·" + factor(term.b.value);
}

// The terms added in order, in float, with or without fused multiply-adds: whichever matches the
// thread's value.
struct Total {
  float before = 0.0F;  // before the last term
  const char* relation = "=";
};
Total total_of(const insight::Accumulation& accumulation) {
  Total fused;
  Total separate;
  float fused_sum = accumulation.initial;
  float separate_sum = accumulation.initial;
  for (const insight::Term& term : accumulation.terms) {
    const float factor = static_cast<float>(term.times) * term.a.value;
    fused.before = fused_sum;
    separate.before = separate_sum;
    fused_sum = std::fma(factor, term.b.value, fused_sum);
    const float product = factor * term.b.value;
    separate_sum += product;
  }
  const bool both_nan = std::isnan(fused_sum) && std::isnan(accumulation.value);
  if (fused_sum == accumulation.value || both_nan) {
    return fused;
  }
  separate.relation = separate_sum == accumulation.value ? "=" : "≈";
  return separate;
}

SumText::Latest latest_of(const insight::Accumulation& accumulation, float before,
                          const problem::Launch& launch) {
  const insight::Term& last = accumulation.terms.back();
  SumText::Latest latest{place(last.a, launch),
                         value(last.a.value),
                         place(last.b, launch),
                         value(last.b.value),
                         "",
                         ""};
  const float product = static_cast<float>(last.times) * last.a.value * last.b.value;
  const double exact = last.times * static_cast<double>(last.a.value) * last.b.value;
  if (static_cast<double>(product) == exact) {
    latest.product = fmt::format("{} = {}", numbers(last), value(product));
    const bool holds = accumulation.complete && before + product == accumulation.value;
    latest.addition = holds
                          ? fmt::format("{} {} {} = {}", value(before), product < 0.0F ? "−" : "+",
                                        value(std::abs(product)), value(accumulation.value))
                          : "";
  }
  if (last.times < 0.0) {  // the sign precedes the factors
    latest.product.clear();
  }
  return latest;
}

std::string number(float value) {
  return full_number(static_cast<double>(value));
}

// "3 + 4 = 7", "7": the latest operation of something that is not a sum of products.
std::string operation_text(const insight::SumOperation& operation) {
  if (operation.sign == ' ') {
    return number(operation.value);
  }
  const char* const sign = operation.sign == '*' ? "·" : operation.sign == '-' ? "−" : "+";
  return fmt::format("{} {} {} = {}", number(operation.left), sign,
                     factor_number(static_cast<double>(operation.right)), number(operation.value));
}

std::string sentence(const SumQuestion& q, const insight::OwnedSum& sum,
                     const insight::SumNow& now) {
  const std::string name = q.sums->name(*q.chosen, q.step);
  if (sum.kind == SumKind::Untraced) {
    return tr("This thread's stores are not traced: only float and double values are traced.");
  }
  if (!now.assigned) {
    return tr("{} has no value yet.", name);
  }
  if (now.values == 0) {
    return sum.kind == SumKind::Products
               ? tr("{} = {}: no product has been added yet.", name, number(now.value))
               : fmt::format("{} = {}", name, number(now.value));
  }
  return fmt::format("{}: {}", name, operation_text(q.sums->operation(*q.chosen, q.step)));
}

std::string also(const SumQuestion& q, const insight::OwnedSum& sum, const insight::SumNow& now) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : " · ") + part; };
  if (now.compensation && sum.compensation.kind != insight::SumHome::Kind::None) {
    add(tr("rounded off so far: {} = {}", sum.compensation.name,
           with_minus(fmt::format("{:.3g}", *now.compensation))));
  }
  if (const auto parts = q.sums->parts(*q.chosen, q.step); !parts.empty()) {
    add(tr_n("{} more sum is added later", "{} more sums are added later", parts.size()));
  }
  if (sum.atomic) {
    add(tr("one part of the element, added atomically"));
  }
  if (sum.overwritten) {
    add(tr("another thread stores to the element later"));
  }
  return text;
}

// The place is known to hold another value than the factor by now: a race.
bool is_lost(const SumQuestion& q, const insight::Term::Factor& factor) {
  if (q.state == nullptr || factor.via.empty()) {
    return false;
  }
  const auto cell = insight::find_cell(q.recording.program(), factor.via);
  const std::span<const std::byte> shared = q.state->shared(q.sums->block());
  if (!cell || !cell->shared || cell->bytes != sizeof(float)) {
    return false;
  }
  const std::uint64_t offset = cell->address - simt::kSharedWindow;
  float held = 0.0F;
  if (offset + sizeof held > shared.size()) {
    return false;
  }
  std::memcpy(&held, shared.data() + offset, sizeof held);
  return held != factor.value && !(std::isnan(held) && std::isnan(factor.value));
}

// Since the phase of the latest product its places may have new values.
LatestProduct latest_product(const SumQuestion& q, const insight::Accumulation& sum) {
  const insight::Term& last = sum.terms.back();
  if (is_lost(q, last.a) || is_lost(q, last.b)) {
    return LatestProduct::InNumbers;
  }
  const auto phases = q.recording.phases_of(q.sums->block());
  const auto next =
      std::ranges::upper_bound(phases, sum.terms.back().step, {}, &record::Phase::first_step);
  const bool is_over = next != phases.end() && q.step > next->first_step;
  // A phase that loads and multiplies may have overwritten them.
  const bool is_loaded_over = next != phases.begin() && q.step >= std::prev(next)->last_step &&
                              std::prev(next)->kind == record::PhaseKind::LoadAndMultiply;
  return is_over || is_loaded_over ? LatestProduct::InNumbers : LatestProduct::ByPlace;
}

// A product of zeros that pad a tile.
bool is_filling(const insight::Term& term) {
  return term.a.launch_buffer == insight::kNoBuffer && term.b.launch_buffer == insight::kNoBuffer &&
         term.a.value == 0.0F && term.b.value == 0.0F;
}

// The number of its products that have been added, of all.
std::string progress_of(const insight::Accumulation& now, std::size_t count) {
  const auto number = [](std::size_t n) { return narration::plain(fmt::format("{}", n)); };
  const auto products = [](std::size_t n) {
    return narration::plain(narration::counted(n, narration::Noun::Product));
  };
  const std::size_t done = now.terms.size();
  if (done > count) {
    return narration::plain_text(narration::part("sum_progress_open", {{"done", products(done)}}));
  }
  const auto zeros = static_cast<std::size_t>(std::ranges::count_if(now.terms, is_filling));
  const narration::Places places{
      {"done", number(done)}, {"all", products(count)}, {"zeros", number(zeros)}};
  return narration::plain_text(zeros > 0 ? narration::part("sum_progress_zeros", places)
                                         : narration::part("sum_progress", places));
}

constexpr int kMostJoined = 64;  // number of values after its own products

}  // namespace

SumText sum_text(const insight::Accumulation& accumulation, const problem::Launch& launch,
                 LatestProduct shown) {
  SumText text;
  text.head = accumulation.variable + " =";
  if (accumulation.initial != 0.0F && !accumulation.terms.empty()) {
    text.terms.push_back(value(accumulation.initial));
  }
  for (const insight::Term& term : accumulation.terms) {
    if (&term != &accumulation.terms.back()) {
      text.terms.push_back(sign(term, text.terms.empty()) + numbers(term));
    }
  }
  if (accumulation.terms.empty()) {
    text.last = value(accumulation.initial);
    text.value = text.last;
    return text;
  }
  const insight::Term& last = accumulation.terms.back();
  const bool is_first = text.terms.empty();
  const bool by_place = shown == LatestProduct::ByPlace;
  text.last_numbers = sign(last, is_first) + numbers(last);
  text.last = by_place ? sign(last, is_first) + times(last) + place(last.a, launch) + "·" +
                             place(last.b, launch)
                       : text.last_numbers;
  text.value = value(accumulation.value);
  const Total total = total_of(accumulation);
  text.latest = latest_of(accumulation, total.before, launch);
  if (!accumulation.complete) {
    text.last += std::string(" ") + kOthers.text();
    text.result = "= " + value(accumulation.value);
  } else if (!by_place) {
    text.result = fmt::format("{} {}", total.relation, value(accumulation.value));
    text.step = fmt::format("{}{} {}", is_first ? "" : value(total.before) + " ", text.last_numbers,
                            text.result);
  } else {
    text.result =
        fmt::format("= {}{}{} {} {}", is_first ? "" : value(total.before) + " ",
                    sign(last, is_first), numbers(last), total.relation, value(accumulation.value));
  }
  return text;
}

std::string sum_line(const insight::Accumulation& accumulation) {
  std::string line = accumulation.variable + " =";
  bool is_first = accumulation.initial == 0.0F && !accumulation.terms.empty();
  if (!is_first) {
    line += " " + value(accumulation.initial);
  }
  for (const insight::Term& term : accumulation.terms) {
    line += " " + sign(term, is_first) + numbers(term);
    is_first = false;
  }
  return accumulation.complete
             ? fmt::format("{} {} {}", line, total_of(accumulation).relation,
                           value(accumulation.value))
             : fmt::format("{} {} = {}", line, kOthers, value(accumulation.value));
}

std::size_t sum_columns(const std::string& utf8) {
  constexpr unsigned char kFirstWide = 0xE3;  // first byte of U+3000 and later
  std::size_t columns = 0;
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    columns += (byte & 0xC0U) == 0x80U ? 0 : byte >= kFirstWide ? 2 : 1;
  }
  return columns;
}

SumBoxes fit_boxes(const SumText& sum, std::size_t to_come, std::size_t budget) {
  const auto box = [](const std::string& term) {
    return static_cast<float>(sum_columns(term)) + kSumBoxPad + kSumSignRoom;
  };
  const float coming_box = kSumComingBox + kSumSignRoom;
  float room = static_cast<float>(budget) - box(sum.latest_term());
  float terms = 0.0F;
  for (const std::string& term : sum.terms) {
    terms += box(term);
  }
  if (terms + coming_box * static_cast<float>(to_come) <= room) {
    return {sum.terms.size(), 0, to_come};
  }
  const float words = static_cast<float>(sum_columns(ui::to_come(to_come, 1)) + 2);
  const float ellipsis = static_cast<float>(sum_columns(kSumEllipsis) + 1);
  SumBoxes shown;
  shown.says_coming = to_come > 0 && room - words >= std::min(terms, ellipsis);
  room -= shown.says_coming ? words : 0.0F;
  if (terms <= room) {
    shown.front = sum.terms.size();
    shown.cut_short = !shown.says_coming && to_come > 0 && room - terms >= ellipsis;
    room -= shown.cut_short ? ellipsis : 0.0F;
    shown.coming = static_cast<std::size_t>(std::max(0.0F, room - terms) / coming_box);
    return shown;
  }
  room -= ellipsis;
  if (!sum.terms.empty() && box(sum.terms.front()) <= room) {
    room -= box(sum.terms.front());
    shown.front = 1;
  }
  while (shown.front + shown.back < sum.terms.size()) {
    room -= box(sum.terms[sum.terms.size() - 1 - shown.back]);
    if (room < 0.0F) {
      break;
    }
    ++shown.back;
  }
  return shown;
}

std::string to_come(std::size_t count, std::size_t boxes) {
  const narration::Places places{{"count", narration::plain(fmt::format("{}", count - boxes))}};
  return narration::plain_text(boxes > 0 ? narration::part("sum_more_to_come", places)
                                         : narration::part("sum_to_come", places));
}

std::size_t count_products(const SumQuestion& q) {
  if (q.sums == nullptr || !q.chosen) {
    return 0;
  }
  // Searches back from the end until every value of the sum was one of its products.
  std::uint64_t step = q.recording.step_count();
  for (int i = 0; i < kMostJoined; ++i) {
    const insight::SumNow now = q.sums->now(*q.chosen, step);
    const auto sum = q.sums->accumulation(*q.chosen, step);
    const std::size_t terms = sum ? sum->terms.size() : 0;
    if (terms == now.values || terms == now.values + 1) {
      return terms;
    }
    if (!now.assigned || now.values == 0) {
      break;
    }
    step = now.step;  // before the newest value
  }
  const auto all = q.sums->accumulation(*q.chosen, q.recording.step_count());
  return all ? all->terms.size() : 0;
}

SumStory sum_story(const SumQuestion& q) {
  SumStory story;
  if (q.sums == nullptr || !q.chosen) {
    story.sentence = q.sums == nullptr ? ""
                     : q.sums->is_too_large()
                         ? tr("This block computes too many values to trace each sum.")
                         : tr("This thread stores nothing, so it has no sum.");
    return story;
  }
  const insight::OwnedSum& sum = q.sums->sums()[*q.chosen];
  const insight::BlockSums::Range own = q.sums->of_thread(q.thread);
  const insight::SumNow now = q.sums->now(*q.chosen, q.step);
  story.element = insight::name_of(q.recording.program(), sum.at);
  story.title = fmt::format("{} → {}", q.sums->name(*q.chosen, q.step),
                            insight::name_of(q.recording.program(), sum.at));
  if (own.size() > 1) {
    story.title += tr(" · {} of {}", *q.chosen - own.first + 1, own.size());
  }
  const auto terms =
      sum.kind == SumKind::Products ? q.sums->accumulation(*q.chosen, q.step) : std::nullopt;
  if (terms && !terms->terms.empty()) {
    const std::size_t all = q.products ? *q.products : count_products(q);
    // Later scaling and additions are not products of its own.
    const bool is_over = now.values > all + 1;
    story.progress = is_over ? "" : progress_of(*terms, all);
    story.to_come = is_over ? 0 : all - std::min(all, terms->terms.size());
    story.sum = sum_text(*terms, q.recording.program().launch(), latest_product(q, *terms));
    const auto factors = q.sums->factors();
    story.sum->from_a_and_b =
        factors && std::ranges::all_of(terms->terms, [&factors](const insight::Term& term) {
          return term.a.launch_buffer == factors->a && term.b.launch_buffer == factors->b;
        });
  } else {
    story.sentence = sentence(q, sum, now);
  }
  story.also = also(q, sum, now);
  for (std::size_t i = own.first; i < own.last; ++i) {
    if (i != *q.chosen) {
      const insight::SumNow other = q.sums->now(i, q.step);
      if (other.assigned) {
        story.others.push_back(
            {i, fmt::format("{} {}", q.sums->name(i, q.step), number(other.value))});
      }
    }
  }
  return story;
}

}  // namespace tilestep::ui
