#include "cli/prepare.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace tilestep::cli {
namespace {

TEST(Interrupt, ASignalSetsTheFlagInsteadOfEndingTheProgram) {
  const Interrupt interrupt;
  EXPECT_FALSE(interrupt.cancelled());
  kill(getpid(), SIGINT);
  while (!interrupt.cancelled()) {  // ctest's timeout ends a failure
    std::this_thread::yield();
  }
}

TEST(Interrupt, AfterItSignalsAreAsTheyWere) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  { const Interrupt interrupt; }
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
}

TEST(InterruptDeathTest, TheSecondSignalEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Interrupt interrupt;
        kill(getpid(), SIGTERM);
        while (!interrupt.cancelled()) {
          std::this_thread::yield();
        }
        kill(getpid(), SIGTERM);
        while (true) {
          pause();
        }
      },
      ::testing::ExitedWithCode(128 + SIGTERM), "");
}

TEST(InterruptDeathTest, WhatMustNotBeLostIsSavedBeforeTheEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Interrupt interrupt(std::chrono::milliseconds(20));
        const Interrupt::AtEnd saves(interrupt, [] { fmt::print(stderr, "saved\n"); });
        kill(getpid(), SIGINT);
        while (true) {
          pause();
        }
      },
      ::testing::ExitedWithCode(128 + SIGINT), "saved");
}

TEST(InterruptDeathTest, TheEndOfItsTimeEndsTheProgramToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Interrupt interrupt(std::chrono::milliseconds(20));
        kill(getpid(), SIGTERM);
        while (true) {
          pause();
        }
      },
      ::testing::ExitedWithCode(128 + SIGTERM), "");
}

}  // namespace
}  // namespace tilestep::cli
