// Lessons with questions, labs and two languages.
#include "lesson/lesson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tilestep::lesson {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kScene = "```scene\nname = \"one\"\nM = 3\nplace = \"phase:2\"\n```\n";

// `toml` begins in line 7.
std::string below_a_scene(const char* kind, const std::string& toml) {
  return kScene + "```" + kind + "\n" + toml + "```\n";
}
std::string question(const std::string& toml) {
  return below_a_scene("question",
                       "name = \"q\"\nkind = \"number\"\ntext = \"How many?\"\n" + toml);
}

Lesson parsed_lesson(const std::string& markdown) {
  Result<Lesson> lesson = parse_lesson(markdown, "l.md");
  EXPECT_TRUE(lesson) << lesson.error().message;
  return lesson ? std::move(*lesson) : Lesson{};
}
std::string beat_message(const std::string& markdown) {
  const Result<Lesson> lesson = parse_lesson(markdown, "l.md");
  return lesson ? "no error" : lesson.error().message;
}

TEST(Beats, StandInTheOrderOfTheFile) {
  const Lesson lesson = parsed_lesson(
      question("answer = \"wrong()\"\n") +
      "Told afterwards.\n\n## Lab\n```lab\nname = \"l\"\n"
      "kernel = \"l.cu\"\ntext = \"Mend it.\"\n[[row]]\nlaunch = { M = 3 }\n```\nMore.\n\n" +
      "```scene\nname = \"two\"\n```\n");
  EXPECT_THAT(lesson.beats, ElementsAre(Beat{BeatKind::Scene, 0}, Beat{BeatKind::Question, 0},
                                        Beat{BeatKind::Lab, 0}, Beat{BeatKind::Scene, 1}));
  EXPECT_EQ(lesson.name_of(lesson.beats[2]), "l");
  EXPECT_EQ(lesson.title_of(lesson.beats[2]).in(), "Lab");
  EXPECT_EQ(lesson.questions[0].text.in(), "Told afterwards.");
  EXPECT_EQ(lesson.labs[0].text.in(), "Mend it.\n\nMore.");
  EXPECT_EQ(lesson.labs[0].text.text().line_at(lesson.labs[0].text.in().size()), 22);
  EXPECT_DOUBLE_EQ(lesson.total_minutes(), 3 + 2 + 10 + 3);
}

TEST(Beats, WordsAreInTheLanguageOfTheLineAbove) {
  const Lesson lesson = parsed_lesson(
      "# Title · 标题\n```lesson\nid = \"01\"\ngoal = \"Goal.\"\ngoal_zh = \"目标。\"\n"
      "after = [\"00\"]\ntexts = [\"A\"]\nminutes = 45\n```\n## Head · 头\n" +
      kScene + "For all.\n[en]\nEnglish.\n\n[zh]\n中文。\n");
  EXPECT_EQ(lesson.id, "01");
  EXPECT_EQ(lesson.title.in("en"), "Title");
  EXPECT_EQ(lesson.title.in("zh"), "标题");
  EXPECT_EQ(lesson.goal.in("zh"), "目标。");
  EXPECT_THAT(lesson.after, ElementsAre("00"));
  EXPECT_DOUBLE_EQ(lesson.total_minutes(), 45.0);
  const Scene& scene = lesson.scenes[0];
  EXPECT_EQ(scene.title.in("zh"), "头");
  EXPECT_EQ(scene.text.in("en"), "For all.\nEnglish.");
  EXPECT_EQ(scene.text.in("zh"), "For all.\n中文。");
  EXPECT_EQ(scene.text.text("zh").line_at(scene.text.in("zh").size()), 21);
}

TEST(Beats, AThirdLanguageIsNamedInTheFileAlone) {
  const Lesson lesson = parsed_lesson(
      "# One · Eins · 一\n```lesson\nid = \"x\"\nlanguages = [\"en\", \"de\", \"zh\"]\n"
      "goal_de = \"Ziel\"\n```\n" +
      kScene + "[de]\nDeutsch\n");
  EXPECT_EQ(lesson.title.in("de"), "Eins");
  EXPECT_EQ(lesson.goal.in("de"), "Ziel");
  EXPECT_EQ(lesson.scenes[0].text.in("de"), "Deutsch");
  EXPECT_EQ(lesson.scenes[0].text.missing(lesson.languages), "en");
}

