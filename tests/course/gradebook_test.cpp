// The gradebook and the file for Moodle.
#include "course/gradebook.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilestep::course {
namespace {

std::vector<GradedItem> two_students() {
  return {{"Ann Example", "02-shared", "owner", "question", "who owns \"As\"", 1, true, 1.0, 41.7},
          {"Ann Example", "02-shared", "fill", "lab", "Fill As", 3, false, 0.25, std::nullopt},
          {"bob@example.org", "01-one-thread", "first", "question", "the first element", 2, true,
           points_of(2, true), 12.0},
          {"bob@example.org", "02-shared", "owner", "question", "who owns \"As\"", 0, false, 0.0,
           std::nullopt}};
}

TEST(AGradebook, HasARowForEachItem) {
  EXPECT_EQ(
      gradebook_csv(two_students()),
      "name,lesson,item,kind,about,tries,correct,points,seconds\n"
      "\"Ann Example\",\"02-shared\",\"owner\",question,\"who owns \"\"As\"\"\",1,1,1,42\n"
      "\"Ann Example\",\"02-shared\",\"fill\",lab,\"Fill As\",3,0,0.25,\n"
      "\"bob@example.org\",\"01-one-thread\",\"first\",question,\"the first element\",2,1,0.5,"
      "12\n"
      "\"bob@example.org\",\"02-shared\",\"owner\",question,\"who owns \"\"As\"\"\",0,0,0,\n");
}

TEST(AGradebook, IsNoPlaceForFormulas) {
  std::vector<GradedItem> items = two_students();
  items.resize(1);
  items.front().student = "=1+1";
  EXPECT_NE(gradebook_csv(items).find("\n\"'=1+1\","), std::string::npos);
}

TEST(AGradebook, GivesAPointForTheFirstTryAndHalfForTheSecond) {
  EXPECT_EQ(points_of(1, true), 1.0);
  EXPECT_EQ(points_of(2, true), 0.5);
  EXPECT_EQ(points_of(1, false), 0.0);
  EXPECT_EQ(points_of(2, false), 0.0);
}

constexpr const char* kParticipants =
    "\xef\xbb\xbf\"First name\",\"Last name\",\"ID number\",\"Email address\"\r\n"
    "Ann,Example,4711,ann@example.org\r\n";

TEST(MoodlesFile, HasAColumnForEachLesson) {
  const auto participants = read_participants(kParticipants, "p.csv");
  ASSERT_TRUE(participants) << participants.error().message;
  const MoodleGrades grades = moodle_grades(two_students(), *participants);
  EXPECT_EQ(grades.csv,
            "Name,ID number,Email address,\"Tilestep 01-one-thread\",\"Tilestep 02-shared\"\n"
            "\"Ann Example\",\"4711\",\"ann@example.org\",-,62.50\n"
            "\"bob@example.org\",\"\",\"bob@example.org\",50.00,0.00\n");
  EXPECT_TRUE(grades.unknown.empty());
}

TEST(MoodlesFile, NamesWhoCannotBeImported) {
  EXPECT_EQ(moodle_grades(two_students(), {}).unknown, std::vector<std::string>{"Ann Example"});
}

TEST(AListOfParticipants, NeedsItsColumns) {
  const auto read = read_participants("name,grade\nAnn,1\n", "p.csv");
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().message.starts_with("p.csv: this is not a list of participants."));
  EXPECT_TRUE(read_participants("First name,Surname,ID number\nAnn,Example,4711\n", "p.csv"));
}

TEST(AFileFromMoodle, NamesItsStudent) {
  const auto flat = submitted_name("Ann B Example_4711_assignsubmission_file_lab5_samples.cu");
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->student, "Ann B Example");
  EXPECT_EQ(flat->file, "lab5_samples.cu");
  const auto folder = submitted_name("Ann_Example_4711_assignsubmission_file");
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->student, "Ann_Example");
  EXPECT_EQ(folder->file, "");
  EXPECT_FALSE(submitted_name("lab5_samples_alice.cu"));
  EXPECT_FALSE(submitted_name("x_assignsubmission_file_"));
}

}  // namespace
}  // namespace tilestep::course
