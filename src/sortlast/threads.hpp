// Team: threads that share the work of one, where a node has more cores than ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace sortlast {

class Team {
 public:
  // `threads` in all, the caller's own among them; 1 starts none.
  explicit Team(int threads = 1);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return size_; }

  // Call job(0), ... job(size() - 1), one on each thread, and return when all are through. Throws what the
  // first of them that throws does.
  void run(const std::function<void(int)>& job);

 private:
  struct Crew;
  int size_;
  std::unique_ptr<Crew> crew_;  // null: no threads but the caller's
};

// Cores that this process may use, by its affinity mask; at least 1.
int usable_cores();
// A number that processes of a machine have in common if they may use the same cores.
std::uint64_t core_mask_hash();

}  // namespace sortlast
