// Threads: a team that runs one job after another, and a parallel loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace sortlast {

class Team {
 public:
  // `threads` includes the calling thread; 1 starts none. If the system runs out of threads, the team has as
  // many as could be started.
  explicit Team(int threads = 1);
  // A team that shares its threads with all other such teams of the process; there are as many threads as the
  // largest team needs. Jobs run one at a time, and a job must not start another one on these threads.
  static std::unique_ptr<Team> sharing(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return size_; }

  // Call job(0) on the calling thread and job(1), ... job(size() - 1) each on another thread; return when all
  // have finished. Rethrows the first exception that a job throws.
  void run(const std::function<void(int)>& job);

 private:
  struct Crew;
  Team(int threads, std::shared_ptr<Crew> crew);
  static std::shared_ptr<Crew> shared_crew();

  int size_;
  std::shared_ptr<Crew> crew_;  // null: the calling thread only
};

// Calls body(i) once for every i in [0, count), concurrently and in any order, and returns when all calls
// have ended. `threads`: 0 means one for each usable core. If a call throws, no new ones begin, and the first
// exception is rethrown here.
void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body,
                  std::int32_t threads = 0);

}  // namespace sortlast
