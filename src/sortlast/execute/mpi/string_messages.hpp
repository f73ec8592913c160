// String messages: byte strings whose size the receiver does not know beforehand, as MPI requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/execute/run/pool.hpp"

namespace sortlast {

// A string of up to `chunk_bytes` travels in one message behind a head that tells its size. Of a longer one
// the first message is the head alone; the rest follows in messages of `chunk_bytes`, received where they
// belong. Heads are matched as they come, from any rank (matched probes), so that nothing is waited for in
// vain.
class StringMessages {
 public:
  // Heads travel with the tag `head_tag`, the rest with tags from 0 to tag_limit - 1. No other messages with
  // the tag of the heads may be under way.
  StringMessages(const Communicator& comm, Pool& pool, std::int64_t chunk_bytes, std::int32_t head_tag,
                 std::int32_t tag_limit);
  StringMessages(const StringMessages&) = delete;
  StringMessages& operator=(const StringMessages&) = delete;

  // Bytes that a string has to leave free at its front for the head.
  static constexpr std::size_t head_bytes = 16;

  // `number`: of this string among all from this rank to the peer. `memory` keeps the string, whose first
  // head_bytes are written here.
  void send(int peer, std::uint32_t number, std::span<std::byte> string, std::shared_ptr<const void> memory,
            std::size_t index);

  struct Done {
    bool sent = false;  // else received
    int peer = 0;
    std::uint32_t number = 0;
    std::size_t index = 0;  // of a string that was sent
    double posted = 0;      // when its first message was posted or found [s of trace_clock()]
    std::int64_t messages = 0;
    std::span<const std::byte> string;  // without the head; of one that was received
    std::shared_ptr<const void> memory;
    std::size_t bytes = 0;  // that travelled
  };
  // Look for strings that have begun to come, while `expecting`, and return those that are through. Valid
  // until the next call. Throws Error for a head that is damaged.
  const std::vector<Done>& test(bool expecting);

  bool idle() const { return requests_.empty(); }
  // Forget what is under way; its memory must stay.
  void abandon();

 private:
  struct Transfer {
    Done done;
    Memory received;        // the string with its head
    std::int64_t left = 0;  // messages under way
    bool head_only = false;
  };

  void begin(std::size_t transfer, MPI_Request request);
  bool find_head();
  void read_head(std::size_t transfer);
  std::size_t new_transfer();

  const Communicator& comm_;
  Pool& pool_;
  std::size_t chunk_bytes_;
  std::int32_t head_tag_;
  std::int32_t tag_limit_;
  std::vector<MPI_Request> requests_;
  std::vector<std::size_t> transfer_of_;  // by request
  std::vector<Transfer> transfers_;
  std::vector<std::size_t> free_;  // places in transfers_ to use again
  std::vector<int> indices_;
  std::vector<Done> done_;
};

}  // namespace sortlast
