// Node.
//
// All that the ranks tell each other lies in one segment (node/control.hpp). A meeting is one atomic addition
// a rank; the last to come compares what the others brought, chooses the memory of the frame, and wakes them.
// Nothing of this goes through MPI, which would poll, and ranks that poll take the core from those they wait
// for. From the second frame of a kind on, a frame maps nothing and asks nothing of the kernel but to sleep
// and to wake.
#include "sortlast/execute/node/node.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/neighbours.hpp"
#include "sortlast/execute/mpi/backoff.hpp"
#include "sortlast/execute/node/control.hpp"
#include "sortlast/execute/node/mappings.hpp"
#include "sortlast/execute/node/remote.hpp"
#include "sortlast/execute/node/staging.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

// Memory of this process alone, zeros.
Memory private_zeros(std::size_t bytes) {
  Memory memory = Pool().take(bytes);
  if (bytes > 0) std::memset(memory.get(), 0, bytes);
  return memory;
}

}  // namespace

class Node::Impl {
 public:
  Impl(const Communicator& all, const Alarm& alarm, int ranks)
      : Impl(all.rank(), alarm, find_neighbours(all, alarm, ranks)) {}

  bool alone() const { return neighbours_.members.size() == 1; }
  bool mate(int rank) const {
    const auto& members = neighbours_.members;
    return seat_of(rank) != me_ && std::binary_search(members.begin(), members.end(), rank);
  }

  Memory allocate(std::size_t bytes) {
    if (bytes == 0) return {};
    return alone() ? private_zeros(bytes) : allocations_.take(bytes);
  }

  bool meet(const Offer& mine, const std::string& call) {
    pixels_ = mine.pixels;
    boxed_ = mine.boxed;
    std::copy_n(mine.box, box_.size(), box_.begin());
    if (alone()) return true;

    // Offer the image, and wait for those of the others.
    parity_ = 1 - parity_;
    if (mine.frame_bytes > 0) frame_.reset();
    Seat& seat = control().seat(me_);
    record(mine, seat.offers[parity_]);
    seat.unread.store(static_cast<std::uint32_t>(mates()), std::memory_order_relaxed);
    Decision& decision = control().decisions[parity_];
    const double come = trace_clock();
    const auto all_come = [&] { return "all ranks to call " + call + ", before stage 1"; };
    come_together(control().meeting, all_come, [&] { decide(decision); });

    late_ = std::max(decision.time - come, 0.0);

    // Forget the images that the others have given back, and take the frame.
    mappings_.drop_closed();
    if (decision.agreed && mine.frame_bytes > 0) take_frame(decision.frame, all_come);
    return decision.agreed;
  }

  Image image(int rank) {
    const std::size_t owner = seat_of(rank);
    if (owner == me_)
      return {pixels_.colour != nullptr, true, pixels_, boxed_, {box_[0], box_[1], box_[2], box_[3]}};
    const OfferRecord& offer = control().seat(owner).offers[parity_];
    if (offer.colour.address == 0) return {};
    Image image{true, false, {}, offer.boxed, {offer.box[0], offer.box[1], offer.box[2], offer.box[3]}};
    const std::byte* const colour = mapped(owner, offer.colour);
    const std::byte* const depth = mapped(owner, offer.depth);
    image.direct = colour != nullptr && (depth != nullptr || offer.depth.address == 0);
    if (image.direct) image.pixels = {colour, reinterpret_cast<const float*>(depth)};
    return image;
  }

  void pull(int rank, std::int64_t origin, std::span<const ActiveRun> runs, Pixels to) {
    const Seat& seat = control().seat(seat_of(rank));
    const OfferRecord& offer = seat.offers[parity_];
    spans_.clear();
    const auto add = [&](const PlaneRecord& plane, void* target, std::size_t pixel_bytes) {
      if (plane.address == 0 || target == nullptr) return;
      for (const ActiveRun& run : runs) {
        const auto first = static_cast<std::uint64_t>(origin) + run.begin;
        spans_.push_back({static_cast<std::byte*>(target) + run.at * pixel_bytes,
                          plane.address + first * pixel_bytes, run.count * pixel_bytes});
      }
    };
    add(offer.colour, to.colour, offer.format.colour_bytes());
    add(offer.depth, to.depth, sizeof(float));
    read_remote(seat.process, spans_);
  }

