// Collected images.
//
// A rank's images travel one behind the other, all colours and then, as a message of its own, all depths. The
// root knows from the table how many bytes come, and where each image lies among them. They are not copied
// together before: a datatype describes where they lie, and images that lie one behind the other in memory
// are one block of it.
#include "sortlast/execute/mpi/collected_images.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/execute/layers/images/box_list.hpp"
#include "sortlast/execute/mpi/wait.hpp"

namespace sortlast {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // of a message
constexpr int tag = 0;

std::int64_t pixels_of(const PlacedBox& placed) {
  return (placed.box.x1 - placed.box.x0) * (placed.box.y1 - placed.box.y0);
}

// Where the images of each rank begin among the pixels that it sends, by rank and index; and all of them.
struct Layout {
  std::vector<std::vector<std::int64_t>> firsts;
  std::vector<std::int64_t> pixels;

  Layout(const BoxTable& table, std::size_t p) : firsts(p), pixels(p, 0) {
    for (std::size_t place = 0; place < table.size(); ++place) {
      const PlacedBox& placed = table.at(static_cast<BoxTable::Place>(place));
      std::vector<std::int64_t>& of_rank = firsts[static_cast<std::size_t>(placed.rank)];
      const auto index = static_cast<std::size_t>(placed.index);
      if (of_rank.size() <= index) of_rank.resize(index + 1);
      of_rank[index] = pixels_of(placed);
    }
    for (std::size_t rank = 0; rank < p; ++rank)
      for (std::int64_t& first : firsts[rank]) pixels[rank] += std::exchange(first, pixels[rank]);
  }
};

class CollectedImages final : public PeerSpans {
 public:
  CollectedImages(Layout layout, const Format& format) : layout_(std::move(layout)), format_(format) {
    memory_.resize(layout_.pixels.size());
  }

  // Make room for what a rank sends.
  Pixels room(std::size_t rank, Pool& pool) {
    memory_[rank] = take_pixels(pool, format_, layout_.pixels[rank]);
    return memory_[rank].view();
  }
  const Layout& layout() const { return layout_; }

  std::size_t count(std::int32_t rank) const override {
    return first_span(format_, static_cast<std::int32_t>(firsts(rank).size()));
  }
  std::size_t bytes(std::int32_t rank, std::size_t span) const override {
    const std::size_t next = index_of(span) + 1;
    const std::int64_t end =
        next < firsts(rank).size() ? firsts(rank)[next] : layout_.pixels[static_cast<std::size_t>(rank)];
    return static_cast<std::size_t>(end - firsts(rank)[next - 1]) *
           (of_depths(span) ? sizeof(float) : format_.colour_bytes());
  }
  const std::byte* in_place(std::int32_t rank, std::size_t span) const override {
    const ConstPixels pixels = advance(ConstPixels(memory_[static_cast<std::size_t>(rank)].view()), format_,
                                       firsts(rank)[index_of(span)]);
    return of_depths(span) ? reinterpret_cast<const std::byte*>(pixels.depth) : pixels.colour;
  }
  void copy(std::int32_t /*rank*/, std::span<const Copy> /*copies*/) const override {
    throw Error("images that were collected cannot be read elsewhere");
  }

 private:
  const std::vector<std::int64_t>& firsts(std::int32_t rank) const {
    return layout_.firsts[static_cast<std::size_t>(rank)];
  }
  std::size_t index_of(std::size_t span) const { return span / first_span(format_, 1); }
  bool of_depths(std::size_t span) const { return format_.depth && span % 2 == 1; }

  Layout layout_;
  Format format_;
  std::vector<PixelBuffer> memory_;  // by rank
};

// Requests under way, and what they need.
struct Transfers {
  std::vector<MPI_Request> requests;
  std::shared_ptr<CollectedImages> images;  // at the root
  std::int64_t bytes = 0;
};

// Bytes at neighbouring addresses.
struct Block {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
};

void add_block(std::vector<Block>& blocks, const void* begin, std::size_t bytes) {
  if (bytes == 0) return;
  const auto* const at = static_cast<const std::byte*>(begin);
  if (!blocks.empty() && blocks.back().begin + blocks.back().bytes == at) {
    blocks.back().bytes += bytes;
  } else {
    blocks.push_back({at, bytes});
  }
}

// Send blocks, at most `most_bytes` together, as one message.
void send_message(std::span<const Block> blocks, int root, const Communicator& comm, Transfers& transfers) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (blocks.size() == 1) {
    check_mpi(MPI_Isend(blocks.front().begin, static_cast<int>(blocks.front().bytes), MPI_BYTE, root, tag,
                        comm.get(), &request),
              "MPI_Isend");
  } else {
    std::vector<int> lengths;
    std::vector<MPI_Aint> addresses;
    for (const Block& block : blocks) {
      lengths.push_back(static_cast<int>(block.bytes));
      addresses.push_back(0);
      check_mpi(MPI_Get_address(block.begin, &addresses.back()), "MPI_Get_address");
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check_mpi(MPI_Type_create_hindexed(static_cast<int>(blocks.size()), lengths.data(), addresses.data(),
                                       MPI_BYTE, &type),
              "MPI_Type_create_hindexed");
    check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
    const int status = MPI_Isend(MPI_BOTTOM, 1, type, root, tag, comm.get(), &request);
    MPI_Type_free(&type);  // once the message is through
    check_mpi(status, "MPI_Isend");
  }
  transfers.requests.push_back(request);
}

// Send blocks as messages of `most_bytes`, but for the last.
void send_blocks(std::span<const Block> blocks, int root, const Communicator& comm, Transfers& transfers) {
  std::vector<Block> message;
  std::size_t bytes = 0;
  for (Block block : blocks) {
    transfers.bytes += static_cast<std::int64_t>(block.bytes);
    while (block.bytes > 0) {
      const std::size_t some = std::min(block.bytes, most_bytes - bytes);
      message.push_back({block.begin, some});
      bytes += some;
      block = {block.begin + some, block.bytes - some};
      if (bytes < most_bytes) continue;
      send_message(message, root, comm, transfers);
      message.clear();
      bytes = 0;
    }
  }
  if (!message.empty()) send_message(message, root, comm, transfers);
}

void receive_bytes(void* to, std::size_t bytes, int peer, const Communicator& comm, Transfers& transfers) {
  transfers.bytes += static_cast<std::int64_t>(bytes);
  for (std::size_t at = 0; at < bytes; at += most_bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Irecv(static_cast<std::byte*>(to) + at, static_cast<int>(std::min(most_bytes, bytes - at)),
                        MPI_BYTE, peer, tag, comm.get(), &request),
              "MPI_Irecv");
    transfers.requests.push_back(request);
  }
}

