// Team: between jobs its threads sleep in the kernel, so that they cost nothing while the rank waits.
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
  std::mutex turn;                     // held by the team that is running a job
  std::atomic<std::uint32_t> jobs{0};  // number of jobs started so far
  std::atomic<int> at_work{0};
  const std::function<void(int)>* job = nullptr;  // null: stop
  int wanted = 0;                                 // threads that take part in the job: the first ones
  std::mutex mutex;
  std::exception_ptr failure;
  std::vector<std::jthread> threads;  // last, so that they end before the members they use

  ~Crew() { give_out(nullptr, 0); }

  int size() const { return static_cast<int>(threads.size()); }

  // Start threads until there are `most` or the system has no more. Returns the number available, up to
  // `most`.
  int start(int most) {
    const std::lock_guard lock(turn);
    threads.reserve(static_cast<std::size_t>(std::max(most, size())));
    try {
      for (int number = size() + 1; number <= most; ++number)
        threads.emplace_back([this, number, seen = jobs.load()] { work(number, seen); });
    } catch (const std::system_error&) {
      return size();  // the threads that exist share the work
    }
    return most;
  }

  void work(int number, std::uint32_t seen) {
    while (true) {
      jobs.wait(seen);
      ++seen;
      if (job == nullptr) return;
      if (number <= wanted) try_job(number);
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

  void give_out(const std::function<void(int)>* next, int for_threads) {
    job = next;
    wanted = for_threads;
    at_work = size();
    ++jobs;
    jobs.notify_all();
  }
};

Team::Team(int threads) : Team(threads, threads > 1 ? std::make_shared<Crew>() : nullptr) {}

Team::Team(int threads, std::shared_ptr<Crew> crew) : size_(1), crew_(std::move(crew)) {
  if (crew_) size_ += crew_->start(threads - 1);
}

std::unique_ptr<Team> Team::sharing(int threads) {
  return std::unique_ptr<Team>(new Team(threads, threads > 1 ? shared_crew() : nullptr));
}

// The crew of all sharing teams; the threads end with the last of these teams.
std::shared_ptr<Team::Crew> Team::shared_crew() {
  static std::mutex mutex;
  static std::weak_ptr<Crew> known;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Crew> crew = known.lock();
  if (!crew) known = crew = std::make_shared<Crew>();
  return crew;
}

Team::~Team() = default;

void Team::run(const std::function<void(int)>& job) {
  if (!crew_) {
    job(0);
    return;
  }
  const std::lock_guard turn(crew_->turn);
  crew_->give_out(&job, size_ - 1);
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
