// Wait: for MPI, without burning the core that another rank needs, and not for ever; and collectives that
// throw when a rank does not come, or has given up.
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

// Give up the core after a poll in vain: at once yields it, after many polls sleeps a little. `polls` counts
// them. For waits that have no Backoff.
void yield_core(int polls);

// Ask for pause() after every poll that found nothing, and for progress() after one that did.
class Backoff {
 public:
  Backoff(const Alarm& alarm, WaitsFor waits_for);

  void progress();
  // Give up the core for a moment; throws TimeoutError after alarm.limit() seconds without progress, or
  // when another rank has raised the alarm.
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

// Wait for a request that works on `memory`, which is kept for ever if the wait fails; as Backoff does.
void wait(MPI_Request request, const Alarm& alarm, WaitsFor waits_for,
          const std::shared_ptr<const void>& memory);

// ---- Messages of any length -----------------------------------------------------------------------

// Take a message with a tag, if one has arrived; who sent it, or -1: none has.
int take_message(const Communicator& comm, int source, int tag, std::vector<std::byte>& bytes);
// Until one has arrived. Throws TimeoutError.
int receive_message(const Communicator& comm, const Alarm& alarm, int source, int tag,
                    std::vector<std::byte>& bytes, const WaitsFor& waits_for);
void send_message(const Communicator& comm, const Alarm& alarm, int rank, int tag, const void* data,
                  std::size_t bytes, const WaitsFor& waits_for);

// ---- Collectives ----------------------------------------------------------------------------------

void barrier(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for);

// The least of all ranks' values, place by place; and their sum.
std::vector<std::uint64_t> all_least(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for,
                                     const std::vector<std::uint64_t>& mine);
std::vector<std::uint64_t> all_sum(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for,
                                   const std::vector<std::uint64_t>& mine);

namespace detail {

std::vector<std::byte> all_gather(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for,
                                  const void* mine, std::size_t bytes);
// At rank 0 the bytes of all ranks, rank by rank, any number of each; elsewhere nothing. ArgumentError, on
// every rank, if they are more than 2 GiB.
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
