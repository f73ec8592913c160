// Messages.
#include "sortlast/execute/mpi/messages.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

// Maximum number of requests passed to one MPI_Testsome(): its cost is proportional to their number, so
// passing all of them for each one that completes would be quadratic.
constexpr std::size_t tested_at_once = 128;

struct Head {
  std::uint64_t bytes = 0;  // of the string without the head
  std::uint32_t number = 0;
  std::uint32_t alone = 0;  // 1: the string follows in separate messages
};
static_assert(sizeof(Head) == string_head_bytes);

// A number of bytes as an MPI count. A count that overflowed would lose pixels, or look like an empty
// message.
int mpi_count(std::size_t bytes) {
  if (bytes > std::size_t{std::numeric_limits<int>::max()})
    throw Error("a message would have " + std::to_string(bytes) + " bytes; expected fewer than 2^31");
  return static_cast<int>(bytes);
}

template <typename List>
void reserve_more(List& list, std::size_t more) {
  if (list.capacity() - list.size() < more) list.reserve(2 * list.capacity() + more);
}

}  // namespace

// ---- Posting --------------------------------------------------------------------------------------

// Nothing may throw once messages are posted, so space for them is reserved before; full vectors double their
// capacity.
void Messages::make_room(int messages) {
  reserve_more(requests_, static_cast<std::size_t>(messages));
  reserve_more(owner_, static_cast<std::size_t>(messages));
}

// Allocate an entry for a chunk; its messages are posted next.
std::size_t Messages::begin(Chunk chunk, bool sent, int messages) {
  if (free_.empty()) {
    reserve_more(posted_, 1);
    free_.reserve(posted_.capacity());
    posted_.emplace_back();
    free_.push_back(posted_.size() - 1);
  }
  make_room(messages);
  const std::size_t place = free_.back();
  free_.pop_back();
  posted_[place] = {};
  posted_[place].done.chunk = chunk;
  posted_[place].done.sent = sent;
  posted_[place].done.posted = trace_clock();
  return place;
}

void Messages::add(std::size_t place, MPI_Request request, bool first) {
  requests_.push_back(request);
  owner_.emplace_back(place, first);
  ++posted_[place].left;
  ++posted_[place].done.messages;
}

void Messages::post_send(std::size_t place, std::span<const std::byte> bytes, int peer, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(bytes.data(), mpi_count(bytes.size()), MPI_BYTE, peer, tag, comm_.get(), &request),
            "MPI_Isend");
  add(place, request, false);
  posted_[place].done.bytes += bytes.size();
}

void Messages::post_receive(std::size_t place, std::span<std::byte> bytes, int peer, int tag, bool first) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(bytes.data(), mpi_count(bytes.size()), MPI_BYTE, peer, tag, comm_.get(), &request),
            "MPI_Irecv");
  add(place, request, first);
}

void Messages::send(Chunk chunk, int peer, std::int32_t tag, const Outgoing& message) {
  const std::size_t place = begin(chunk, true, message.messages);
  posted_[place].memory = message.memory;
  for (int i = 0; i < message.messages; ++i)
    post_send(place, message.planes[static_cast<std::size_t>(i)], peer, tag);
}

void Messages::receive(Chunk chunk, int peer, std::int32_t tag, const Incoming& message) {
  const std::size_t place = begin(chunk, false, message.messages);
  for (int i = 0; i < message.messages; ++i)
    post_receive(place, message.planes[static_cast<std::size_t>(i)], peer, tag, i == 0);
}

// ---- Strings --------------------------------------------------------------------------------------

void Messages::send_string(Chunk chunk, int peer, std::uint32_t number, const Outgoing& string) {
  const auto chunk_bytes = static_cast<std::size_t>(strings_.chunk_bytes);
  const std::span<const std::byte> bytes = string.planes[0];
  const std::size_t after_head = bytes.size() - string_head_bytes;
  const bool alone = after_head > chunk_bytes;
  const Head head{after_head, number, alone ? 1U : 0U};
  std::memcpy(string.head, &head, sizeof head);

  const int rest = alone ? static_cast<int>((after_head + chunk_bytes - 1) / chunk_bytes) : 0;
  const std::size_t place = begin(chunk, true, 1 + rest);
  posted_[place].memory = string.memory;
  posted_[place].done.peer = peer;
  posted_[place].done.number = number;
  post_send(place, alone ? bytes.first(string_head_bytes) : bytes, peer, strings_.head_tag);
  const auto tag = static_cast<int>(number % static_cast<std::uint32_t>(strings_.tag_limit));
  for (std::size_t at = string_head_bytes; alone && at < bytes.size(); at += chunk_bytes)
    post_send(place, bytes.subspan(at, std::min(chunk_bytes, bytes.size() - at)), peer, tag);
}

