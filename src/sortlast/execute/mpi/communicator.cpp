// The library's own communicators.
//
// A collective call on the user's communicator cannot be cancelled: if a rank abandoned MPI_Comm_idup and
// called it again, its second call would match the first call of a late rank, and every later collective,
// including the user's, would match the wrong one. An abandoned call therefore stays with the communicator,
// as an attribute, and the next attempt resumes it. All ranks have then made the same calls.
//
// Ranks may still be in different attempts: the early ones have abandoned an attempt in which the late one
// now waits in vain. After the copy is made, all ranks therefore meet on it. A rank that gives up there
// raises the alarm. A rank that resumes that copy later finds the alarm, drops the copy, and proceeds to the
// next.
//
// Ranks that have not destroyed their copy may still wait for a rank that has. If that rank freed it, MPI
// could reuse its number for a later communicator, which would then receive their messages. A copy is
// therefore freed only once all of its ranks have destroyed it. They find that out when they make the next
// copy, at which all of them are present: its first rank lists the copies of the same ranks that it has
// destroyed, and all free the ones that none uses any more.
//
// Rejected: messages that announce each destruction, because some rank would have to look for them later.
// Rejected: a barrier at destruction, which deadlocks if garbage collection destroys objects in any order.
#include "sortlast/execute/mpi/communicator.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/mpi/wait.hpp"

namespace sortlast {
namespace {

// An MPI_Comm_idup under way.
struct Pending {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
};

// MPI calls this when the attribute is deleted, at the latest with the communicator. If the request is still
// under way, MPI completes it later and writes the copy's handle, so that memory is never released.
int forget(MPI_Comm, int, void* attribute, void*) {
  auto* const pending = static_cast<Pending*>(attribute);
  if (pending->request == MPI_REQUEST_NULL) delete pending;
  return MPI_SUCCESS;
}

// Key of the attribute that holds a communicator's Pending.
int pending_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr),
              "MPI_Comm_create_keyval");
    return made;
  }();
  return key;
}

// The pending call left by an earlier attempt, or null.
Pending* find_pending(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, pending_key(), &value, &found), "MPI_Comm_get_attr");
  return found == 0 ? nullptr : static_cast<Pending*>(value);
}

// Begin a copy, and attach it to the communicator.
Pending* begin_copy(MPI_Comm comm) {
  auto pending = std::make_unique<Pending>();
  check_mpi(MPI_Comm_set_attr(comm, pending_key(), pending.get()), "MPI_Comm_set_attr");
  Pending* const left = pending.release();
  const int code = MPI_Comm_idup(comm, &left->copy, &left->request);
  if (code != MPI_SUCCESS) MPI_Comm_delete_attr(comm, pending_key());
  check_mpi(code, "MPI_Comm_idup");
  return left;
}

