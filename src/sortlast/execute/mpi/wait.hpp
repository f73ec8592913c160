// Wait: waits for MPI with a timeout and without occupying a core that another rank needs; and collectives
// that throw if a rank does not arrive or has given up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sortlast/execute/mpi/failure.hpp"

namespace sortlast {

// Completes "rank r waits for ..."; called only when a wait has failed.
using WaitsFor = std::function<std::string()>;

// "all ranks to call composite, before stage 1"
WaitsFor all_ranks_to_call(std::string call);

// Release the core after an unsuccessful poll: yields it at first, and sleeps briefly after many polls.
// `polls` counts them. For waits without a Backoff.
void yield_core(int polls);

// Call pause() after every poll that found nothing, and progress() after one that did.
class Backoff {
 public:
  Backoff(const Alarm& alarm, WaitsFor waits_for);

  void progress();
  // Release the core for a moment; throws TimeoutError after alarm.limit() seconds without progress, or when
  // another rank has raised the alarm.
  void pause();

 private:
  using Clock = std::chrono::steady_clock;

  void check(Clock::time_point now);

  const Alarm& alarm_;
  WaitsFor waits_for_;
  int polls_ = 0;
  Clock::time_point since_;       // of the last progress
  Clock::time_point next_check_;  // of the alarm
};

// Wait for a request that works on `memory`, like Backoff. If the wait fails, the memory is kept permanently.
void wait(MPI_Request request, const Alarm& alarm, WaitsFor waits_for,
          const std::shared_ptr<const void>& memory);

// ---- Messages of any length -----------------------------------------------------------------------

// Take a message with a tag, if one has arrived. Returns its sender, or -1 if there is none.
int take_message(const Communicator& comm, int source, int tag, std::vector<std::byte>& bytes);
// Wait until one has arrived. Throws TimeoutError.
int receive_message(const Communicator& comm, const Alarm& alarm, int source, int tag,
                    std::vector<std::byte>& bytes, const WaitsFor& waits_for);
void send_message(const Communicator& comm, const Alarm& alarm, int rank, int tag, const void* data,
                  std::size_t bytes, const WaitsFor& waits_for);

// ---- Collectives ----------------------------------------------------------------------------------

void barrier(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for);

// The element-wise minimum over all ranks, and the sum.
std::vector<std::uint64_t> all_least(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for,
                                     const std::vector<std::uint64_t>& mine);
std::vector<std::uint64_t> all_sum(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for,
                                   const std::vector<std::uint64_t>& mine);

namespace detail {

std::vector<std::byte> all_gather(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for,
                                  const void* mine, std::size_t bytes);
// At rank 0, the bytes of all ranks, rank by rank, any number of each; nothing elsewhere. ArgumentError, on
// every rank, if there are more than 2 GiB.
std::vector<std::byte> gather_bytes(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for,
                                    std::span<const std::byte> mine);
void broadcast(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for, void* value,
               std::size_t bytes, int root);

}  // namespace detail

// The values of all ranks, by rank.
template <typename Value>
std::vector<Value> all_gather(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for,
                              const Value& mine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const std::vector<std::byte> bytes = detail::all_gather(comm, alarm, waits_for, &mine, sizeof mine);
  std::vector<Value> values(bytes.size() / sizeof mine);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// The root's value.
template <typename Value>
Value broadcast(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for, Value value,
                int root = 0) {
  static_assert(std::is_trivially_copyable_v<Value>);
  detail::broadcast(comm, alarm, waits_for, &value, sizeof value, root);
  return value;
}

}  // namespace sortlast