TEST(Beats, ASceneOfAFilmHasSecondsAndMoves_AndAListOfWhatToTry) {
  const Lesson lesson = parsed_lesson(
      "```scene\nname = \"a\"\nseconds = 12\nmoves = 8\nmoves_by = \"phase\"\n"
      "try = [\"[naive](#kernel=naive)\", \"F11\"]\ntry_zh = [\"朴素\", \"按 F11\"]\n```\n" +
      kScene);
  const Scene& scene = lesson.scenes.front();
  EXPECT_EQ(scene.seconds, 12.0);
  EXPECT_EQ(scene.moves, 8);
  EXPECT_EQ(scene.moves_by, state::Unit::Phase);
  ASSERT_EQ(scene.tries.size(), 2U);
  EXPECT_EQ(scene.tries[0].in(), "[naive](#kernel=naive)");
  EXPECT_EQ(scene.tries[1].in("zh"), "按 F11");
  EXPECT_TRUE(lesson.is_film());
  EXPECT_FALSE(parsed_lesson(kScene).is_film());
  EXPECT_DOUBLE_EQ(lesson.total_minutes(), 0.2 + 3);
}

TEST(Beats, ASceneMayBeginFromOneAbove) {
  const Lesson lesson = parsed_lesson(
      kScene +
      "```scene\nname = \"two\"\nbase = \"one\"\nN = 4\n"
      "point = [ { cells = \"A[0..2][3..5]\", label = \"A2\", label_zh = \"甲二\" }, "
      "{ line = 7, label = \"here\" }, { phase = 2 } ]\nnote = \"Slowly.\"\nminutes = 4\n```\n");
  const Scene& two = lesson.scenes[1];
  EXPECT_EQ(two.state.parameters.problem, (problem::Problem{3, 4, 8}));
  EXPECT_EQ(two.place.kind, Place::Kind::PhaseMiddle);
  EXPECT_EQ(two.note.in(), "Slowly.");
  EXPECT_DOUBLE_EQ(two.minutes, 4.0);
  ASSERT_EQ(two.points.size(), 3U);
  EXPECT_EQ(two.points[0].of, "A");
  EXPECT_EQ(two.points[0].last_row, 2);
  EXPECT_EQ(two.points[0].first_col, 3);
  EXPECT_EQ(two.points[0].last_col, 5);
  EXPECT_EQ(two.points[0].label.in("zh"), "甲二");
  EXPECT_EQ(two.points[1].line, 7);
  EXPECT_EQ(two.points[2].phase, 2);
}

TEST(Beats, AQuestionHasItsAnswersAndWhereItIsAsked) {
  const Lesson lesson = parsed_lesson(question(
      "text_zh = \"几个？\"\nat = { base = \"one\", schedule = \"run_ahead\", place = \"end\" }\n"
      "answer = \"wrong()\"\ntolerance = \"1 %\"\nhint = \"Count.\"\n"
      "[[wrong]]\nis = \"9\"\nsays = \"All?\"\nsays_zh = \"全部？\"\n"));
  const Question& asked = lesson.questions[0];
  EXPECT_EQ(asked.kind, QuestionKind::Number);
  EXPECT_EQ(asked.ask.in("zh"), "几个？");
  EXPECT_EQ(asked.at.state.parameters.problem.M, 3);
  EXPECT_EQ(asked.at.state.schedule.kind, simt::ScheduleKind::RunAhead);
  EXPECT_EQ(asked.at.place.kind, Place::Kind::End);
  EXPECT_EQ(asked.answer.text(), "wrong()");
  EXPECT_EQ(asked.answer.line, 12);
  EXPECT_DOUBLE_EQ(asked.tolerance.relative, 0.01);
  ASSERT_EQ(asked.wrong.size(), 1U);
  EXPECT_EQ(asked.wrong[0].is.text(), "9");
  EXPECT_EQ(asked.wrong[0].says.in("zh"), "全部？");
}

