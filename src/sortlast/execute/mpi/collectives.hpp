// Collectives that keep the limit: as MPI's, but they throw when a rank does not come, or has given up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "sortlast/execute/mpi/alarm.hpp"

namespace sortlast {

// Completes "rank r waits for ..."; called only when a wait has failed.
using WaitsFor = std::function<std::string()>;

// "all ranks to call composite, before stage 1"
WaitsFor all_ranks_to_call(std::string call);

void barrier(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for);

// The least of all ranks' values, place by place.
std::vector<std::uint64_t> all_least(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for,
                                     const std::vector<std::uint64_t>& mine);

namespace detail {

std::vector<std::byte> all_gather(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for,
                                  const void* mine, std::size_t bytes);
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
