// Threads that share the work of one: a team that takes job after job, and a loop spread over cores.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace sortlast {

class Team {
 public:
  // `threads` in all, the caller's own among them; 1 starts none. Where the system has no more threads the
  // team has as many as could be started.
  explicit Team(int threads = 1);
  // A team whose threads all such teams of the process share; their number is that of the largest team. One
  // job runs at a time; a job must not start another one on them.
  static std::unique_ptr<Team> sharing(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return size_; }

  // Call job(0) on the caller's thread and job(1), ... job(size() - 1) each on one of the others, and return
  // when all are through. Throws what the first of them that throws does.
  void run(const std::function<void(int)>& job);

 private:
  struct Crew;
  Team(int threads, std::shared_ptr<Crew> crew);
  static std::shared_ptr<Crew> shared_crew();

  int size_;
  std::shared_ptr<Crew> crew_;  // null: no threads but the caller's
};

// Calls body(i) once for every i in [0, count), several at once and in any order, and returns when all have
// ended. `threads`: 0: one for each usable core. If calls throw, no new ones begin, and the first exception
// is thrown here.
void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body,
                  std::int32_t threads = 0);

}  // namespace sortlast
