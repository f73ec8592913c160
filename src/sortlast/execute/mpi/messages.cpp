// Messages: the transfers of a run as MPI requests.
#include "sortlast/execute/mpi/messages.hpp"

#include <algorithm>

namespace sortlast {
namespace {

constexpr std::int64_t most_pixels = std::int64_t{1} << 30;  // in one message

std::int64_t chunks(std::int64_t count) {
  return std::max<std::int64_t>(1, (count + most_pixels - 1) / most_pixels);
}

}  // namespace

Messages::~Messages() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  for (auto& [bytes, type] : types_) MPI_Type_free(&type);
}

std::int64_t Messages::tags(const Format& format, std::int64_t count) {
  return chunks(count) * (format.depth ? 2 : 1);
}

MPI_Datatype Messages::pixel_type(std::size_t bytes) {
  const auto found =
      std::find_if(types_.begin(), types_.end(), [bytes](const auto& known) { return known.first == bytes; });
  if (found != types_.end()) return found->second;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type), "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
  types_.emplace_back(bytes, type);
  return type;
}

// Post the messages of one transfer: post_one(memory, pixels, type, number, request).
template <typename View, typename Post>
void Messages::post(std::size_t transfer, bool sending, const Parcel& parcel, const View& pixels,
                    Post post_one) {
  if (free_.empty()) {
    free_.push_back(transfers_.size());
    transfers_.emplace_back();
  }
  const std::size_t place = free_.back();
  free_.pop_back();
  transfers_[place] = {transfer, sending, 0, 0};

  const MPI_Datatype colour_type = pixel_type(parcel.format.colour_bytes());
  const std::int64_t messages = tags(parcel.format, parcel.count) / (parcel.format.depth ? 2 : 1);
  std::int32_t number = 0;
  requests_.reserve(requests_.size() +
                    2 * static_cast<std::size_t>(messages));  // nothing may throw once posted
  owner_.reserve(requests_.capacity());
  const auto add = [&](auto* memory, std::int64_t count, MPI_Datatype type) {
    MPI_Request request = MPI_REQUEST_NULL;
    post_one(memory, static_cast<int>(count), type, number++, &request);
    requests_.push_back(request);
    owner_.push_back(place);
    ++transfers_[place].left;
  };
  for (std::int64_t chunk = 0; chunk < messages; ++chunk) {
    const std::int64_t begin = chunk * most_pixels;
    const std::int64_t count = parcel.absent ? 0 : std::min(most_pixels, parcel.count - begin);
    const auto part = parcel.absent ? View{} : advance(pixels, parcel.format, begin);
    add(part.colour, count, colour_type);
    if (parcel.format.depth) add(part.depth, count, MPI_FLOAT);
  }
}

void Messages::send(std::size_t transfer, int peer, std::int32_t tag, const Outgoing& parcel) {
  post(transfer, true, parcel, parcel.pixels,
       [&](const void* memory, int count, MPI_Datatype type, std::int32_t number, MPI_Request* request) {
         check_mpi(MPI_Isend(memory, count, type, peer, tag + number, comm_.get(), request), "MPI_Isend");
       });
}

void Messages::receive(std::size_t transfer, int peer, std::int32_t tag, const Incoming& parcel) {
  post(transfer, false, parcel, parcel.pixels,
       [&](void* memory, int count, MPI_Datatype type, std::int32_t number, MPI_Request* request) {
         check_mpi(MPI_Irecv(memory, count, type, peer, tag + number, comm_.get(), request), "MPI_Irecv");
       });
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
    const auto index = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
    Transfer& transfer = transfers_[owner_[index]];
    if (!transfer.sending) {
      int bytes = 0;
      check_mpi(MPI_Get_elements(&statuses_[static_cast<std::size_t>(i)], MPI_BYTE, &bytes),
                "MPI_Get_elements");
      transfer.received += bytes == MPI_UNDEFINED ? 1 : bytes;
    }
    if (--transfer.left == 0) {
      done_.push_back({transfer.name, transfer.sending, !transfer.sending && transfer.received == 0});
      free_.push_back(owner_[index]);
    }
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
