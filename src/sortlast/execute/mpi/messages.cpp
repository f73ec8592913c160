// Messages: chunks of pixels as MPI requests.
#include "sortlast/execute/mpi/messages.hpp"

#include <algorithm>
#include <limits>

#include "sortlast/timing.hpp"

namespace sortlast {

std::int64_t Messages::most_pixels(const Format& format) {
  return std::numeric_limits<int>::max() /
         static_cast<std::int64_t>(std::max(format.colour_bytes(), sizeof(float)));
}

// A place for a chunk whose messages are posted next. Nothing may throw once they are.
std::size_t Messages::begin(Chunk chunk, bool sent, int messages) {
  if (free_.empty()) {
    free_.reserve(posted_.size() + 1);
    posted_.emplace_back();
    free_.push_back(posted_.size() - 1);
  }
  requests_.reserve(requests_.size() + static_cast<std::size_t>(messages));
  owner_.reserve(requests_.capacity());
  const std::size_t place = free_.back();
  free_.pop_back();
  posted_[place] = {{chunk, sent, trace_clock(), 0, 0, messages}, messages, {}};
  return place;
}

void Messages::add(std::size_t place, MPI_Request request, bool colour) {
  requests_.push_back(request);
  owner_.emplace_back(place, colour);
}

void Messages::send(Chunk chunk, int peer, std::int32_t tag, const Outgoing& parcel) {
  const std::size_t place = begin(chunk, true, parcel.format.depth ? 2 : 1);
  posted_[place].memory = parcel.memory;
  const auto post = [&](const void* memory, std::size_t bytes, bool colour) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(memory, static_cast<int>(bytes), MPI_BYTE, peer, tag, comm_.get(), &request),
              "MPI_Isend");
    add(place, request, colour);
    posted_[place].done.bytes += bytes;
  };
  post(parcel.pixels.colour, parcel.colour_bytes(), true);
  posted_[place].done.colour_bytes = parcel.colour_bytes();
  if (parcel.format.depth) post(parcel.pixels.depth, parcel.depth_bytes(), false);
}

void Messages::receive(Chunk chunk, int peer, std::int32_t tag, const Incoming& parcel) {
  const std::size_t place = begin(chunk, false, parcel.format.depth ? 2 : 1);
  const auto count = static_cast<std::size_t>(parcel.count);
  const auto post = [&](void* memory, std::size_t bytes, bool colour) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Irecv(memory, static_cast<int>(bytes), MPI_BYTE, peer, tag, comm_.get(), &request),
              "MPI_Irecv");
    add(place, request, colour);
  };
  post(parcel.room.colour, count * parcel.format.colour_bytes(), true);
  if (parcel.format.depth) post(parcel.room.depth, count * sizeof(float), false);
}

const std::vector<Messages::Done>& Messages::test() {
  done_.clear();
  if (requests_.empty()) return done_;
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int count = 0;
  check_mpi(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, indices_.data(),
                         statuses_.data()),
            "MPI_Testsome");
  if (count <= 0) return done_;
  for (int i = 0; i < count; ++i) {
    const auto [place, colour] = owner_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])];
    Posted& posted = posted_[place];
    if (!posted.done.sent) {
      int bytes = 0;
      check_mpi(MPI_Get_count(&statuses_[static_cast<std::size_t>(i)], MPI_BYTE, &bytes), "MPI_Get_count");
      posted.done.bytes += static_cast<std::size_t>(bytes);
      if (colour) posted.done.colour_bytes = static_cast<std::size_t>(bytes);
    }
    if (--posted.left > 0) continue;
    posted.memory.reset();
    done_.push_back(posted.done);
    free_.push_back(place);
  }

  // Close the gaps.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[i];
    owner_[kept] = owner_[i];
    ++kept;
  }
  requests_.resize(kept);
  owner_.resize(kept);
  return done_;
}

void Messages::abandon() {
  requests_.clear();
  owner_.clear();
}

}  // namespace sortlast
