// Strays.
//
// A rank asks for a message from one rank with any tag, and that rank's messages come in their order, so that
// the first as many are those of the frame even if it is through already and has begun the next.
#include "sortlast/execute/mpi/strays.hpp"

#include <cstddef>
#include <memory>
#include <string>

#include "sortlast/execute/mpi/wait.hpp"

namespace sortlast {
namespace {

std::string strays_to_come() { return "what others have sent before a call failed"; }

// How many messages each rank has sent to this one.
std::vector<std::int32_t> sent_to_this(const Communicator& comm, const Alarm& alarm,
                                       const std::vector<std::int32_t>& sent) {
  struct Told {
    std::vector<std::int32_t> mine;
    std::vector<std::int32_t> others;
  };
  const auto p = static_cast<std::size_t>(comm.size());
  const auto told = std::make_shared<Told>(Told{sent, std::vector<std::int32_t>(p)});
  told->mine.resize(p);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ialltoall(told->mine.data(), 1, MPI_INT32_T, told->others.data(), 1, MPI_INT32_T, comm.get(),
                          &request),
            "MPI_Ialltoall");
  wait(request, alarm, strays_to_come, told);
  return told->others;
}

void take_in_one(const Communicator& comm, const Alarm& alarm, int source) {
  // Until there is one.
  Backoff backoff(alarm, strays_to_come);
  MPI_Status status;
  for (int found = 0; found == 0;) {
    check_mpi(MPI_Iprobe(source, MPI_ANY_TAG, comm.get(), &found, &status), "MPI_Iprobe");
    if (found != 0 && status.MPI_TAG == alarm_tag(comm.get())) {
      alarm.join_if_raised(strays_to_come);
      found = 0;
    }
    if (found == 0) backoff.pause();
  }

  // Receive it.
  int bytes = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  const auto memory = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(memory->data(), bytes, MPI_BYTE, source, status.MPI_TAG, comm.get(), &request),
            "MPI_Irecv");
  wait(request, alarm, strays_to_come, memory);
}

}  // namespace

void take_in_strays(const Communicator& comm, const Alarm& alarm, const Exchanged& mine) {
  const std::vector<std::int32_t> sent = sent_to_this(comm, alarm, mine.sent);
  for (std::size_t source = 0; source < sent.size(); ++source) {
    const std::int32_t received = mine.received.empty() ? 0 : mine.received[source];
    for (std::int32_t i = received; i < sent[source]; ++i) take_in_one(comm, alarm, static_cast<int>(source));
  }
}

}  // namespace sortlast
