// Session: the state shared by all calls of a compositor, and how a call fails on all ranks together.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/check.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/threads.hpp"

namespace sortlast {

class Session {
 public:
  // Collective: duplicates `comm`. The node and the team are set up once the ranks agree on the options.
  Session(MPI_Comm comm, const Options& options);

  // Run a call's action, as guarded() does. Throws UsageError while another call is running and after
  // MPI_Finalize.
  template <typename Action>
  std::invoke_result_t<Action> call(const std::string& name, const Action& action) {
    const Turn turn(busy, name);
    check_mpi_is_there(name.c_str());
    return guarded(action);
  }

  // Run an action that communicates. If it fails on this rank alone, the others are notified. If the action
  // was abandoned midway, the communicator cannot be used any more.
  template <typename Action>
  std::invoke_result_t<Action> guarded(const Action& action) {
    if (broken)
      throw TimeoutError(
          "an earlier call of this compositor was given up on the way, so it cannot be used any more; make a "
          "new one");
    try {
      return action();
    } catch (const MpiError&) {
      give_up_after_mpi_error();
    } catch (const Settled& error) {
      if (error.closes) give_up("");
      throw;
    } catch (...) {
      give_up(cause_of_failure());
      throw;
    }
  }

  // Abandon this rank's call; the others receive `cause`, unless they know already (empty).
  void give_up(const std::string& cause) noexcept;

  Setting setting(std::int64_t n, const std::vector<std::int32_t>& order, bool commuting) const {
    return {size, n, order, options.ring, commuting, nodes};
  }

  Options options;
  Communicator comm;
  Alarm alarm;
  std::unique_ptr<Node> node;
  std::vector<std::int32_t> nodes;  // node of each rank; empty: every rank is one
  int rank;
  int size;
  std::vector<std::int32_t> origin;  // rank of each rank in the communicator of the first compositor
  int tag_limit;
  std::atomic<bool> busy = false;
  bool broken = false;                   // messages may never complete
  MPI_Comm broken_comm = MPI_COMM_NULL;  // on this communicator
  Pool pool;
  std::unique_ptr<Team> team;
  std::shared_ptr<const void> maker;  // marks this compositor's tiles

 private:
  // In the handler of an MpiError: rethrow it, or report the ranks that have died if that is the cause.
  [[noreturn]] void give_up_after_mpi_error();
};

}  // namespace sortlast
