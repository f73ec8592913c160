// Messages: chunks of pixels as MPI requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/run/run.hpp"

namespace sortlast {

// Posts chunks and tells when they are through; what that costs grows with their number, and no faster. A
// chunk is one message of colours (or of packed pixels), and one of depths if its format has them; neither
// may pass 2^31 - 1 bytes. Chunks of one tag between two ranks arrive in the order in which both ends post
// them.
class Messages {
 public:
  explicit Messages(const Communicator& comm) : comm_(comm) {}
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  void send(Chunk chunk, int peer, std::int32_t tag, const Outgoing& message);
  void receive(Chunk chunk, int peer, std::int32_t tag, const Incoming& message);

  struct Done {
    Chunk chunk;
    bool sent = false;             // else received
    double posted = 0;             // when [s of trace_clock()]
    std::size_t colour_bytes = 0;  // of the first message
    std::size_t bytes = 0;         // of all
    int messages = 0;
  };
  // Some chunks that are through; none only if no message was when it was looked at. Valid until the next
  // call.
  const std::vector<Done>& test();

  // Wait for no message any more, and take those that come already. Returns how many came of each chunk that
  // was not through. Throws TimeoutError.
  std::vector<std::pair<Chunk, int>> stop_receiving(const Alarm& alarm);

  bool idle() const { return requests_.empty(); }
  // Forget what is under way; its memory must stay.
  void abandon();

 private:
  struct Posted {
    Done done;
    int left = 0;   // messages under way
    Memory memory;  // of what was encoded for sending
  };

  std::size_t begin(Chunk chunk, bool sent, int messages);
  void add(std::size_t place, MPI_Request request, bool colour);
  int test_some(std::size_t first, std::size_t count);
  void take_done(std::size_t first, int count);
  void remove_null(std::size_t first, std::size_t count);

  const Communicator& comm_;
  std::vector<MPI_Request> requests_;
  std::vector<std::pair<std::size_t, bool>> owner_;  // request -> place in posted_, whether of colours
  std::vector<Posted> posted_;
  std::vector<std::size_t> free_;  // places in posted_ to use again
  std::size_t next_ = 0;           // request that is tested next
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Done> done_;
};

}  // namespace sortlast