  void release(int rank) {
    Seat& seat = control().seat(seat_of(rank));
    if (seat.unread.fetch_sub(1, std::memory_order_acq_rel) == 1) seat.read.ring();
  }

  void wait_until_read(const std::string& call) {
    if (alone()) return;
    Seat& seat = control().seat(me_);
    const auto readers = [&] { return "the ranks of its node to read its image in " + call; };
    wait(seat.read, readers, [&] { return seat.unread.load(std::memory_order_acquire); });
  }

  bool holds(ConstPixels pixels, const Format& format, std::int64_t count) const {
    const auto in_segment = [&](const void* plane, std::size_t pixel_bytes) {
      return allocations_.find(plane, static_cast<std::size_t>(count) * pixel_bytes).segment.process != 0;
    };
    return in_segment(pixels.colour, format.colour_bytes()) &&
           (!format.depth || in_segment(pixels.depth, sizeof(float)));
  }

  const Neighbours neighbours_;
  Memory frame_;
  double late_ = 0;  // what the last meeting waited for later ranks [s]

 private:
  Impl(int rank, const Alarm& alarm, Neighbours neighbours)
      : neighbours_(std::move(neighbours)), alarm_(alarm), mappings_(neighbours_.members.size()) {
    me_ = seat_of(rank);
    if (alone()) return;
    const Memory& memory = neighbours_.control->memory();
    frames_.emplace(memory, &control().frames, static_cast<std::uint32_t>(neighbours_.members.size()));
  }

