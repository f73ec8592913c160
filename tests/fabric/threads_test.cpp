// Threads: every number once, whatever the threads, exceptions that come back, and a system without threads.
#include "sortlast/threads.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sortlast {
namespace {

// Exit status of a child process in which `body` runs, and in which no more than `most` threads may be: 0 if
// it returns true; -1 if it does not end within 120 s.
int status_with_threads(rlim_t most, const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    constexpr uid_t nobody_else = 54321;  // the limit counts all threads of a user
    if (geteuid() == 0 && setuid(nobody_else) != 0) _exit(3);
    const rlimit limit{most, most};
    if (setrlimit(RLIMIT_NPROC, &limit) != 0) _exit(4);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -2;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int calls_of_all(Team& team) {
  std::atomic<int> calls = 0;
  team.run([&](int) { ++calls; });
  return calls;
}

TEST(Team, GoesOnWithTheThreadsThatCouldBeStarted) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a user of its own, whose threads nobody else's are counted with";
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the sanitizer has threads of its own, which are counted too";
#endif
  const auto has_three = [] {
    Team team(8);
    return team.size() == 3 && calls_of_all(team) == 3 && calls_of_all(team) == 3;
  };
  EXPECT_EQ(status_with_threads(3, has_three), 0);
}

TEST(Team, IsTheCallerAloneWhereNoThreadCanBeStarted) {
  const auto has_one = [] {
    Team team(8);
    return team.size() == 1 && calls_of_all(team) == 1;
  };
  EXPECT_EQ(status_with_threads(1, has_one), 0);
}

TEST(Team, TakesJobAfterJobAndThrowsWhatOneThrows) {
  Team team(4);
  EXPECT_EQ(team.size(), 4);
  EXPECT_EQ(calls_of_all(team), 4);
  const auto fails = [](int number) {
    if (number == 3) throw std::runtime_error("third");
  };
  EXPECT_THROW(team.run(fails), std::runtime_error);
  EXPECT_EQ(calls_of_all(team), 4);
}

TEST(Team, ManyThatShareThreadsNeedThoseOfTheLargest) {
  const auto threads_here = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  const auto before = threads_here();
  std::vector<std::unique_ptr<Team>> teams;
  for (const int size : {3, 8, 1, 5, 8}) teams.push_back(Team::sharing(size));
  EXPECT_LE(threads_here(), before + 7);
  for (const int size : {3, 8, 1, 5, 8}) {
    EXPECT_EQ(teams.front()->size(), size);
    EXPECT_EQ(calls_of_all(*teams.front()), size);
    teams.erase(teams.begin());
  }
}

TEST(Team, ThoseThatShareThreadsTakeTurns) {
  std::vector<std::thread> callers;
  std::array<int, 4> wrong{};
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([caller, &wrong] {
      const std::unique_ptr<Team> team = Team::sharing(2 + caller);
      for (int turn = 0; turn < 200; ++turn)
        wrong[static_cast<std::size_t>(caller)] += calls_of_all(*team) == 2 + caller ? 0 : 1;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

TEST(ParallelFor, DoesAllWhereNoThreadCanBeStarted) {
  const auto does_all = [] {
    std::int64_t sum = 0;
    parallel_for(100, [&](std::int64_t i) { sum += i; }, 8);
    return sum == 4950;
  };
  EXPECT_EQ(status_with_threads(1, does_all), 0);
}

TEST(ParallelFor, CallsOncePerNumber) {
  for (const std::int32_t threads : {0, 1, 2, 7}) {
    for (const std::int64_t count : {0, 1, 2, 6, 7, 8, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      parallel_for(count, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; }, threads);
      for (const std::atomic<int>& number : calls) EXPECT_EQ(number, 1) << count << " on " << threads;
    }
  }
}

TEST(ParallelFor, ThrowsWhatACallThrows) {
  for (const std::int32_t threads : {1, 4}) {
    std::atomic<int> calls = 0;
    const auto fails = [&](std::int64_t i) {
      ++calls;
      if (i == 3) throw std::runtime_error("third");
    };
    EXPECT_THROW(parallel_for(100, fails, threads), std::runtime_error);
    if (threads == 1) {
      EXPECT_EQ(calls, 4);  // no new calls begin
    }
  }
}

}  // namespace
}  // namespace sortlast
