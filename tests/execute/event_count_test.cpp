// Eventcounts: who waits is woken, and nobody sleeps through a ring.
#include "sortlast/execute/node/control.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

#include "sortlast/execute/node/segment.hpp"

namespace sortlast {
namespace {

constexpr double long_wait = 60;  // of a wait that no ring ends [s]

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Wait for the n-th ring; false if it ended no wait.
bool wait_for(EventCount& event, std::uint32_t n) {
  for (std::uint32_t rings = event.rings(); rings < n; rings = event.rings()) {
    const auto begin = std::chrono::steady_clock::now();
    event.wait(rings, long_wait);
    if (seconds_since(begin) > long_wait) return false;
  }
  return true;
}

TEST(EventCount, ARingThatCameBeforeEndsTheWait) {
  EventCount event;
  const std::uint32_t seen = event.rings();
  event.ring();
  const auto begin = std::chrono::steady_clock::now();
  event.wait(seen, long_wait);
  EXPECT_LT(seconds_since(begin), long_wait);
}

TEST(EventCount, WithoutARingTheWaitEndsInTime) {
  EventCount event;
  const auto begin = std::chrono::steady_clock::now();
  event.wait(event.rings(), 0.05);
  EXPECT_GE(seconds_since(begin), 0.049);
}

TEST(EventCount, ARingEndsTheLooksToo) {
  EventCount event;
  std::atomic<bool> looks = false;
  std::thread ringer([&] {
    while (!looks) std::this_thread::yield();
    event.ring();
  });
  const std::uint32_t seen = event.rings();
  looks = true;
  while (event.rings() == seen) event.wait(seen, long_wait, 1 << 20);
  ringer.join();
  EXPECT_EQ(event.rings(), seen + 1);
  event.wait(seen, long_wait, 1);
  const auto begin = std::chrono::steady_clock::now();
  event.wait(event.rings(), 0.05, 1);
  EXPECT_GE(seconds_since(begin), 0.049);
}

TEST(EventCount, OneRingWakesAll) {
  EventCount event;
  std::vector<std::thread> sleepers;
  std::atomic<int> woken = 0;
  sleepers.reserve(8);
  for (int i = 0; i < 8; ++i) sleepers.emplace_back([&] { woken += wait_for(event, 1) ? 1 : 0; });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  event.ring();
  for (std::thread& sleeper : sleepers) sleeper.join();
  EXPECT_EQ(woken, 8);
}

TEST(EventCount, ProcessesThatRingInTurnNeverSleepThroughARing) {
  struct Events {
    EventCount ping;
    EventCount pong;
  };
  constexpr std::uint32_t rounds = 20'000;
  const Segment segment(sizeof(Events));
  auto* const events = new (segment.data()) Events;
  const pid_t child = fork();
  if (child == 0) {
    const Segment mapped(segment.name());
    auto* const others = std::launder(reinterpret_cast<Events*>(mapped.data()));
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      if (!wait_for(others->ping, round)) _exit(1);
      others->pong.ring();
    }
    _exit(0);
  }
  bool rang = true;
  for (std::uint32_t round = 1; round <= rounds && rang; ++round) {
    events->ping.ring();
    rang = wait_for(events->pong, round);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(rang);
  EXPECT_EQ(status, 0);
}

TEST(Barrier, LetsNobodyPassBeforeAllHaveCome) {
  constexpr std::uint32_t threads = 5;
  constexpr std::uint32_t rounds = 2'000;
  Barrier barrier;
  std::vector<std::uint32_t> round_of(threads, 0);  // written before a barrier, read after it
  std::atomic<int> wrong = 0;
  std::atomic<int> lasts = 0;
  const auto run = [&](std::uint32_t me) {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      for (int half = 0; half < 2; ++half) {
        if (half == 0) round_of[me] = round;
        const std::uint32_t seen = barrier.openings();
        if (barrier.arrive(threads)) {
          ++lasts;
          barrier.open();
        } else if (!wait_for(barrier.opened(), seen + 1)) {
          ++wrong;
        }
        for (std::uint32_t other = 0; half == 0 && other < threads; ++other)
          wrong += round_of[other] == round ? 0 : 1;
      }
    }
  };
  std::vector<std::thread> all;
  all.reserve(threads);
  for (std::uint32_t me = 0; me < threads; ++me) all.emplace_back(run, me);
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(lasts, static_cast<int>(2 * rounds));
}

}  // namespace
}  // namespace sortlast
