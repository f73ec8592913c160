// Memory that MPI may still read or write when a wait was given up.
#include "sortlast/execute/mpi/keep.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace sortlast {

void keep_for_ever(std::shared_ptr<const void> object) {
  // Neither is ever destroyed: messages may arrive until MPI is finalised.
  static auto* const mutex = new std::mutex;
  static auto* const kept = new std::vector<std::shared_ptr<const void>>;
  const std::lock_guard lock(*mutex);
  kept->push_back(std::move(object));
}

}  // namespace sortlast
