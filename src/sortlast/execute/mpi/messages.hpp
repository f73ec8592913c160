// Messages: the transfers of a run as MPI requests.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/execute/mpi/call.hpp"
#include "sortlast/execute/run.hpp"

namespace sortlast {

// Posts stretches of pixels as messages and tells when they are through. A transfer is one message for
// colour, one for depth if there is any, and more where a message would pass 2^30 pixels (MPI counts are
// 32 bits wide).
class Messages {
 public:
  explicit Messages(const Communicator& comm) : comm_(comm) {}
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  ~Messages();

  // How many tags a transfer of `count` pixels of a format takes, from the first on.
  static std::int64_t tags(const Format& format, std::int64_t count);

  // `transfer` is the caller's name for it. Tags from `tag` on; the other end uses the same. An absent
  // parcel is sent as messages without pixels.
  void send(std::size_t transfer, int peer, std::int32_t tag, const Outgoing& parcel);
  void receive(std::size_t transfer, int peer, std::int32_t tag, const Incoming& parcel);

  struct Done {
    std::size_t transfer = 0;
    bool sent = false;  // else received
    bool absent = false;
  };
  // Transfers that are through since the last call; valid until the next one.
  const std::vector<Done>& test();

  bool idle() const { return requests_.empty(); }
  // Forget what is under way; its memory must stay.
  void abandon();

 private:
  struct Transfer {
    std::size_t name = 0;
    bool sending = false;
    std::int32_t left = 0;      // messages under way
    std::int64_t received = 0;  // bytes
  };

  template <typename View, typename Post>
  void post(std::size_t transfer, bool sending, const Parcel& parcel, const View& pixels, Post post_one);
  MPI_Datatype pixel_type(std::size_t bytes);

  const Communicator& comm_;
  std::vector<MPI_Request> requests_;
  std::vector<std::size_t> owner_;  // request -> transfer
  std::vector<Transfer> transfers_;
  std::vector<std::size_t> free_;  // places in transfers_ to use again
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Done> done_;
  std::vector<std::pair<std::size_t, MPI_Datatype>> types_;
};

}  // namespace sortlast
