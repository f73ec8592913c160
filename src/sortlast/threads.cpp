// Team: threads that share the work of one.
//
// Between jobs the threads sleep in the kernel, so that a team costs nothing while its rank waits.
#include "sortlast/threads.hpp"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace sortlast {

struct Team::Crew {
  std::vector<std::jthread> threads;
  std::atomic<std::uint32_t> jobs{0};  // given out so far
  std::atomic<int> at_work{0};
  const std::function<void(int)>* job = nullptr;  // null: go home
  std::mutex mutex;
  std::exception_ptr failure;

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
  for (int number = 1; number < size_; ++number)
    crew_->threads.emplace_back([crew = crew_.get(), number] { crew->work(number); });
}

Team::~Team() {
  if (crew_) crew_->give_out(nullptr);
}

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

int usable_cores() {
#ifdef __linux__
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return std::max(CPU_COUNT(&mask), 1);
#endif
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

std::uint64_t core_mask_hash() {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
#ifdef __linux__
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return hash;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &mask)) hash = (hash ^ core) * 1099511628211ULL;
#endif
  return hash;
}

}  // namespace sortlast