// Wait until a copy is made; until then the communicator keeps it.
void finish_copy(Pending& pending, double timeout, const char* call, const std::function<void()>& interrupt) {
  constexpr double between_interrupts = 0.05;  // [s]
  const double begin = MPI_Wtime();
  double next_interrupt = begin + between_interrupts;
  for (int done = 0, polls = 0;; ++polls) {
    check_mpi(MPI_Test(&pending.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    const double now = MPI_Wtime();
    if (now - begin > timeout) {
      std::ostringstream limit;
      limit << timeout;
      throw TimeoutError(std::string("making a ") + call +
                         ": not all ranks of the communicator made one within " + limit.str() +
                         " s. It may be tried again on the same communicator.");
    }
    if (interrupt && now > next_interrupt) {
      next_interrupt = now + between_interrupts;
      interrupt();
    }
    yield_core(polls);
  }
}

// ---- Copies that this process has destroyed -------------------------------------------------------

class Destroyed {
 public:
  static Destroyed& of_this_process() {
    static auto* const all = new Destroyed;  // objects destroyed at exit may still use it
    return *all;
  }

  void add(std::uint64_t id, MPI_Comm comm) {
    const std::scoped_lock lock(mutex_);
    comms_.emplace(id, comm);
  }
  bool has(std::uint64_t id) {
    const std::scoped_lock lock(mutex_);
    return comms_.count(id) > 0;
  }
  // MPI_COMM_NULL if there is none.
  MPI_Comm take(std::uint64_t id) {
    const std::scoped_lock lock(mutex_);
    const auto found = comms_.find(id);
    return found == comms_.end() ? MPI_COMM_NULL : comms_.extract(found).mapped();
  }
  // The copies with the same ranks as `comm`.
  std::map<std::uint64_t, MPI_Comm> take_those_of_ranks(MPI_Comm comm) {
    const std::scoped_lock lock(mutex_);
    std::map<std::uint64_t, MPI_Comm> taken;
    for (auto each = comms_.begin(); each != comms_.end();) {
      int relation = MPI_UNEQUAL;
      check_mpi(MPI_Comm_compare(each->second, comm, &relation), "MPI_Comm_compare");
      const auto next = std::next(each);
      if (relation != MPI_UNEQUAL) taken.insert(comms_.extract(each));
      each = next;
    }
    return taken;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, MPI_Comm> comms_;  // by id
};

std::uint64_t new_id() {
  static std::mutex mutex;
  static std::mt19937_64 random{std::random_device{}()};
  const std::scoped_lock lock(mutex);
  return random() | 1;
}

// Collective: free the copies of the ranks of `copy` that all of them have destroyed. Returns the id of
// `copy`.
std::uint64_t free_destroyed(const Communicator& copy, const Alarm& alarm, const WaitsFor& waits_for) {
  Destroyed& all = Destroyed::of_this_process();
  const bool first = copy.rank() == 0;
  std::map<std::uint64_t, MPI_Comm> named;
  if (first) named = all.take_those_of_ranks(copy.get());
  struct {
    std::uint64_t own;
    std::uint64_t named;
  } told{new_id(), named.size()};
  told = broadcast(copy, alarm, waits_for, told);
  if (told.named == 0) return told.own;

  // Find the copies that every rank has destroyed.
  std::vector<std::uint64_t> ids;
  for (const auto& [id, comm] : named) ids.push_back(id);
  ids.resize(told.named);
  detail::broadcast(copy, alarm, waits_for, ids.data(), ids.size() * sizeof ids[0], 0);
  std::vector<std::uint64_t> here;
  for (const std::uint64_t id : ids) here.push_back(first || all.has(id) ? 1 : 0);
  const std::vector<std::uint64_t> everywhere = all_least(copy, alarm, waits_for, here);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (everywhere[i] != 0) {
      MPI_Comm comm = first ? named[ids[i]] : all.take(ids[i]);
      check_mpi(MPI_Comm_free(&comm), "MPI_Comm_free");
    } else if (first) {
      all.add(ids[i], named[ids[i]]);
    }
  }
  return told.own;
}

// Wait until all ranks have arrived at the copy. Returns false if one of them has abandoned it before;
// `taken_up`: this rank did, and has resumed it.
bool meet(Communicator& copy, bool taken_up, double timeout, const char* call,
          const std::function<void()>& interrupt) {
  const Alarm alarm(copy, timeout, interrupt);
  MPI_Request request = MPI_REQUEST_NULL;
  try {
    Backoff backoff(alarm, all_ranks_to_call(call));
    check_mpi(MPI_Ibarrier(copy.get(), &request), "MPI_Ibarrier");
    while (true) {
      int done = 0;
      check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (taken_up && alarm.raised()) break;  // checked first: ranks that gave up have entered the barrier
      if (done != 0) {
        copy = Communicator(copy.abandon(), free_destroyed(copy, alarm, all_ranks_to_call(call)));
        return true;
      }
      backoff.pause();
    }
    alarm.pass_on();
  } catch (...) {
    give_up(copy, alarm);
    throw;
  }
  copy.abandon();
  return false;
}

}  // namespace

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw MpiError(std::string(what) + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
}

void check_mpi_is_there(const char* call) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised == 0)
    throw ArgumentError(std::string("MPI is not initialised; call MPI_Init before making a ") + call);
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised != 0)
    throw UsageError(std::string(call) + " was called after MPI_Finalize; expected all calls before");
}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(id_, other.id_);
  std::swap(process_, other.process_);
  return *this;
}

Communicator::~Communicator() {
  if (comm_ == MPI_COMM_NULL || process_ != this_process()) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0 || id_ == 0) return;
  try {
    Destroyed::of_this_process().add(id_, comm_);
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory to record it: it is kept
  }
}

void Communicator::free() {
  if (comm_ != MPI_COMM_NULL) check_mpi(MPI_Comm_free(&comm_), "MPI_Comm_free");
}

int Communicator::rank() const {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  return rank;
}

int Communicator::size() const {
  int size = 0;
  check_mpi(MPI_Comm_size(comm_, &size), "MPI_Comm_size");
  return size;
}

Communicator duplicate(MPI_Comm comm, double timeout, const char* call,
                       const std::function<void()>& interrupt) {
  check_mpi_is_there(call);
  if (comm == MPI_COMM_NULL)
    throw ArgumentError("the communicator is MPI_COMM_NULL; expected one that this rank is part of");
  int between_groups = 0;
  check_mpi(MPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  if (between_groups != 0)
    throw ArgumentError("the communicator is an intercommunicator; expected an intracommunicator");

  while (true) {
    // Make a copy, or resume the copy of an earlier attempt.
    Pending* pending = find_pending(comm);
    const bool taken_up = pending != nullptr;
    if (!taken_up) pending = begin_copy(comm);
    finish_copy(*pending, timeout, call, interrupt);

    // Detach it from the user's communicator.
    Communicator copy(pending->copy);
    check_mpi(MPI_Comm_delete_attr(comm, pending_key()), "MPI_Comm_delete_attr");
    check_mpi(MPI_Comm_set_errhandler(copy.get(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    if (meet(copy, taken_up, timeout, call, interrupt)) return copy;
  }
}

int alarm_tag(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
  return found == 0 ? 32767 : *static_cast<int*>(value);
}

int rendezvous_tag(MPI_Comm comm, int kind) { return alarm_tag(comm) - 1 - kind; }

int tag_limit(MPI_Comm comm) { return alarm_tag(comm) - 5; }

}  // namespace sortlast
