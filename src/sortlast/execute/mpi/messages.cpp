// Messages: chunks of pixels as MPI requests.
#include "sortlast/execute/mpi/messages.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

// Most requests that one MPI_Testsome() looks at: it costs as many steps as it is given requests, so to give
// it all of them for each one that ends would cost their number squared.
constexpr std::size_t tested_at_once = 128;

// Bytes as MPI counts them. A count that wrapped around would lose pixels, or pass for a message without any.
int mpi_count(std::size_t bytes) {
  if (bytes > std::size_t{std::numeric_limits<int>::max()})
    throw Error("a message would have " + std::to_string(bytes) + " bytes; expected fewer than 2^31");
  return static_cast<int>(bytes);
}

}  // namespace

// A place for a chunk whose messages are posted next. Nothing may throw once they are, so that there is room
// for them before; vectors that are full grow to twice their size.
std::size_t Messages::begin(Chunk chunk, bool sent, int messages) {
  const auto make_room = [](auto& list, std::size_t more) {
    if (list.capacity() - list.size() < more) list.reserve(2 * list.capacity() + more);
  };
  if (free_.empty()) {
    make_room(posted_, 1);
    free_.reserve(posted_.capacity());
    posted_.emplace_back();
    free_.push_back(posted_.size() - 1);
  }
  make_room(requests_, static_cast<std::size_t>(messages));
  make_room(owner_, static_cast<std::size_t>(messages));
  const std::size_t place = free_.back();
  free_.pop_back();
  posted_[place] = {{chunk, sent, trace_clock(), 0, 0, messages}, messages, {}};
  return place;
}

void Messages::add(std::size_t place, MPI_Request request, bool colour) {
  requests_.push_back(request);
  owner_.emplace_back(place, colour);
}

void Messages::send(Chunk chunk, int peer, std::int32_t tag, const Outgoing& message) {
  const std::size_t place = begin(chunk, true, message.format.depth ? 2 : 1);
  posted_[place].memory = message.memory;
  const auto post = [&](const void* memory, std::size_t bytes, bool colour) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(memory, mpi_count(bytes), MPI_BYTE, peer, tag, comm_.get(), &request), "MPI_Isend");
    add(place, request, colour);
    posted_[place].done.bytes += bytes;
  };
  post(message.pixels.colour, message.colour_bytes(), true);
  posted_[place].done.colour_bytes = message.colour_bytes();
  if (message.format.depth) post(message.pixels.depth, message.depth_bytes(), false);
}

void Messages::receive(Chunk chunk, int peer, std::int32_t tag, const Incoming& message) {
  const std::size_t place = begin(chunk, false, message.format.depth ? 2 : 1);
  const auto count = static_cast<std::size_t>(message.count);
  const auto post = [&](void* memory, std::size_t bytes, bool colour) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Irecv(memory, mpi_count(bytes), MPI_BYTE, peer, tag, comm_.get(), &request), "MPI_Irecv");
    add(place, request, colour);
  };
  post(message.room.colour, count * message.format.colour_bytes(), true);
  if (message.format.depth) post(message.room.depth, count * sizeof(float), false);
}

const std::vector<Messages::Done>& Messages::test() {
  done_.clear();
  // Go round all requests, some at a time, until chunks are found that are through.
  for (std::size_t looked_at = 0; looked_at < requests_.size() && done_.empty();) {
    if (next_ >= requests_.size()) next_ = 0;
    const std::size_t first = next_;
    const std::size_t count = std::min(tested_at_once, requests_.size() - first);
    looked_at += count;
    const int ended = test_some(first, count);
    take_done(first, ended);
    if (ended > 0) remove_null(first, count);
    next_ = first + count;
  }
  return done_;
}

// How many of the requests ended; indices_ and statuses_ tell which.
int Messages::test_some(std::size_t first, std::size_t count) {
  indices_.resize(std::max(indices_.size(), count));
  statuses_.resize(std::max(statuses_.size(), count));
  int ended = 0;
  check_mpi(MPI_Testsome(static_cast<int>(count), requests_.data() + first, &ended, indices_.data(),
                         statuses_.data()),
            "MPI_Testsome");
  return ended;
}

// Take down the messages that test_some() found, and the chunks that have no others under way.
void Messages::take_done(std::size_t first, int count) {
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const auto [place, colour] = owner_[first + static_cast<std::size_t>(indices_[index])];
    Posted& posted = posted_[place];
    if (!posted.done.sent) {
      int bytes = 0;
      check_mpi(MPI_Get_count(&statuses_[index], MPI_BYTE, &bytes), "MPI_Get_count");
      posted.done.bytes += static_cast<std::size_t>(bytes);
      if (colour) posted.done.colour_bytes = static_cast<std::size_t>(bytes);
    }
    if (--posted.left > 0) continue;
    posted.memory.reset();
    done_.push_back(posted.done);
    free_.push_back(place);
  }
}

// Close the gaps among some requests with the last ones of all.
void Messages::remove_null(std::size_t first, std::size_t count) {
  for (std::size_t i = first + count; i-- > first;) {
    if (requests_[i] != MPI_REQUEST_NULL) continue;
    requests_[i] = requests_.back();
    owner_[i] = owner_.back();
    requests_.pop_back();
    owner_.pop_back();
  }
}

std::vector<std::pair<Chunk, int>> Messages::stop_receiving(const Alarm& alarm) {
  // Cancel those of a tag from the last to the first, so that no message is taken for a later one.
  std::vector<std::size_t> receives;
  for (std::size_t i = 0; i < requests_.size(); ++i)
    if (!posted_[owner_[i].first].done.sent) receives.push_back(i);
  const auto place_in_transfer = [this](std::size_t request) {
    const auto [place, colour] = owner_[request];
    return std::pair(posted_[place].done.chunk.number, !colour);
  };
  std::sort(receives.begin(), receives.end(), [&](std::size_t one, std::size_t other) {
    return place_in_transfer(one) > place_in_transfer(other);
  });
  for (const std::size_t i : receives) check_mpi(MPI_Cancel(&requests_[i]), "MPI_Cancel");

  // Those that have begun to come could not be.
  std::vector<std::pair<Chunk, int>> all;
  for (const std::size_t i : receives) {
    const std::size_t place = owner_[i].first;
    Posted& posted = posted_[place];
    Backoff backoff(alarm, [] { return std::string("messages of a call that failed"); });
    MPI_Status status;
    for (int done = 0; done == 0;) {
      check_mpi(MPI_Test(&requests_[i], &done, &status), "MPI_Test");
      if (done == 0) backoff.pause();
    }
    int cancelled = 0;
    check_mpi(MPI_Test_cancelled(&status, &cancelled), "MPI_Test_cancelled");
    if (cancelled != 0) --posted.done.messages;
    if (--posted.left > 0) continue;
    all.emplace_back(posted.done.chunk, posted.done.messages);
    free_.push_back(place);
  }
  remove_null(0, requests_.size());
  return all;
}

void Messages::abandon() {
  requests_.clear();
  owner_.clear();
}

}  // namespace sortlast