TEST(Beats, WithoutAt_AQuestionIsAboutTheSceneAbove) {
  const Lesson lesson = parsed_lesson(question("answer = \"1\"\n"));
  EXPECT_EQ(lesson.questions[0].at, lesson.scenes[0].position());
}

TEST(Beats, ALabsRowsAreLaunchesOfItsKernel) {
  const Lesson lesson = parsed_lesson(below_a_scene(
      "lab",
      "name = \"l\"\nkernel = \"labs/l.cu\"\n[[row]]\nlaunch = { M = 5, block_size = 2 }\n"
      "[[row]]\nrequire = [\"findings() == 0\", \"count(loads.A) <= M * K\"]\nhint = \"Look.\"\n"));
  const Lab& lab = lesson.labs[0];
  ASSERT_EQ(lab.rows.size(), 2U);
  EXPECT_EQ(lab.rows[0].state.kernel, "labs/l.cu");
  EXPECT_EQ(lab.rows[1].state, lab.rows[0].state);
  EXPECT_EQ(lab.rows[1].state.parameters.block_size, 2);
  ASSERT_EQ(lab.rows[1].require.size(), 2U);
  EXPECT_EQ(lab.rows[1].require[1].text(), "count(loads.A) <= M * K");
  EXPECT_EQ(lab.rows[1].hint.in(), "Look.");
}

TEST(Beats, ARecapIsTheLastScene) {
  const std::string recap =
      "## End · 结束\n```recap\nnext = \"b\"\nlines = [\"x\", \"y\", \"z\"]\n"
      "lines_zh = [\"甲\", \"乙\", \"丙\"]\nteaser = \"Why?\"\nteaser_zh = \"为什么？\"\n```\n";
  const Lesson lesson = parsed_lesson(kScene + recap);
  ASSERT_NE(lesson.recap(), nullptr);
  EXPECT_EQ(lesson.recap()->state, lesson.scenes[0].state);
  EXPECT_EQ(lesson.recap()->text.in(), "1. x\n2. y\n3. z\n\n*Why?*");
  EXPECT_EQ(lesson.recap()->text.in("zh"), "1. 甲\n2. 乙\n3. 丙\n\n*为什么？*");
  EXPECT_EQ(lesson.recap()->title.in("zh"), "结束");
  EXPECT_EQ(lesson.recap()->recap->next, "b");
  EXPECT_EQ(beat_message(kScene + recap + question("answer = \"1\"\n")),
            "l.md:14: this block is below the ```recap block. Move the recap to the end.");
  EXPECT_EQ(beat_message(recap), "l.md:3: a recap needs a scene above it.");
  EXPECT_THAT(beat_message(kScene + "```recap\nnext = \"b\"\n```\n"),
              HasSubstr("`lines` is missing"));
}

TEST(Beats, AQuestionIsAboutItsOwnWords_OrTheNextScene) {
  Lesson lesson =
      parsed_lesson(question("answer = \"1\"\n") + "## After\n```scene\nname = \"two\"\n```\n");
  EXPECT_EQ(lesson.about(lesson.beats[1]).in(), "After");
  lesson.questions[0].about.by_language[""] = {"counting", {}};
  EXPECT_EQ(lesson.about(lesson.beats[1]).in(), "counting");
}

TEST(Beats, TolerancesAcceptWhatIsNear) {
  EXPECT_TRUE((Tolerance{3.0, 0.0}.accepts(9.0, 6.4)));
  EXPECT_FALSE((Tolerance{3.0, 0.0}.accepts(9.5, 6.4)));
  EXPECT_TRUE((Tolerance{0.0, 0.01}.accepts(500, 504)));
  EXPECT_FALSE((Tolerance{0.0, 0.01}.accepts(494, 504)));
  EXPECT_TRUE(Tolerance{}.accepts(0.1 + 0.2, 0.3));
  EXPECT_FALSE(Tolerance{}.accepts(389.001, 389));
  EXPECT_FALSE(Tolerance{}.accepts(std::nan(""), 389));
}

