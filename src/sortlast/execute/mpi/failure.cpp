// Failure: how news about ranks spreads when an alarm is raised.
#include "sortlast/execute/mpi/failure.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/survivors.hpp"
#include "sortlast/execute/node/node.hpp"

namespace sortlast {

// ---- Reports --------------------------------------------------------------------------------------

Report make_report(int rank, bool failed, const std::string& text) {
  Report report{rank, failed ? 1 : 0, {}};
  std::strncpy(report.text.data(), text.c_str(), report.text.size() - 1);
  return report;
}

void Reports::merge_word(std::size_t word, std::uint64_t bits) {
  const std::uint64_t fresh = bits & ~come_[word];
  if (fresh == 0) return;
  come_[word] |= fresh;
  count_ += std::popcount(fresh);
  changed_blocks_.insert(static_cast<std::int32_t>(word * 64 / ReportMessage::block_ranks));
}

void Reports::add(const Report& report) {
  if (report.rank < 0 || report.rank >= p_) return;
  merge_word(word_of(report.rank), std::uint64_t{1} << (report.rank % 64));
  if (report.failed != 0) {
    if (failure_ && failure_->rank <= report.rank) return;
    failure_ = report;
    changed_reports_.insert(report.rank);
    return;
  }
  if (!waiting_.try_emplace(report.rank, report).second) return;
  changed_reports_.insert(report.rank);
  if (waiting_.size() <= listed) return;
  waiting_.erase(std::prev(waiting_.end()));
}

void Reports::merge(const ReportMessage& message) {
  add(message.report);
  if (message.block < 0) return;
  const auto first = static_cast<std::size_t>(message.block) * message.come.size();
  for (std::size_t i = 0; i < message.come.size() && first + i < come_.size(); ++i)
    merge_word(first + i, message.come[i]);
}

std::vector<ReportMessage> Reports::changes() {
  std::vector<ReportMessage> messages;
  for (const std::int32_t rank : changed_reports_) {
    const auto found = waiting_.find(rank);
    if (failure_ && failure_->rank == rank) {
      messages.emplace_back().report = *failure_;
    } else if (found != waiting_.end()) {  // a lower rank may have replaced it since
      messages.emplace_back().report = found->second;
    }
  }
  messages.resize(std::max(changed_blocks_.size(), messages.size()));
  std::size_t at = 0;
  for (const std::int32_t block : changed_blocks_) {
    ReportMessage& message = messages[at++];
    message.block = block;
    const auto first = static_cast<std::size_t>(block) * message.come.size();
    const std::size_t words = std::min(message.come.size(), come_.size() - first);
    std::copy_n(&come_[first], words, message.come.data());
  }
  changed_blocks_.clear();
  changed_reports_.clear();
  return messages;
}

std::string Reports::text() const {
  std::ostringstream out;
  const auto silent = static_cast<std::size_t>(p_ - count_);
  if (silent == 0) {
    out << "all ranks have come by now, but too late for some";
  } else {
    out << (silent == 1 ? "rank " : "ranks ");
    std::size_t named = 0;
    for (int rank = 0; rank < p_ && named < listed; ++rank) {
      if (!has_come(rank)) out << (named++ == 0 ? "" : ", ") << rank;
    }
    if (silent > listed) out << " and " << silent - listed << " more";
    out << (silent == 1 ? " has" : " have") << " not arrived";
  }
  for (const auto& [rank, report] : waiting_) out << "; rank " << rank << " waits for " << report.text.data();
  const auto more = static_cast<std::size_t>(count_) - waiting_.size();
  if (more > 0) out << "; and " << more << " more ranks wait";
  return out.str();
}

std::vector<int> next_ranks(int rank, int p) {
  std::vector<int> ranks;
  for (std::int64_t distance = 1; distance < p; distance *= 2)
    ranks.push_back(static_cast<int>((rank + distance) % p));
  return ranks;
}

// ---- The alarm ------------------------------------------------------------------------------------
// A rank that waits in vain knows only its own peers, and most of them are waiting as well. The first rank to
// reach the timeout therefore notifies a few others. Each rank inside a call of the library finds that within
// a fraction of a second, adds a description of its own wait, passes everything on, and gives up too
// (Reports). Ranks that have not arrived pass nothing on. After a moment, each rank therefore notifies the
// silent ranks between itself and the next rank that has arrived, so that they know when they do arrive.
// Ranks that are still silent a little later have never arrived. In total this takes p log2(p) messages of
// less than 1 KiB, once, when the job has failed, and otherwise an MPI_Iprobe per 50 ms of waiting.

namespace {

constexpr double time_to_answer = 1.0;      // [s]
constexpr double time_to_pass_on = 0.3;     // after this time, silent ranks are notified one by one [s]
constexpr double between_messages = 0.005;  // to the same rank [s]
constexpr int probes = 8;                   // each may find one message, and others may precede ours
constexpr int few = 64;                     // maximum number of ranks that one rank notifies by itself

// The messages may never be received, so this does not wait for them.
void send(const Communicator& comm, const std::vector<ReportMessage>& messages, const std::vector<int>& to) {
  if (messages.empty() || to.empty()) return;
  const auto kept = std::make_shared<const std::vector<ReportMessage>>(messages);
  keep_for_ever(kept);
  const int tag = alarm_tag(comm.get());
  for (const int peer : to) {
    for (const ReportMessage& message : *kept) {
      MPI_Request request = MPI_REQUEST_NULL;
      // Not to a rank that has died, if MPI knows that.
      if (MPI_Isend(&message, sizeof message, MPI_BYTE, peer, tag, comm.get(), &request) == MPI_SUCCESS)
        check_mpi(MPI_Request_free(&request), "MPI_Request_free");
    }
  }
}

// Take every alarm that has arrived.
void collect(const Communicator& comm, Reports& reports) {
  const int tag = alarm_tag(comm.get());
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

// The silent ranks between this rank and the next one that has arrived.
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

bool give_up(Communicator& comm, const Alarm& alarm) {
  try {
    throw;
  } catch (const Settled&) {
    return false;
  } catch (...) {
    const std::string cause = cause_of_failure();
    if (!cause.empty()) alarm.tell_failure(cause);
    comm.abandon();
    return true;
  }
}

std::string cause_of_failure() {
  try {
    throw;
  } catch (const TimeoutError&) {
    return "";
  } catch (const RankEnded& error) {
    return error.what();
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
  mark();
  const std::vector<int> next = next_ranks(rank, p);
  Reports reports(p);
  reports.add(make_report(rank, false, waits_for));

  const double begin = MPI_Wtime();
  double sent = begin - between_messages;
  bool told_silent = false;
  while (true) {
    // Collect descriptions of the others' waits, and pass them on.
    collect(comm_, reports);
    const double now = MPI_Wtime();
    const bool last = reports.complete() || reports.failure() || now > begin + time_to_answer;
    if (last || now - sent >= between_messages) {
      send(comm_, reports.changes(), next);
      sent = now;
    }
    if (last) break;

    // Notify the ranks that have not arrived.
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
    mark();
    Reports reports(p);
    reports.add(make_report(rank, true, cause));
    std::vector<int> to = next_ranks(rank, p);
    if (p <= few) {
      to.resize(static_cast<std::size_t>(p));
      std::iota(to.begin(), to.end(), 0);
      to.erase(to.begin() + rank);
    }
    send(comm_, reports.changes(), to);
  } catch (...) {  // NOLINT(bugprone-empty-catch): nothing else can be done; they wait until their timeout
  }
}

bool Alarm::raised() const {
  if (given_up_ && !given_up_->load()) return false;
  const int tag = alarm_tag(comm_.get());
  int found = 0;
  for (int probe = 0; probe < probes && found == 0; ++probe)
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_.get(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
  return found != 0;
}

void Alarm::progress() const {
  int found = 0;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, alarm_tag(comm_.get()), comm_.get(), &found, MPI_STATUS_IGNORE),
            "MPI_Iprobe");
}

void Alarm::pass_on() const {
  Reports reports(comm_.size());
  collect(comm_, reports);
  send(comm_, reports.changes(), next_ranks(comm_.rank(), comm_.size()));
}

void Alarm::throw_if_dead() const {
  const std::string dead = text_of_dead(dead_ranks(comm_.get()));
  if (!dead.empty()) throw RankEnded(dead);
}

void Alarm::join_if_raised(const std::function<std::string()>& waits_for) const {
  throw_if_dead();
  if (raised()) raise(waits_for());
}

// ---- Permanently kept memory ----------------------------------------------------------------------

void keep_for_ever(std::shared_ptr<const void> object) {
  // These are never destroyed: messages may arrive until MPI is finalised.
  static auto* const mutex = new std::mutex;
  static auto* const kept = new std::vector<std::shared_ptr<const void>>;
  const std::lock_guard lock(*mutex);
  kept->push_back(std::move(object));
}

}  // namespace sortlast