void receive_all(const Format& format, const FrameContext& context, Transfers& transfers) {
  const std::vector<std::int64_t>& pixels = transfers.images->layout().pixels;
  for (int peer = 0; peer < context.comm.size(); ++peer) {
    const auto n = static_cast<std::size_t>(pixels[static_cast<std::size_t>(peer)]);
    if (peer == context.comm.rank() || n == 0) continue;
    const Pixels room = transfers.images->room(static_cast<std::size_t>(peer), context.pool);
    receive_bytes(room.colour, n * format.colour_bytes(), peer, context.comm, transfers);
    if (format.depth) receive_bytes(room.depth, n * sizeof(float), peer, context.comm, transfers);
  }
}

void send_all(const BoxTable& table, const Format& format, int root, std::span<const ConstPixels> own,
              const FrameContext& context, Transfers& transfers) {
  std::vector<std::size_t> pixels(own.size(), 0);
  for (std::size_t place = 0; place < table.size(); ++place) {
    const PlacedBox& placed = table.at(static_cast<BoxTable::Place>(place));
    if (placed.rank == context.comm.rank())
      pixels[static_cast<std::size_t>(placed.index)] = static_cast<std::size_t>(pixels_of(placed));
  }
  std::vector<Block> colours;
  std::vector<Block> depths;
  for (std::size_t i = 0; i < own.size(); ++i) {
    add_block(colours, own[i].colour, pixels[i] * format.colour_bytes());
    if (format.depth) add_block(depths, own[i].depth, pixels[i] * sizeof(float));
  }
  send_blocks(colours, root, context.comm, transfers);
  send_blocks(depths, root, context.comm, transfers);
}

void wait_for_all(const std::shared_ptr<Transfers>& transfers, const Alarm& alarm,
                  const WaitsFor& waits_for) {
  std::vector<MPI_Request>& requests = transfers->requests;
  std::vector<int> ended(requests.size());
  Backoff backoff(alarm, waits_for);
  try {
    for (std::size_t left = requests.size(); left > 0;) {
      int count = 0;
      check_mpi(MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, ended.data(),
                             MPI_STATUSES_IGNORE),
                "MPI_Testsome");
      left -= static_cast<std::size_t>(std::max(0, count));
      if (count > 0) {
        backoff.progress();
      } else {
        backoff.pause();
      }
    }
  } catch (...) {
    keep_for_ever(transfers);
    alarm.throw_alone();
  }
}

}  // namespace

std::unique_ptr<const PeerSpans> collect_images(const BoxTable& table, const Format& format, int root,
                                                std::span<const ConstPixels> own,
                                                const FrameContext& context) {
  const auto transfers = std::make_shared<Transfers>();
  const double begin = trace_clock();
  const bool receives = context.comm.rank() == root;
  if (receives) {
    transfers->images = std::make_shared<CollectedImages>(
        Layout(table, static_cast<std::size_t>(context.comm.size())), format);
    receive_all(format, context, *transfers);
  } else {
    send_all(table, format, root, own, context, *transfers);
  }
  const auto waits_for = [receives, root] {
    return receives ? std::string("images to collect")
                    : "rank " + std::to_string(root) + " to collect images";
  };
  wait_for_all(transfers, context.alarm, waits_for);
  const auto messages = static_cast<std::int64_t>(transfers->requests.size());
  (receives ? context.timing.bytes_received : context.timing.bytes_sent) += transfers->bytes;
  (receives ? context.timing.messages_received : context.timing.messages_sent) += messages;
  const double end = trace_clock();
  context.timing.wait += end - begin;
  if (context.events != nullptr && messages > 0)
    context.events->push_back({receives ? Activity::receive : Activity::send, begin, end,
                               receives ? -1 : root, 1, transfers->bytes});
  if (!receives) return nullptr;
  return std::make_unique<const CollectedImages>(std::move(*transfers->images));
}

}  // namespace sortlast