TEST(Beats, EveryTextStandsOnceInOrder) {
  const Lesson lesson = parsed_lesson(
      "# T\n" + question("answer = \"1\"\nhint = \"H\"\nright = \"R\"\nabout = \"O\"\n") +
      "After.\n");
  std::vector<std::string> all;
  for (const TextOfLesson& text : every_text(lesson)) {
    all.push_back(text.what + ": " + text.words->in());
  }
  EXPECT_THAT(all, ElementsAre("title: T", "title: one", "question: How many?", "hint: H",
                               "right: R", "about: O", "text: After."));
}

TEST(Beats, PiecesOfAText_AreWordsAndExpressions) {
  const auto pieces = pieces_of({"a {{ M + 1 }}\nb{{N}}", {4, 5}});
  ASSERT_TRUE(pieces);
  ASSERT_EQ(pieces->size(), 4U);
  EXPECT_EQ((*pieces)[0].text, "a ");
  EXPECT_TRUE((*pieces)[1].is_expression);
  EXPECT_EQ((*pieces)[1].text, "M + 1");
  EXPECT_EQ((*pieces)[2].text, "\nb");
  EXPECT_EQ((*pieces)[3].line, 5);
}

TEST(Beats, MistakesOfQuestions_NameTheirLine) {
  EXPECT_THAT(beat_message(question("")), StartsWith("l.md:7: `answer` is missing"));
  EXPECT_EQ(beat_message(question("answer = \"P\"\n")).substr(0, 36),
            "l.md:10: 'P' is not an expression: u");
  EXPECT_EQ(beat_message(question("answer = 3\n")),
            "l.md:10: expected an expression in quotes, as in \"wrong() == 0\".");
  EXPECT_EQ(beat_message(question("answer = \"1\"\nat = \"none\"\n")),
            "l.md:11: there is no scene 'none' above. Name one of the scenes above, in quotes.");
  EXPECT_EQ(beat_message(question("answer = \"1\"\nat = { bse = \"one\" }\n")),
            "l.md:11: unknown key 'bse'. Did you mean 'base'?");
  EXPECT_THAT(beat_message(question("answer = \"1\"\ntolerance = \"few\"\n")),
              StartsWith("l.md:11: `tolerance` must be a number"));
  EXPECT_THAT(beat_message(question("answer = \"1\"\n[[wrong]]\nsays = \"a\"\n")),
              StartsWith("l.md:11: `is` is missing"));
  EXPECT_THAT(beat_message(question("answer = \"1\"\nwrnog = 1\n")),
              StartsWith("l.md:11: unknown key 'wrnog'. Did you mean 'wrong'?"));
  EXPECT_THAT(
      beat_message(question("answer = \"1\"\nchoices = [ { text = \"a\", is = \"1\" } ]\n")),
      StartsWith("l.md:11: `choices` needs kind ="));
  EXPECT_THAT(
      beat_message(below_a_scene("question", "name = \"q\"\ntext = \"?\"\nkind = \"x\"\n")),
      StartsWith(
          "l.md:9: unknown word 'x'. Known words: number, cell, line, thread, yes-no, choice"));
  EXPECT_THAT(beat_message(below_a_scene("question",
                                         "name = \"q\"\ntext = \"?\"\n"
                                         "kind = \"choice\"\nanswer = \"1\"\n")),
              HasSubstr("a choice question needs at least two choices."));
  EXPECT_THAT(beat_message("```question\nname = \"q\"\nkind = \"number\"\ntext = \"?\"\n"
                           "answer = \"1\"\n```\n"),
              HasSubstr("`at` is missing, and there is no scene above. Write `at`, or add a scene "
                        "above."));
  EXPECT_EQ(beat_message(below_a_scene("question",
                                       "name = \"one\"\nkind = \"number\"\n"
                                       "text = \"?\"\nanswer = \"1\"\n")),
            "l.md:6: duplicate question 'one'. Give every scene, question and lab its own name.");
}

