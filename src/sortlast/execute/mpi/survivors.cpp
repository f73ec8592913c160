// Survivors.
//
// MPICH has these functions as well, but the job ends when one asks for the ranks that have died (5.0.2), so
// only Open MPI's are called.
#include "sortlast/execute/mpi/survivors.hpp"

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/mpi/wait.hpp"

namespace sortlast {

std::string text_of_dead(const std::vector<int>& ranks) {
  if (ranks.empty()) return "";
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i == Reports::listed) {
      text += " and " + std::to_string(ranks.size() - i) + " more";
      break;
    }
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  return text + (ranks.size() == 1 ? " has died, so its image is" : " have died, so their images are") +
         " missing. The compositor cannot be used any more; shrink() makes one of the ranks that live.";
}

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

// A library built with Open MPI 5 may be loaded with Open MPI 4, which has all functions it calls but these.
#pragma weak MPIX_Comm_get_failed
#pragma weak MPIX_Comm_iagree
#pragma weak MPIX_Comm_is_revoked
#pragma weak MPIX_Comm_revoke
#pragma weak MPIX_Comm_shrink

namespace {

// The ranks in `comm` of the members of a group.
std::vector<int> ranks_in(MPI_Comm comm, MPI_Group group) {
  int count = 0;
  check_mpi(MPI_Group_size(group, &count), "MPI_Group_size");
  std::vector<int> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), 0);
  std::vector<int> ranks(places.size());
  MPI_Group all = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(comm, &all), "MPI_Comm_group");
  const int code = MPI_Group_translate_ranks(group, count, places.data(), all, ranks.data());
  MPI_Group_free(&all);
  check_mpi(code, "MPI_Group_translate_ranks");
  return ranks;
}

// The bits set by all ranks that are alive; `died`: a rank has died, and its bits are missing. Unlike
// MPIX_Comm_agree, this does not wait forever.
int agree_on_bits(MPI_Comm comm, int bits, double limit, const std::function<void()>& interrupt, bool& died) {
  constexpr double between_interrupts = 0.05;  // [s]
  const auto flag = std::make_shared<int>(bits);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPIX_Comm_iagree(comm, flag.get(), &request), "MPIX_Comm_iagree");
  const double begin = MPI_Wtime();
  double next_interrupt = begin + between_interrupts;
  try {
    for (int done = 0, polls = 0;; ++polls) {
      died = MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS;
      if (died || done != 0) return *flag;
      const double now = MPI_Wtime();
      if (now - begin > limit)
        throw TimeoutError("shrink: not all ranks that live called it within " + std::to_string(limit) +
                           " s, and it cannot be tried again; a rank that does not arrive may be stopped");
      if (interrupt && now > next_interrupt) {
        next_interrupt = now + between_interrupts;
        interrupt();
      }
      yield_core(polls);
    }
  } catch (...) {
    keep_for_ever(flag);
    throw;
  }
}

}  // namespace

bool ranks_outlive_others() {
  static const bool outlive = [] {
    if (MPIX_Comm_revoke == nullptr) return false;
    void* value = nullptr;
    int found = 0;
    check_mpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_FT, &value, &found), "MPI_Comm_get_attr");
    return found != 0 && *static_cast<int*>(value) != 0;
  }();
  return outlive;
}

std::vector<int> dead_ranks(MPI_Comm comm) {
  if (!ranks_outlive_others()) return {};
  MPI_Group dead = MPI_GROUP_NULL;
  check_mpi(MPIX_Comm_get_failed(comm, &dead), "MPIX_Comm_get_failed");
  std::vector<int> ranks = ranks_in(comm, dead);
  if (dead != MPI_GROUP_EMPTY) MPI_Group_free(&dead);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::string death_behind_error(MPI_Comm comm) {
  constexpr double until_told = 0.5;  // [s]
  if (!ranks_outlive_others()) return "";
  int revoked = 0;
  check_mpi(MPIX_Comm_is_revoked(comm, &revoked), "MPIX_Comm_is_revoked");
  std::vector<int> dead = dead_ranks(comm);

  // Another rank has learned of a death and called shrink() before MPI notified this one.
  for (const double begin = MPI_Wtime(); revoked != 0 && dead.empty() && MPI_Wtime() - begin < until_told;) {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);  // lets MPI progress
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    dead = dead_ranks(comm);
  }
  if (dead.empty() && revoked != 0)
    return "another rank has called shrink(). The compositor cannot be used any more; shrink() makes one of "
           "the "
           "ranks that live.";
  return text_of_dead(dead);
}

Survivors shrink_communicator(MPI_Comm comm, double limit, const std::function<void()>& interrupt) {
  check_mpi(MPIX_Comm_revoke(comm), "MPIX_Comm_revoke");
  bool died = false;
  agree_on_bits(comm, 0, limit, interrupt, died);
  MPI_Comm rest = MPI_COMM_NULL;
  check_mpi(MPIX_Comm_shrink(comm, &rest), "MPIX_Comm_shrink");
  Survivors survivors{Communicator(rest), {}};
  check_mpi(MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  MPI_Group group = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(rest, &group), "MPI_Comm_group");
  const std::vector<int> ranks = ranks_in(comm, group);
  MPI_Group_free(&group);
  survivors.ranks.assign(ranks.begin(), ranks.end());
  return survivors;
}

Agreed agree_with_survivors(const Communicator& comm, bool yes, double limit,
                            const std::function<void()>& interrupt) {
  constexpr int said_yes = 1;
  constexpr int all_live = 2;
  const bool lives = dead_ranks(comm.get()).empty();
  bool died = false;
  const int bits =
      agree_on_bits(comm.get(), (yes ? said_yes : 0) | (lives ? all_live : 0), limit, interrupt, died);
  return {(bits & said_yes) != 0, died || (bits & all_live) == 0};
}

#else

bool ranks_outlive_others() { return false; }

std::vector<int> dead_ranks(MPI_Comm) { return {}; }

std::string death_behind_error(MPI_Comm) { return ""; }

Survivors shrink_communicator(MPI_Comm, double, const std::function<void()>&) {
  throw UsageError("this MPI cannot make a communicator of the ranks that live");
}

Agreed agree_with_survivors(const Communicator&, bool, double, const std::function<void()>&) {
  throw UsageError("this MPI cannot agree with the ranks that live");
}

#endif

}  // namespace sortlast
