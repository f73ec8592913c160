// Failure: ranks that have waited too long, or failed in a call, raise an alarm. It informs all ranks which
// ranks have arrived, what each waits for and which call failed; and all of them throw.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/communicator.hpp"

namespace sortlast {

// One rank's report about itself.
struct Report {
  std::int32_t rank = -1;   // -1: none
  std::int32_t failed = 0;  // 1: its call failed, and `text` says why; 0: `text` says what it waits for
  std::array<char, 192> text{};
};

// A message: a report, and the ranks of one block that have arrived. Small enough for MPI to send it eagerly,
// so that it arrives even if its sender makes no further MPI call.
struct ReportMessage {
  static constexpr int block_ranks = 4096;

  Report report;
  std::int32_t block = -1;  // of block_ranks ranks each; -1: none
  std::array<std::uint64_t, block_ranks / 64> come{};
};
static_assert(sizeof(ReportMessage) == 720);  // python/sortlast/_native.py makes one

// One rank's knowledge of all ranks. It keeps the reports of the few lowest ranks, and one bit for each of
// the p ranks.
class Reports {
 public:
  static constexpr std::size_t listed = 8;  // maximum number of ranks named one by one in a text

  explicit Reports(int p) : p_(p), come_(static_cast<std::size_t>(p + 63) / 64) {}

  void add(const Report& report);
  void merge(const ReportMessage& message);
  // The news since the last call; empty: none.
  std::vector<ReportMessage> changes();

  bool has_come(int rank) const { return (come_[word_of(rank)] >> (rank % 64) & 1) != 0; }
  bool complete() const { return count_ == p_; }
  // The report of the lowest rank with a failed call.
  const std::optional<Report>& failure() const { return failure_; }

  // "rank 2 has not arrived; rank 0 waits for ...; rank 1 waits for ..."
  std::string text() const;

 private:
  static std::size_t word_of(int rank) { return static_cast<std::size_t>(rank) / 64; }
  void merge_word(std::size_t word, std::uint64_t bits);

  int p_;
  int count_ = 0;
  std::vector<std::uint64_t> come_;
  std::map<std::int32_t, Report> waiting_;  // of the lowest ranks
  std::optional<Report> failure_;
  std::set<std::int32_t> changed_blocks_;
  std::set<std::int32_t> changed_reports_;
};

Report make_report(int rank, bool failed, const std::string& text);

// The ranks to which a rank passes on its news: rank + 1, + 2, + 4, ... mod p. If all listen, all news
// reaches every rank after about 2 log2(p) steps, in each of which a rank sends at most log2(p) messages per
// block with news. If many do not listen, the others are still likely to be connected.
std::vector<int> next_ranks(int rank, int p);

// The cause of a failed call, for the other ranks: text of the exception that is being handled. Empty for a
// TimeoutError or RemoteError, because they know its cause.
std::string cause_of_failure();

// An error that other ranks need not be notified of: every rank of the call throws the same one, or this rank
// has begun nothing that others wait for. All other exceptions concern a single rank, whatever their type.
struct Settled {
  bool closes = false;  // the compositor on every rank, as messages are still under way
};
// A settled error with a type known to the caller.
template <typename Type>
class SettledError : public Type, public Settled {
 public:
  explicit SettledError(const std::string& text, Settled settled = {}) : Type(text), Settled(settled) {}
};

// Run an action that does not communicate and that every rank runs with the same values: its ArgumentErrors
// and MismatchErrors are settled.
template <typename Action>
auto settled(const Action& action) {
  try {
    return action();
  } catch (const Settled&) {
    throw;
  } catch (const MismatchError& error) {
    throw SettledError<MismatchError>(error.what());
  } catch (const ArgumentError& error) {
    throw SettledError<ArgumentError>(error.what());
  }
}

class Alarm {
 public:
  // Alarms travel on `comm` with a reserved tag. `limit` [s]: the longest wait without any progress.
  // `interrupt`, if not empty, may throw to end a wait.
  Alarm(const Communicator& comm, double limit, std::function<void()> interrupt)
      : comm_(comm), limit_(limit), interrupt_(std::move(interrupt)) {}

  double limit() const { return limit_; }
  void set_limit(double seconds) { limit_ = seconds; }

  // Whether a rank that has waited long also sleeps long between two polls of MPI, because others need its
  // core. True until it is known to have its own core.
  bool sleeps_long() const { return sleeps_long_; }
  void sleep_briefly() { sleeps_long_ = false; }

  // A flag in memory shared by all ranks of `comm`, which are on one machine: from now on it is set before an
  // alarm is sent, so that no rank polls MPI for alarms until then. A poll costs 0.4 to 0.6 ms if MPI sleeps
  // between polls (MPIR_CVAR_CH4_PROGRESS_THROTTLE).
  void mark_in(std::shared_ptr<std::atomic<bool>> given_up) { given_up_ = std::move(given_up); }

  // Notify all other ranks that this one gives up, collect their descriptions of what they wait for, and
  // throw a TimeoutError that names the silent ranks, or a RemoteError if the call of a rank has failed.
  // `waits_for` completes "rank r waits for ...".
  [[noreturn]] void raise(const std::string& waits_for) const;

  // Notify the other ranks that this one's call has failed, without waiting for them. They throw a
  // RemoteError that names this rank and the cause.
  void tell_failure(const std::string& cause) const noexcept;

  // Whether another rank has raised an alarm.
  bool raised() const;
  // Let MPI progress messages that are complete for this rank but not for others: some need both ends, and a
  // rank that sleeps in shared memory does not poll.
  void progress() const;
  // Pass on the alarms that have arrived, without joining them.
  void pass_on() const;
  // Throws RankEnded, which names the ranks, if MPI knows of ranks that have died.
  void throw_if_dead() const;
  // Join the alarm if another rank has raised one or has died; otherwise return.
  void join_if_raised(const std::function<std::string()>& waits_for) const;

  void interrupt() const {
    if (interrupt_) interrupt_();
  }

 private:
  void mark() const {
    if (given_up_) given_up_->store(true);
  }

  const Communicator& comm_;
  double limit_;
  bool sleeps_long_ = true;
  std::function<void()> interrupt_;
  std::shared_ptr<std::atomic<bool>> given_up_;
};

// In the handler of an exception: notify the others of its cause, unless it is settled, and abandon the
// communicator, because messages may be under way on it. Returns whether it did so.
bool give_up(Communicator& comm, const Alarm& alarm);

// Never release `object`. Requests under way on a communicator on which not all ranks have arrived can
// neither be completed nor safely cancelled, so their buffers must stay valid until the process ends.
void keep_for_ever(std::shared_ptr<const void> object);

}  // namespace sortlast