TEST(Beats, MistakesOfLabs_NameTheirLine) {
  const std::string lab = "name = \"l\"\nkernel = \"l.cu\"\n";
  EXPECT_THAT(beat_message(below_a_scene("lab", lab)),
              HasSubstr("a lab needs at least one [[row]]: a launch"));
  EXPECT_THAT(beat_message(below_a_scene("lab", lab + "[[row]]\nrequire = \"wrong() == 0\"\n")),
              StartsWith("l.md:9: `launch` is missing"));
  EXPECT_THAT(
      beat_message(below_a_scene("lab", lab + "[[row]]\nlaunch = { kernel = \"tiled\" }\n")),
      StartsWith("l.md:10: `launch` of a row cannot set kernel"));
  EXPECT_THAT(beat_message(below_a_scene("lab", "name = \"l\"\nkernel = \"tiled\"\n")),
              StartsWith("l.md:8: `kernel` must be a .cu file"));
}

TEST(Beats, MistakesOfScenesAndLessons_NameTheirLine) {
  EXPECT_EQ(beat_message("```scene\nname = \"a\"\nbase = \"b\"\n```\n"),
            "l.md:3: there is no scene 'b' above. Name one of the scenes above, in quotes.");
  EXPECT_THAT(beat_message("```scene\nname = \"a\"\npoint = [ { cells = \"A[1\" } ]\n```\n"),
              StartsWith("l.md:3: `cells` must be a name and two ranges"));
  EXPECT_THAT(
      beat_message("```scene\nname = \"a\"\npoint = [ { label = \"x\" } ]\n```\n"),
      StartsWith(
          "l.md:3: an element of `point` needs exactly one of `cells`, `line` and `phase`."));
  EXPECT_THAT(beat_message("```scene\nname = \"a\"\nminutes = -1\n```\n"),
              StartsWith("l.md:3: `minutes` must be between 0 and 600."));
  EXPECT_THAT(beat_message("```scene\nname = \"a\"\nseconds = -1\n```\n"),
              StartsWith("l.md:3: `seconds` must be between 0 and 600."));
  EXPECT_THAT(beat_message("```scene\nname = \"a\"\nmoves = 3\n```\n"),
              StartsWith("l.md:3: `moves` needs `seconds`: how long the scene"));
  EXPECT_THAT(
      beat_message("```scene\nname = \"a\"\ntry = [\"x\"]\ntry_zh = []\n```\n"),
      StartsWith("l.md:4: try_zh must be an array of quoted strings, the same number in each"));
  EXPECT_THAT(beat_message(kScene + "[fr]\nFrançais\n"),
              StartsWith("l.md:6: unknown language 'fr'. This lesson is in en and zh"));
  EXPECT_THAT(
      beat_message("## a · b · c\n" + kScene),
      StartsWith(
          "l.md:1: this title has 3 parts separated by ' · ', but the lesson has 2 languages."));
  EXPECT_THAT(beat_message(kScene + "```lesson\nid = \"x\"\n```\n"),
              StartsWith("l.md:6: the ```lesson block is below a scene."));
  EXPECT_THAT(beat_message("```lesson\nid = \"x\"\n```\n```lesson\nid = \"x\"\n```\n"),
              StartsWith("l.md:4: a lesson may have only one ```lesson block."));
  EXPECT_THAT(beat_message("```lesson\nid = \"x\"\nlanguages = [\"English\"]\n```\n" + kScene),
              StartsWith("l.md:3: `languages` must be tags"));
  EXPECT_THAT(beat_message("```lesson\nid = \"x\"\nafter = \"y\"\n```\n" + kScene),
              StartsWith("l.md:3: after must be an array"));
  EXPECT_EQ(beat_message(kScene + "[en]\none\n{{ P }}\n").substr(0, 10), "l.md:8: 'P");
  EXPECT_THAT(beat_message(kScene + "a {{ M\n"), StartsWith("l.md:6: {{ has no }}."));
  EXPECT_EQ(beat_message(kScene + "\n[a](#kernl=naive)\n"),
            "l.md:7: the link #kernl=naive: unknown key 'kernl'. Did you mean 'kernel'?");
  EXPECT_EQ(beat_message(kScene + "[a](#scene=two)\n"),
            "l.md:6: the link #scene=two: there is no scene 'two' in this lesson.");
}

}  // namespace
}  // namespace tilestep::lesson
