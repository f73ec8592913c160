// Alarm.
//
// A rank that waits in vain knows only its own peers, and most of those wait themselves. So the first one
// to reach the limit sends every other rank a short message; whoever is inside a call of ours finds it
// within a fraction of a second, answers everyone, and gives up too. After a moment the ranks that have
// not answered are those that never came. This costs p^2 tiny messages once, when the job has failed, and
// an MPI_Iprobe every 50 ms of waiting otherwise.
#include "sortlast/execute/mpi/alarm.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/keep.hpp"

namespace sortlast {
namespace {

constexpr int tag = 0;
constexpr double time_to_answer = 1.0;  // [s]
constexpr int probes = 8;               // a probe may take in one message, and others may lie before ours
constexpr std::size_t listed = 8;       // ranks that a message names one by one

using Text = std::array<char, 192>;

Text to_text(const std::string& message) {
  Text text{};
  std::strncpy(text.data(), message.c_str(), text.size() - 1);
  return text;
}

// Take every alarm that has arrived.
void collect(MPI_Comm control, std::map<int, std::string>& reports) {
  while (true) {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, tag, control, &found, &message, &status), "MPI_Improbe");
    if (found == 0) return;
    Text text{};
    check_mpi(MPI_Mrecv(text.data(), static_cast<int>(text.size()), MPI_CHAR, &message, MPI_STATUS_IGNORE),
              "MPI_Mrecv");
    reports[status.MPI_SOURCE] = text.data();
  }
}

std::string describe(const std::map<int, std::string>& reports, int p, double limit) {
  std::vector<int> silent;
  for (int rank = 0; rank < p; ++rank) {
    if (!reports.contains(rank)) silent.push_back(rank);
  }
  std::ostringstream out;
  out << "no progress for " << limit << " s (the limit): ";
  if (silent.empty()) {
    out << "all ranks have come by now, but too late for some";
  } else {
    out << (silent.size() == 1 ? "rank " : "ranks ");
    for (std::size_t i = 0; i < silent.size() && i < listed; ++i) out << (i == 0 ? "" : ", ") << silent[i];
    if (silent.size() > listed) out << " and " << silent.size() - listed << " more";
    out << (silent.size() == 1 ? " has" : " have") << " not come";
  }
  std::size_t named = 0;
  for (const auto& [rank, waits_for] : reports) {
    if (named++ == listed) {
      out << "; and " << reports.size() - listed << " more ranks wait";
      break;
    }
    out << "; rank " << rank << " waits for " << waits_for;
  }
  out << ". The compositor cannot be used any more; make a new one on a communicator whose ranks all take "
         "part.";
  return out.str();
}

}  // namespace

void Alarm::raise(const std::string& waits_for) const {
  const int p = control_.size();
  const int rank = control_.rank();
  std::map<int, std::string> reports{{rank, waits_for}};

  // Tell everyone. The messages may never be received, so nobody waits for them.
  const auto text = std::make_shared<Text>(to_text(waits_for));
  keep_for_ever(text);
  for (int peer = 0; peer < p; ++peer) {
    if (peer == rank) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(text->data(), static_cast<int>(text->size()), MPI_CHAR, peer, tag, control_.get(),
                        &request),
              "MPI_Isend");
    check_mpi(MPI_Request_free(&request), "MPI_Request_free");
  }

  // Hear what the others wait for.
  const double until = MPI_Wtime() + time_to_answer;
  while (static_cast<int>(reports.size()) < p && MPI_Wtime() < until) {
    collect(control_.get(), reports);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  throw TimeoutError(describe(reports, p, limit_));
}

void Alarm::join_if_raised(const std::function<std::string()>& waits_for) const {
  int found = 0;
  for (int probe = 0; probe < probes && found == 0; ++probe) {
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, control_.get(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
  }
  if (found != 0) raise(waits_for());
}

}  // namespace sortlast
