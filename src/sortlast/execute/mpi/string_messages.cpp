// String messages.
#include "sortlast/execute/mpi/string_messages.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

struct Head {
  std::uint64_t bytes = 0;  // of the string without the head
  std::uint32_t number = 0;
  std::uint32_t alone = 0;  // 1: the string follows in further messages
};
static_assert(sizeof(Head) == StringMessages::head_bytes);

constexpr std::size_t tested_at_once = 128;  // see messages.cpp

}  // namespace

StringMessages::StringMessages(const Communicator& comm, Pool& pool, std::int64_t chunk_bytes,
                               std::int32_t head_tag, std::int32_t tag_limit)
    : comm_(comm),
      pool_(pool),
      chunk_bytes_(static_cast<std::size_t>(chunk_bytes)),
      head_tag_(head_tag),
      tag_limit_(tag_limit) {}

std::size_t StringMessages::new_transfer() {
  if (free_.empty()) {
    transfers_.emplace_back();
    return transfers_.size() - 1;
  }
  const std::size_t place = free_.back();
  free_.pop_back();
  transfers_[place] = {};
  return place;
}

void StringMessages::begin(std::size_t transfer, MPI_Request request) {
  requests_.push_back(request);
  transfer_of_.push_back(transfer);
  ++transfers_[transfer].left;
  ++transfers_[transfer].done.messages;
}

void StringMessages::send(int peer, std::uint32_t number, std::span<std::byte> string,
                          std::shared_ptr<const void> memory, std::size_t index) {
  const std::size_t transfer = new_transfer();
  const std::size_t bytes = string.size() - head_bytes;
  const bool alone = bytes > chunk_bytes_;
  const Head head{bytes, number, alone ? 1U : 0U};
  std::memcpy(string.data(), &head, sizeof head);
  transfers_[transfer].done = {true,         peer, number, index, trace_clock(), 0, {}, std::move(memory),
                               string.size()};

  const auto post = [&](std::size_t begin_at, std::size_t count, int tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(string.data() + begin_at, static_cast<int>(count), MPI_BYTE, peer, tag, comm_.get(),
                        &request),
              "MPI_Isend");
    begin(transfer, request);
  };
  post(0, alone ? head_bytes : string.size(), head_tag_);
  if (!alone) return;
  const auto tag = static_cast<int>(number % static_cast<std::uint32_t>(tag_limit_));
  for (std::size_t at = head_bytes; at < string.size(); at += chunk_bytes_)
    post(at, std::min(chunk_bytes_, string.size() - at), tag);
}

// Begin to receive the next string that has come; returns whether there was one.
bool StringMessages::find_head() {
  int found = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  check_mpi(MPI_Improbe(MPI_ANY_SOURCE, head_tag_, comm_.get(), &found, &message, &status), "MPI_Improbe");
  if (found == 0) return false;
  int count = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  const std::size_t transfer = new_transfer();
  transfers_[transfer].done.peer = status.MPI_SOURCE;
  transfers_[transfer].done.posted = trace_clock();
  transfers_[transfer].done.bytes = static_cast<std::size_t>(count);
  transfers_[transfer].received = pool_.take(std::max(static_cast<std::size_t>(count), head_bytes));
  transfers_[transfer].head_only = true;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Imrecv(transfers_[transfer].received.get(), count, MPI_BYTE, &message, &request),
            "MPI_Imrecv");
  begin(transfer, request);
  return true;
}

// The first message of a string is there: take it as it is, or receive the rest.
void StringMessages::read_head(std::size_t place) {
  Transfer& transfer = transfers_[place];
  transfer.head_only = false;
  Head head;
  const std::size_t came = transfer.done.bytes;
  if (came >= sizeof head) std::memcpy(&head, transfer.received.get(), sizeof head);
  const bool right =
      came >= sizeof head && head.alone <= 1 &&
      (head.alone == 1 ? came == head_bytes && head.bytes > chunk_bytes_ : came == head_bytes + head.bytes);
  if (!right) throw Error("a message of rank " + std::to_string(transfer.done.peer) + " has a damaged head");
  transfer.done.number = head.number;
  if (head.alone == 0) {
    transfer.done.string = {transfer.received.get() + head_bytes, head.bytes};
    return;
  }
  transfer.received = pool_.take(head.bytes);
  transfer.done.string = {transfer.received.get(), head.bytes};
  transfer.done.bytes += head.bytes;
  const auto tag = static_cast<int>(head.number % static_cast<std::uint32_t>(tag_limit_));
  for (std::size_t at = 0; at < head.bytes; at += chunk_bytes_) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(
        MPI_Irecv(transfer.received.get() + at, static_cast<int>(std::min(chunk_bytes_, head.bytes - at)),
                  MPI_BYTE, transfer.done.peer, tag, comm_.get(), &request),
        "MPI_Irecv");
    begin(place, request);
  }
}

const std::vector<StringMessages::Done>& StringMessages::test(bool expecting) {
  done_.clear();
  while (expecting && find_head()) {
  }
  std::vector<std::size_t> heads;
  for (std::size_t first = 0; first < requests_.size(); first += tested_at_once) {
    const std::size_t count = std::min(tested_at_once, requests_.size() - first);
    indices_.resize(count);
    int ended = 0;
    check_mpi(MPI_Testsome(static_cast<int>(count), requests_.data() + first, &ended, indices_.data(),
                           MPI_STATUSES_IGNORE),
              "MPI_Testsome");
    for (int i = 0; i < ended; ++i) {
      const std::size_t place =
          transfer_of_[first + static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])];
      Transfer& transfer = transfers_[place];
      if (--transfer.left > 0) continue;
      if (transfer.head_only) {
        heads.push_back(place);
      } else {
        if (!transfer.done.sent) transfer.done.memory = std::move(transfer.received);
        done_.push_back(std::move(transfer.done));
        free_.push_back(place);
      }
    }
  }

  // Close the gaps among the requests.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[i];
    transfer_of_[kept++] = transfer_of_[i];
  }
  requests_.resize(kept);
  transfer_of_.resize(kept);

  // Go on with the strings whose first message is there.
  for (const std::size_t place : heads) {
    read_head(place);
    if (transfers_[place].left > 0) continue;
    transfers_[place].done.memory = std::move(transfers_[place].received);
    done_.push_back(std::move(transfers_[place].done));
    free_.push_back(place);
  }
  return done_;
}

void StringMessages::abandon() {
  requests_.clear();
  transfer_of_.clear();
}

}  // namespace sortlast
