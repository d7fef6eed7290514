#include "ui/sum_story.h"

#include "ui/stage/number_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilestep::ui {
namespace {

using insight::SumKind;

std::string number(float value) {
  return full_number(static_cast<double>(value));
}

// "3 + 4 = 7", "7": the operation executed last, of what is no sum of products.
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
    return "What this thread stores is not followed: only float and double values are.";
  }
  if (!now.assigned) {
    return fmt::format("{} has no value yet.", name);
  }
  if (now.values == 0) {
    return sum.kind == SumKind::Products
               ? fmt::format("{} = {}: no product has been added yet.", name, number(now.value))
               : fmt::format("{} = {}", name, number(now.value));
  }
  return fmt::format("{}: {}", name, operation_text(q.sums->operation(*q.chosen, q.step)));
}

std::string also(const SumQuestion& q, const insight::OwnedSum& sum, const insight::SumNow& now) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : " · ") + part; };
  if (now.compensation && sum.compensation.kind != insight::SumHome::Kind::None) {
    add(fmt::format("lost so far: {} = {}", sum.compensation.name, number(*now.compensation)));
  }
  if (const auto parts = q.sums->parts(*q.chosen, q.step); !parts.empty()) {
    add(fmt::format("{} more {} added later", parts.size(),
                    parts.size() == 1 ? "sum is" : "sums are"));
  }
  if (sum.atomic) {
    add("added to the element by an atomic operation: a part of it");
  }
  if (sum.overwritten) {
    add("another thread stores there later");
  }
  return text;
}

// Since the phase of the latest product its places may have been given other values.
LatestProduct latest_product(const SumQuestion& q, const insight::Accumulation& sum) {
  const auto phases = q.recording.phases_of(q.sums->block());
  const auto next =
      std::ranges::upper_bound(phases, sum.terms.back().step, {}, &record::Phase::first_step);
  const bool is_over = next != phases.end() && q.step > next->first_step;
  // What multiplies and loads may have loaded over them.
  const bool is_loaded_over = next != phases.begin() && q.step >= std::prev(next)->last_step &&
                              std::prev(next)->kind == record::PhaseKind::LoadAndMultiply;
  return is_over || is_loaded_over ? LatestProduct::InNumbers : LatestProduct::ByPlace;
}

// How many of the products that it takes in all.
std::string progress_of(const insight::Accumulation& now, std::size_t count) {
  return narration::plain_text(narration::part(
      "sum_progress",
      {{"done", narration::plain(fmt::format("{}", now.terms.size()))},
       {"all", narration::plain(narration::counted(count, narration::Noun::Product))}}));
}

}  // namespace

std::size_t count_products(const SumQuestion& q) {
  const auto all = q.sums != nullptr && q.chosen
                       ? q.sums->accumulation(*q.chosen, q.recording.step_count())
                       : std::nullopt;
  return all ? all->terms.size() : 0;
}

SumStory sum_story(const SumQuestion& q) {
  SumStory story;
  if (q.sums == nullptr || !q.chosen) {
    story.sentence = q.sums == nullptr ? ""
                     : q.sums->is_too_large()
                         ? "This block computes too many values to follow each sum."
                         : "This thread stores nothing, so it has no sum.";
    return story;
  }
  const insight::OwnedSum& sum = q.sums->sums()[*q.chosen];
  const insight::BlockSums::Range own = q.sums->of_thread(q.thread);
  const insight::SumNow now = q.sums->now(*q.chosen, q.step);
  story.element = insight::name_of(q.recording.program(), sum.at);
  story.title = fmt::format("{} → {}", q.sums->name(*q.chosen, q.step),
                            insight::name_of(q.recording.program(), sum.at));
  if (own.size() > 1) {
    story.title += fmt::format(" · {} of {}", *q.chosen - own.first + 1, own.size());
  }
  const auto terms =
      sum.kind == SumKind::Products ? q.sums->accumulation(*q.chosen, q.step) : std::nullopt;
  if (terms && !terms->terms.empty()) {
    const std::size_t all = q.products ? *q.products : count_products(q);
    story.progress = progress_of(*terms, all);
    story.to_come = all - std::min(all, terms->terms.size());
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
      story.others.push_back(fmt::format("{} {}", q.sums->name(i, q.step),
                                         other.assigned ? number(other.value) : "–"));
    }
  }
  return story;
}

}  // namespace tilestep::ui
