// Alarm.
//
// A rank that waits in vain knows only its own peers, and most of those wait themselves. So the first one
// to reach the limit tells a few others; whoever is inside a call of ours finds that within a fraction of a
// second, adds what it waits for, passes it on, and gives up too (mpi/reports.hpp). Ranks that have not come
// pass nothing on, so that after a moment each rank tells those silent ones that lie between itself and the
// next rank that has come: they shall know when they do come. A little later the ranks still silent are those
// that never came. In all this is p log2(p) messages of less than 1 KiB, once, when the job has failed, and
// an MPI_Iprobe every 50 ms of waiting otherwise.
#include "sortlast/execute/mpi/alarm.hpp"

#include <chrono>
#include <memory>
#include <new>
#include <numeric>
#include <sstream>
#include <thread>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/keep.hpp"

namespace sortlast {
namespace {

constexpr double time_to_answer = 1.0;      // [s]
constexpr double time_to_pass_on = 0.3;     // after which ranks that are silent are told one by one [s]
constexpr double between_messages = 0.005;  // to the same rank [s]
constexpr int probes = 8;                   // a probe may take in one message, and others may lie before ours
constexpr int few = 64;                     // ranks that one rank may tell by itself

// The messages may never be received, so nobody waits for them.
void send(const Communicator& comm, const std::vector<ReportMessage>& messages, const std::vector<int>& to) {
  if (messages.empty() || to.empty()) return;
  const auto kept = std::make_shared<const std::vector<ReportMessage>>(messages);
  keep_for_ever(kept);
  const int tag = tag_limit(comm.get());
  for (const int peer : to) {
    for (const ReportMessage& message : *kept) {
      MPI_Request request = MPI_REQUEST_NULL;
      check_mpi(MPI_Isend(&message, sizeof message, MPI_BYTE, peer, tag, comm.get(), &request), "MPI_Isend");
      check_mpi(MPI_Request_free(&request), "MPI_Request_free");
    }
  }
}

// Take every alarm that has arrived.
void collect(const Communicator& comm, Reports& reports) {
  const int tag = tag_limit(comm.get());
  while (true) {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, tag, comm.get(), &found, &message, MPI_STATUS_IGNORE),
              "MPI_Improbe");
    if (found == 0) return;
    ReportMessage report;
    check_mpi(MPI_Mrecv(&report, sizeof report, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    reports.merge(report);
  }
}

// Silent ranks between this one and the next that has come.
std::vector<int> silent_after(int rank, int p, const Reports& reports) {
  std::vector<int> silent;
  for (int next = (rank + 1) % p; next != rank && !reports.has_come(next); next = (next + 1) % p)
    silent.push_back(next);
  return silent;
}

constexpr const char* advice =
    ". The compositor cannot be used any more; make a new one on a communicator whose ranks all take part.";

[[noreturn]] void throw_what_is_known(const Reports& reports, double limit) {
  std::ostringstream out;
  if (const auto& failure = reports.failure()) {
    out << "rank " << failure->rank << " gave up: " << failure->text.data()
        << ". The compositor cannot be used any more; make a new one.";
    throw RemoteError(out.str());
  }
  out << "no progress for " << limit << " s (the limit): " << reports.text() << advice;
  throw TimeoutError(out.str());
}

}  // namespace

std::string cause_of_failure() {
  try {
    throw;
  } catch (const TimeoutError&) {
    return "";
  } catch (const RemoteError&) {
    return "";
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown error";
  }
}

void Alarm::raise(const std::string& waits_for) const {
  const int p = comm_.size();
  const int rank = comm_.rank();
  const std::vector<int> next = next_ranks(rank, p);
  Reports reports(p);
  reports.add(make_report(rank, false, waits_for));

  const double begin = MPI_Wtime();
  double sent = begin - between_messages;
  bool told_silent = false;
  while (true) {
    // Hear what the others wait for, and pass it on.
    collect(comm_, reports);
    const double now = MPI_Wtime();
    const bool last = reports.complete() || reports.failure() || now > begin + time_to_answer;
    if (last || now - sent >= between_messages) {
      send(comm_, reports.changes(), next);
      sent = now;
    }
    if (last) break;

    // Tell those that have not come.
    if (!told_silent && now > begin + time_to_pass_on) {
      told_silent = true;
      Reports mine(p);
      mine.add(make_report(rank, false, waits_for));
      send(comm_, mine.changes(), silent_after(rank, p, reports));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  throw_what_is_known(reports, limit_);
}

void Alarm::tell_failure(const std::string& cause) const noexcept {
  try {
    const int p = comm_.size();
    const int rank = comm_.rank();
    Reports reports(p);
    reports.add(make_report(rank, true, cause));
    std::vector<int> to = next_ranks(rank, p);
    if (p <= few) {
      to.resize(static_cast<std::size_t>(p));
      std::iota(to.begin(), to.end(), 0);
      to.erase(to.begin() + rank);
    }
    send(comm_, reports.changes(), to);
  } catch (...) {  // NOLINT(bugprone-empty-catch): nothing more can be done, they wait until their limit
  }
}

bool Alarm::raised() const {
  const int tag = tag_limit(comm_.get());
  int found = 0;
  for (int probe = 0; probe < probes && found == 0; ++probe)
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_.get(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
  return found != 0;
}

void Alarm::pass_on() const {
  Reports reports(comm_.size());
  collect(comm_, reports);
  send(comm_, reports.changes(), next_ranks(comm_.rank(), comm_.size()));
}

void Alarm::join_if_raised(const std::function<std::string()>& waits_for) const {
  if (raised()) raise(waits_for());
}

}  // namespace sortlast
