#include "ui/sum_text.h"

#include "insight/trace/sums.h"
#include "narration/templates.h"
#include "problem/words.h"
#include "ui/stage/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilestep::ui {
namespace {

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

// "+ ", "− " before a term; nothing before the first one that is added.
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

// The terms added up in their order, in float, with or without fused multiply-adds: whichever gives
// what the thread holds.
struct Total {
  float before = 0.0F;  // the last term
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
  if (last.times < 0.0) {  // the sign stands before the factors
    latest.product.clear();
  }
  return latest;
}

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
  constexpr unsigned char kFirstWide = 0xE3;  // begins U+3000, and what follows
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

}  // namespace tilestep::ui
