// Between jobs the threads of a team sleep in the kernel, so that it costs nothing while its rank waits.
#include "sortlast/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "sortlast/cores.hpp"

namespace sortlast {

struct Team::Crew {
  std::atomic<std::uint32_t> jobs{0};  // given out so far
  std::atomic<int> at_work{0};
  const std::function<void(int)>* job = nullptr;  // null: go home
  std::mutex mutex;
  std::exception_ptr failure;
  std::vector<std::jthread> threads;  // last, so that they end before what they use

  ~Crew() { give_out(nullptr); }

  // Starts thread after thread, until there are `size` or the system has no more.
  void start(int size) {
    threads.reserve(static_cast<std::size_t>(size));
    try {
      for (int number = 1; number <= size; ++number) threads.emplace_back([this, number] { work(number); });
    } catch (const std::system_error&) {
      return;  // those that there are do it all
    }
  }

  void work(int number) {
    for (std::uint32_t seen = 0;;) {
      jobs.wait(seen);
      ++seen;
      if (job == nullptr) return;
      try_job(number);
      if (at_work.fetch_sub(1) == 1) at_work.notify_one();
    }
  }

  void try_job(int number) {
    try {
      (*job)(number);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }

  void give_out(const std::function<void(int)>* next) {
    job = next;
    at_work = static_cast<int>(threads.size());
    ++jobs;
    jobs.notify_all();
  }
};

Team::Team(int threads) : size_(std::max(threads, 1)) {
  if (size_ == 1) return;
  crew_ = std::make_unique<Crew>();
  crew_->start(size_ - 1);
  size_ = 1 + static_cast<int>(crew_->threads.size());
}

Team::~Team() = default;

void Team::run(const std::function<void(int)>& job) {
  if (!crew_) {
    job(0);
    return;
  }
  crew_->give_out(&job);
  crew_->try_job(0);
  for (int left = crew_->at_work; left > 0; left = crew_->at_work) crew_->at_work.wait(left);
  if (crew_->failure) std::rethrow_exception(std::exchange(crew_->failure, nullptr));
}

void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body, std::int32_t threads) {
  const std::int64_t most = threads > 0 ? threads : usable_cores();
  std::atomic<std::int64_t> next = 0;
  Team team(static_cast<int>(std::clamp<std::int64_t>(count, 1, most)));
  team.run([&](int) {
    try {
      for (std::int64_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      next = count;
      throw;
    }
  });
}

}  // namespace sortlast
