// Collectives that keep the limit.
#include "sortlast/execute/mpi/collectives.hpp"

#include <memory>
#include <utility>

#include "sortlast/execute/mpi/backoff.hpp"

namespace sortlast {

WaitsFor all_ranks_to_call(std::string call) {
  return [call = std::move(call)] { return "all ranks to call " + call + ", before stage 1"; };
}

void barrier(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm.get(), &request), "MPI_Ibarrier");
  wait(request, alarm, waits_for, nullptr);
}

std::vector<std::uint64_t> all_least(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for,
                                     const std::vector<std::uint64_t>& mine) {
  const std::size_t count = mine.size();
  const auto values = std::make_shared<std::vector<std::uint64_t>>(mine);
  values->resize(2 * count);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(values->data(), values->data() + count, static_cast<int>(count), MPI_UINT64_T,
                           MPI_MIN, comm.get(), &request),
            "MPI_Iallreduce");
  wait(request, alarm, waits_for, values);
  return {values->begin() + static_cast<std::ptrdiff_t>(count), values->end()};
}

namespace detail {

std::vector<std::byte> all_gather(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for,
                                  const void* mine, std::size_t bytes) {
  const auto p = static_cast<std::size_t>(comm.size());
  const auto values = std::make_shared<std::vector<std::byte>>((p + 1) * bytes);
  std::byte* const own = values->data() + p * bytes;
  std::memcpy(own, mine, bytes);
  const auto count = static_cast<int>(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(own, count, MPI_BYTE, values->data(), count, MPI_BYTE, comm.get(), &request),
            "MPI_Iallgather");
  wait(request, alarm, waits_for, values);
  values->resize(p * bytes);
  return std::move(*values);
}

void broadcast(const Communicator& comm, const Alarm& alarm, const WaitsFor& waits_for, void* value,
               std::size_t bytes, int root) {
  const auto shared = std::make_shared<std::vector<std::byte>>(bytes);
  std::memcpy(shared->data(), value, bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibcast(shared->data(), static_cast<int>(bytes), MPI_BYTE, root, comm.get(), &request),
            "MPI_Ibcast");
  wait(request, alarm, waits_for, shared);
  std::memcpy(value, shared->data(), bytes);
}

}  // namespace detail

}  // namespace sortlast
