// Session.
#include "sortlast/execute/session.hpp"

#include <numeric>

#include "sortlast/execute/mpi/survivors.hpp"

namespace sortlast {

Session::Session(MPI_Comm of_caller, const Options& wanted)
    : options(wanted),
      comm(duplicate(of_caller, positive_timeout(wanted.timeout), "Compositor", wanted.interrupt)),
      alarm(comm, positive_timeout(wanted.timeout), wanted.interrupt),
      rank(comm.rank()),
      size(comm.size()),
      origin(static_cast<std::size_t>(size)),
      tag_limit(sortlast::tag_limit(comm.get())),
      maker(std::make_shared<int>(0)) {
  std::iota(origin.begin(), origin.end(), 0);
}

void Session::give_up(const std::string& cause) noexcept {
  if (broken) return;
  if (!cause.empty()) alarm.tell_failure(cause);
  broken = true;
  broken_comm = comm.abandon();
}

void Session::give_up_after_mpi_error() {
  const std::string dead = death_behind_error(comm.get());
  give_up(dead.empty() ? cause_of_failure() : dead);
  if (!dead.empty()) throw RankEnded(dead);
  throw;
}

}  // namespace sortlast
