#include "ui/sum_story.h"

#include "insight/names.h"
#include "insight/trace/sums.h"
#include "narration/templates.h"
#include "problem/tr.h"
#include "simt/state/memory.h"
#include "ui/stage/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

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
    return tr("What this thread stores is not followed: only float and double values are.");
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
    add(tr("lost so far: {} = {}", sum.compensation.name,
           with_minus(fmt::format("{:.3g}", *now.compensation))));
  }
  if (const auto parts = q.sums->parts(*q.chosen, q.step); !parts.empty()) {
    add(tr_n("{} more sum is added later", "{} more sums are added later", parts.size()));
  }
  if (sum.atomic) {
    add(tr("added to the element by an atomic operation: a part of it"));
  }
  if (sum.overwritten) {
    add(tr("another thread stores there later"));
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

// Since the phase of the latest product its places may have been given other values.
LatestProduct latest_product(const SumQuestion& q, const insight::Accumulation& sum) {
  const insight::Term& last = sum.terms.back();
  if (is_lost(q, last.a) || is_lost(q, last.b)) {
    return LatestProduct::InNumbers;
  }
  const auto phases = q.recording.phases_of(q.sums->block());
  const auto next =
      std::ranges::upper_bound(phases, sum.terms.back().step, {}, &record::Phase::first_step);
  const bool is_over = next != phases.end() && q.step > next->first_step;
  // What multiplies and loads may have loaded over them.
  const bool is_loaded_over = next != phases.begin() && q.step >= std::prev(next)->last_step &&
                              std::prev(next)->kind == record::PhaseKind::LoadAndMultiply;
  return is_over || is_loaded_over ? LatestProduct::InNumbers : LatestProduct::ByPlace;
}

// A product of zeros that fill up a tile.
bool is_filling(const insight::Term& term) {
  return term.a.launch_buffer == insight::kNoBuffer && term.b.launch_buffer == insight::kNoBuffer &&
         term.a.value == 0.0F && term.b.value == 0.0F;
}

// How many of the products that it takes in all.
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

constexpr int kMostJoined = 64;  // values that a sum has after its own products

}  // namespace

std::size_t count_products(const SumQuestion& q) {
  if (q.sums == nullptr || !q.chosen) {
    return 0;
  }
  // Back from the end until every value that it has had was one of its products.
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
    step = now.step;  // when the newest value was not there yet
  }
  const auto all = q.sums->accumulation(*q.chosen, q.recording.step_count());
  return all ? all->terms.size() : 0;
}

SumStory sum_story(const SumQuestion& q) {
  SumStory story;
  if (q.sums == nullptr || !q.chosen) {
    story.sentence = q.sums == nullptr ? ""
                     : q.sums->is_too_large()
                         ? tr("This block computes too many values to follow each sum.")
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
    // What it was then scaled by, and what joined it, are no products of its own.
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
