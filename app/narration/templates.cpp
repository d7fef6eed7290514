#include "narration/templates.h"

#include "problem/text.h"
#include "problem/tr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace tilestep::narration {
namespace {

// Calls literal(text) and place(name) for the parts of a template, in order.
template <class Literal, class Place>
void walk(std::string_view form, Literal&& literal, Place&& place) {
  while (!form.empty()) {
    const std::size_t open = form.find('{');
    if (open != 0) {
      literal(form.substr(0, open));
    }
    if (open == std::string_view::npos) {
      return;
    }
    const std::size_t close = form.find('}', open);
    assert(close != std::string_view::npos && "a place of a template is not closed");
    place(form.substr(open + 1, close - open - 1));
    form.remove_prefix(close + 1);
  }
}

// Threads and blocks have a capital letter at the start of a sentence; variables do not change.
bool is_someone(std::string_view place) {
  return place == "thread" || place == "block" || place == "first" || place == "second";
}

// The name in "threads" and in "threads:wait|waits".
std::string_view name_of(std::string_view place) {
  return place.substr(0, place.find(':'));
}

// "waits" in "threads:wait|waits" if there is one thread, otherwise "wait".
std::string_view verb_for(const Pieces& subject, std::string_view place) {
  const std::string_view forms = place.substr(place.find(':') + 1);
  const std::size_t bar = forms.find('|');
  assert(bar != std::string_view::npos && "a verb has a form for many and one for one");
  const std::string of = plain_text(subject);
  return of == "1" || of.starts_with("1 ") ? forms.substr(bar + 1) : forms.substr(0, bar);
}

// Removes blanks between two ideographs, in one piece or across two.
void join_ideographs(Pieces& pieces) {
  const Piece* before = nullptr;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::string& text = pieces[i].text;
    const bool follows = before != nullptr && ends_with_ideograph(before->text);
    if (follows && text.starts_with(' ') && begins_with_ideograph(text.substr(1))) {
      text.erase(0, 1);
    }
    const bool goes_on = i + 1 < pieces.size() && begins_with_ideograph(pieces[i + 1].text);
    if (goes_on && text.ends_with(' ') &&
        ends_with_ideograph(std::string_view(text).substr(0, text.size() - 1))) {
      text.pop_back();
    }
    text = joined_ideographs(std::move(text));
    before = &pieces[i];
  }
}

Pieces filled(std::string_view form, const Places& places, bool is_sentence) {
  Pieces all;
  bool begins = true;
  const auto add = [&](const Piece& piece) {
    const bool joins =
        !all.empty() && all.back().hue == piece.hue && all.back().strong == piece.strong;
    if (joins) {
      all.back().text += piece.text;
    } else if (!piece.text.empty()) {
      all.push_back(piece);
    }
  };
  walk(
      form,
      [&](std::string_view text) {
        add({std::string(text), Hue::None, false});
        begins = text.ends_with(". ");
      },
      [&](std::string_view place) {
        const std::string_view name = name_of(place);
        const auto found =
            std::ranges::find_if(places, [&](const auto& p) { return p.first == name; });
        assert(found != places.end() && "a place of a template is not filled");
        if (found == places.end()) {
          return;
        }
        if (name != place) {
          add({std::string(verb_for(found->second, place)), Hue::None, false});
          return;
        }
        const bool raise = is_sentence && begins && is_someone(name);
        const Pieces pieces = raise ? capital(found->second) : found->second;
        std::ranges::for_each(pieces, add);
        begins = false;
      });
  join_ideographs(all);
  return all;
}

}  // namespace

std::string plain_text(const Pieces& pieces) {
  std::string text;
  for (const Piece& piece : pieces) {
    text += piece.text;
  }
  return text;
}

std::string counted(std::uint64_t count, Noun noun) {
  const NounForms& forms = kNouns[static_cast<std::size_t>(noun)];
  const std::string one = fmt::format("{{}} {}", forms.one);
  const std::string many = fmt::format("{{}} {}", forms.many);
  return fmt::format(fmt::runtime(tr_detail::translated(one, many, count)), grouped(count));
}

Sentence say(Kind kind, Say row, const Places& places) {
  const Row& r = row.row();
  const std::string_view whole = tr_detail::translated(r.long_form);
  const std::string_view brief = r.short_form.empty() ? whole : tr_detail::translated(r.short_form);
  return {kind, filled(whole, places, true), filled(brief, places, true)};
}

Pieces part(Say row, const Places& places) {
  return filled(tr_detail::translated(row.row().long_form), places, false);
}

std::vector<std::string_view> places_of(std::string_view form) {
  std::vector<std::string_view> names;
  walk(
      form, [](std::string_view) {},
      [&](std::string_view place) { names.push_back(name_of(place)); });
  return names;
}

Pieces listed(const std::vector<Pieces>& items) {
  if (items.empty()) {
    return {};
  }
  Pieces all = items.front();
  for (std::size_t i = 1; i < items.size(); ++i) {
    all = part(i + 1 == items.size() ? Say("and_two") : Say("comma_two"),
               {{"first", all}, {"last", items[i]}});
  }
  return all;
}

Pieces capital(Pieces pieces) {
  if (!pieces.empty() && !pieces.front().text.empty()) {
    char& c = pieces.front().text.front();
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return pieces;
}

}  // namespace tilestep::narration