  Control& control() const { return *reinterpret_cast<Control*>(neighbours_.control->data()); }
  std::size_t mates() const { return neighbours_.members.size() - 1; }
  std::size_t seat_of(int rank) const {
    const auto& members = neighbours_.members;
    return static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), rank) - members.begin());
  }

  // Write down an offer. What others could not read is copied to where they can.
  void record(const Offer& mine, OfferRecord& offer) {
    offer = {mine.hash, mine.frame_bytes, {}, {}, mine.format, box_, boxed_};
    if (mine.pixels.colour == nullptr) return;
    const auto count = static_cast<std::size_t>(mine.count);
    const bool with_depth = mine.format.depth && mine.pixels.depth != nullptr;
    offer.colour = {reinterpret_cast<std::uint64_t>(mine.pixels.colour),
                    allocations_.find(mine.pixels.colour, count * mine.format.colour_bytes())};
    bool direct = offer.colour.place.segment.process != 0;
    if (with_depth) {
      offer.depth = {reinterpret_cast<std::uint64_t>(mine.pixels.depth),
                     allocations_.find(mine.pixels.depth, count * sizeof(float))};
      direct = direct && offer.depth.place.segment.process != 0;
    }
    if (direct || neighbours_.remote_reads) return;
    const bool rows = boxed_ && mine.width > 0;
    const Range part = rows ? Range{box_[1] * mine.width, box_[3] * mine.width} : Range{0, mine.count};
    const Staging::Places copy = staging_.copy(mine.pixels, mine.format, mine.count, part);
    offer.colour.place = copy.colour;
    offer.depth.place = copy.depth;
  }

  // Compare what all have brought, and choose the frame.
  void decide(Decision& decision) {
    const OfferRecord& mine = control().seat(me_).offers[parity_];
    decision = {true, {}, trace_clock()};
    for (std::size_t i = 0; i <= mates(); ++i) {
      const OfferRecord& other = control().seat(i).offers[parity_];
      if (other.hash != mine.hash || other.frame_bytes != mine.frame_bytes) decision.agreed = false;
    }
    if (decision.agreed && mine.frame_bytes > 0) decision.frame = frames_->choose(mine.frame_bytes);
  }

  // All ranks, after they have agreed on a frame. A new one is theirs only if all could map it.
  template <typename WaitsFor>
  void take_frame(Frames::Choice choice, const WaitsFor& waits_for) {
    const bool mapped = frames_->update(choice.slot);
    if (choice.slot < 0) return;
    if (choice.fresh) {
      if (!mapped) control().failures.fetch_add(1);
      Decision& decision = control().decisions[parity_];
      come_together(control().confirmation, waits_for, [&] {
        if (control().failures.exchange(0) == 0) return;
        frames_->take_back(choice.slot);
        decision.frame = {};
      });
      if (decision.frame.slot < 0) return;
    }
    frame_ = frames_->hold(choice.slot);
  }

  // The plane of a mate's offer as it lies in this process; null if it must be pulled.
  const std::byte* mapped(std::size_t owner, const PlaneRecord& plane) {
    if (plane.place.segment.process == 0) return nullptr;
    try {
      return mappings_.find(owner, plane.place.segment) + plane.place.offset;
    } catch (const Error&) {
      if (!neighbours_.remote_reads) throw;
      return nullptr;
    }
  }

  // Wait at a barrier. The last to come decides for all and wakes the others.
  template <typename WaitsFor, typename Decide>
  void come_together(Barrier& barrier, const WaitsFor& waits_for, const Decide& decide_for_all) {
    const std::uint32_t seen = barrier.openings();
    if (!barrier.arrive(mates() + 1)) {
      wait(barrier.bell(), waits_for, [&] { return barrier.openings() == seen ? 1U : 0U; });
      return;
    }
    if (control().broken.load()) alarm_.raise("nobody, it came late");
    decide_for_all();
    barrier.open();
  }

  // Sleep until missing() is 0; looks again whenever the bell has rung. Each change is progress.
  // waits_for() completes "rank r waits for ...".
  template <typename WaitsFor, typename Missing>
  void wait(EventCount& bell, const WaitsFor& waits_for, const Missing& missing) {
    std::uint32_t before = missing();
    if (before == 0) return;
    const auto give_up = [&] {
      control().broken.store(true);
      return waits_for();
    };
    Backoff backoff(alarm_, give_up);
    try {
      while (true) {
        const std::uint32_t seen = bell.rings();
        const std::uint32_t now = missing();
        if (now == 0) return;
        if (now != before) backoff.progress();
        before = now;
        backoff.sleep(bell, seen);
      }
    } catch (...) {
      control().broken.store(true);
      throw;
    }
  }

  const Alarm& alarm_;
  std::size_t me_ = 0;  // seat
  std::size_t parity_ = 0;
  ConstPixels pixels_;  // as offered, with their box
  bool boxed_ = false;
  std::array<std::int64_t, 4> box_ = {};
  Allocations allocations_;
  Staging staging_;
  Mappings mappings_;
  std::optional<Frames> frames_;
  std::vector<RemoteSpan> spans_;  // of a pull
};

Node::Node(const Communicator& all, const Alarm& alarm, int ranks)
    : impl_(std::make_unique<Impl>(all, alarm, ranks)) {}
Node::~Node() = default;

const std::vector<std::int32_t>& Node::nodes() const { return impl_->neighbours_.nodes; }
bool Node::everybody() const { return impl_->neighbours_.members.size() == nodes().size(); }
bool Node::alone() const { return impl_->alone(); }
bool Node::mate(int rank) const { return impl_->mate(rank); }
int Node::size() const { return static_cast<int>(impl_->neighbours_.members.size()); }

Memory Node::allocate(std::size_t bytes) { return impl_->allocate(bytes); }

bool Node::meet(const Offer& mine, const std::string& call) { return impl_->meet(mine, call); }
Node::Image Node::image(int rank) { return impl_->image(rank); }
void Node::pull(int rank, std::int64_t origin, std::span<const ActiveRun> runs, Pixels to) {
  impl_->pull(rank, origin, runs, to);
}
void Node::release(int rank) { impl_->release(rank); }
void Node::wait_until_read(const std::string& call) { impl_->wait_until_read(call); }
bool Node::holds(ConstPixels pixels, const Format& format, std::int64_t count) const {
  return impl_->holds(pixels, format, count);
}
int Node::cores() const { return impl_->neighbours_.cores; }
double Node::late() const { return impl_->late_; }
Memory Node::frame() const { return impl_->frame_; }

}  // namespace sortlast