// Begin to receive the next string that has arrived; returns whether there was one.
bool Messages::find_head() {
  int found = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  check_mpi(MPI_Improbe(MPI_ANY_SOURCE, strings_.head_tag, comm_.get(), &found, &message, &status),
            "MPI_Improbe");
  if (found == 0) return false;
  int count = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  const std::size_t place = begin({}, false, 1);
  Posted& posted = posted_[place];
  posted.done.peer = status.MPI_SOURCE;
  posted.received = pool_->take(std::max(static_cast<std::size_t>(count), string_head_bytes));
  posted.head_only = true;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Imrecv(posted.received.get(), count, MPI_BYTE, &message, &request), "MPI_Imrecv");
  add(place, request, true);
  return true;
}

// The first message of a string has arrived: use it as it is, or receive the rest.
void Messages::read_head(std::size_t place) {
  const auto chunk_bytes = static_cast<std::size_t>(strings_.chunk_bytes);
  Posted& posted = posted_[place];
  posted.head_only = false;
  Head head;
  const std::size_t arrived = posted.done.bytes;
  if (arrived >= sizeof head) std::memcpy(&head, posted.received.get(), sizeof head);
  const bool right = arrived >= sizeof head && head.alone <= 1 &&
                     (head.alone == 1 ? arrived == string_head_bytes && head.bytes > chunk_bytes
                                      : arrived == string_head_bytes + head.bytes);
  if (!right) throw Error("a message of rank " + std::to_string(posted.done.peer) + " has a damaged head");
  posted.done.number = head.number;
  if (head.alone == 0) {
    posted.done.arrival.string = {posted.received.get() + string_head_bytes, head.bytes};
    end(place);
    return;
  }
  posted.received = pool_->take(head.bytes);
  posted.done.arrival.string = {posted.received.get(), head.bytes};
  make_room(static_cast<int>((head.bytes + chunk_bytes - 1) / chunk_bytes));
  const auto tag = static_cast<int>(head.number % static_cast<std::uint32_t>(strings_.tag_limit));
  for (std::size_t at = 0; at < head.bytes; at += chunk_bytes)
    post_receive(place, {posted.received.get() + at, std::min(chunk_bytes, head.bytes - at)},
                 posted.done.peer, tag, false);
}

// ---- Testing --------------------------------------------------------------------------------------

const std::vector<Messages::Done>& Messages::test(bool expecting) {
  done_.clear();
  while (expecting && find_head()) {
  }
  // Test all requests in turn, some at a time, until completed chunks are found.
  for (std::size_t looked_at = 0; looked_at < requests_.size() && done_.empty() && heads_.empty();) {
    if (next_ >= requests_.size()) next_ = 0;
    const std::size_t first = next_;
    const std::size_t count = std::min(tested_at_once, requests_.size() - first);
    looked_at += count;
    const int ended = test_some(first, count);
    take_done(first, ended);
    if (ended > 0) remove_null(first, count);
    next_ = first + count;
  }
  while (!heads_.empty()) {
    const std::size_t place = heads_.back();
    heads_.pop_back();
    read_head(place);
  }
  return done_;
}

// Number of requests that completed; indices_ and statuses_ identify them.
int Messages::test_some(std::size_t first, std::size_t count) {
  indices_.resize(std::max(indices_.size(), count));
  statuses_.resize(std::max(statuses_.size(), count));
  int ended = 0;
  check_mpi(MPI_Testsome(static_cast<int>(count), requests_.data() + first, &ended, indices_.data(),
                         statuses_.data()),
            "MPI_Testsome");
  return ended;
}

// Record the messages that test_some() found, and the chunks with no others under way.
void Messages::take_done(std::size_t first, int count) {
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const auto [place, first_plane] = owner_[first + static_cast<std::size_t>(indices_[index])];
    Posted& posted = posted_[place];
    if (!posted.done.sent) {
      int bytes = 0;
      check_mpi(MPI_Get_count(&statuses_[index], MPI_BYTE, &bytes), "MPI_Get_count");
      posted.done.bytes += static_cast<std::size_t>(bytes);
      if (first_plane) posted.done.arrival.bytes = static_cast<std::size_t>(bytes);
    }
    if (--posted.left > 0) continue;
    if (posted.head_only) {
      heads_.push_back(place);
    } else {
      end(place);
    }
  }
}

// Complete a chunk.
void Messages::end(std::size_t place) {
  Posted& posted = posted_[place];
  posted.memory.reset();
  posted.done.arrival.memory = std::move(posted.received);
  done_.push_back(std::move(posted.done));
  free_.push_back(place);
}

// Fill the gaps among some requests with the last ones.
void Messages::remove_null(std::size_t first, std::size_t count) {
  for (std::size_t i = first + count; i-- > first;) {
    if (requests_[i] != MPI_REQUEST_NULL) continue;
    requests_[i] = requests_.back();
    owner_[i] = owner_.back();
    requests_.pop_back();
    owner_.pop_back();
  }
}

void Messages::abandon() {
  requests_.clear();
  owner_.clear();
}

}  // namespace sortlast
