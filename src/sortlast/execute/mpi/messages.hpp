// Messages: chunks as MPI requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sortlast/content/content.hpp"
#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/execute/mpi/failure.hpp"

namespace sortlast {

// How strings travel. A string of up to `chunk_bytes` travels in one message, behind a head that announces
// its size. For a longer one, the first message is the head alone; the rest follows in messages of
// `chunk_bytes`, received in place. Heads are matched as they arrive, from any rank (matched probes).
struct StringOptions {
  std::int64_t chunk_bytes = 1 << 20;
  std::int32_t head_tag = 0;       // for this call alone: no other messages with this tag may be under way
  std::int32_t tag_limit = 32767;  // the rest travels with the tags 0 .. tag_limit - 1
};

// Posts chunks and reports completed ones, at a cost linear in their number.
//
// A chunk of fixed size is one message per plane, of up to 2^31 - 1 bytes, for which a receive is posted
// ahead. Chunks of one tag between two ranks arrive in the order in which both ends post them.
class Messages {
 public:
  explicit Messages(const Communicator& comm) : comm_(comm) {}
  // For strings as well; `pool` provides memory for received ones, and must outlive the messages.
  Messages(const Communicator& comm, Pool& pool) : comm_(comm), pool_(&pool) {}
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void send(Chunk chunk, int peer, std::int32_t tag, const Outgoing& message);
  void receive(Chunk chunk, int peer, std::int32_t tag, const Incoming& message);

  // How strings travel from now on; none may be under way.
  void set_strings(const StringOptions& options) { strings_ = options; }
  // `number`: index of this string among all strings from this rank to the peer.
  void send_string(Chunk chunk, int peer, std::uint32_t number, const Outgoing& string);

  struct Done {
    Chunk chunk;    // none for a received string, which is identified by
    int peer = -1;  // its sender and number
    std::uint32_t number = 0;
    bool sent = false;      // false: received
    double posted = 0;      // when its first message was posted or found [s of trace_clock()]
    std::size_t bytes = 0;  // of all its messages
    int messages = 0;
    Arrived arrival = {};  // if received
  };
  // Some completed chunks; none only if no message had completed when it was tested. While `expecting`, also
  // looks for strings that have begun to arrive. Valid until the next call. Throws Error for a corrupt head.
  const std::vector<Done>& test(bool expecting = false);

  // Forget all messages under way; their memory must stay valid.
  void abandon();

 private:
  struct Posted {
    Done done;
    int left = 0;                        // messages under way
    std::shared_ptr<const void> memory;  // of data encoded for sending
    Memory received;                     // a string, or its first message
    bool head_only = false;              // its head has yet to be read
  };

  void make_room(int messages);
  std::size_t begin(Chunk chunk, bool sent, int messages);
  void post_send(std::size_t place, std::span<const std::byte> bytes, int peer, int tag);
  void post_receive(std::size_t place, std::span<std::byte> bytes, int peer, int tag, bool first);
  void add(std::size_t place, MPI_Request request, bool first);
  void end(std::size_t place);
  bool find_head();
  void read_head(std::size_t place);
  int test_some(std::size_t first, std::size_t count);
  void take_done(std::size_t first, int count);
  void remove_null(std::size_t first, std::size_t count);

  const Communicator& comm_;
  Pool* pool_ = nullptr;
  StringOptions strings_;
  std::vector<MPI_Request> requests_;
  std::vector<std::pair<std::size_t, bool>>
      owner_;  // request -> place in posted_, whether of the first plane
  std::vector<Posted> posted_;
  std::vector<std::size_t> free_;   // free indices in posted_
  std::vector<std::size_t> heads_;  // indices of entries with a head that has arrived
  std::size_t next_ = 0;            // request to be tested next
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Done> done_;
};

}  // namespace sortlast
