// Node.
//
// All shared state lies in one segment (node/control.hpp). A meeting costs one atomic addition per rank; the
// last to arrive compares the offers, chooses the memory of the frame, and wakes the others. None of this
// uses MPI, which polls: a polling rank occupies the core that another may need. From the second frame of a
// kind on, a frame maps nothing and uses the kernel only to sleep and to wake.
#include "sortlast/execute/node/node.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/node/control.hpp"
#include "sortlast/execute/node/process_memory.hpp"
#include "sortlast/execute/node/waiting.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
class Node::Impl {
 public:
  Impl(Neighbours neighbours, std::unique_ptr<const Watch> watch)
      : neighbours_(std::move(neighbours)),
        watch_(std::move(watch)),
        me_(slot_of(neighbours_.rank)),
        publisher_(allocations_, neighbours_.remote_reads),
        mappings_(neighbours_.members.size()) {
    if (alone()) return;
    const Memory& memory = neighbours_.control->memory();
    frames_.emplace(memory, &control().frames, static_cast<std::uint32_t>(neighbours_.members.size()));
  }

  bool alone() const { return neighbours_.members.size() == 1; }
  bool mate(int rank) const {
    const auto& members = neighbours_.members;
    return slot_of(rank) != me_ && std::binary_search(members.begin(), members.end(), rank);
  }

  Memory allocate(std::size_t bytes) {
    if (bytes == 0) return {};
    if (!alone()) return allocations_.take(bytes);
    Memory memory = Pool().take(bytes);
    std::memset(memory.get(), 0, bytes);
    return memory;
  }

  bool meet(const Offer& mine, const std::string& call) {
    flagged_ = mine.flag;
    on_device_ = mine.on_device();
    if (alone()) return true;
    refuse_fork(call);

    // Offer the spans, and wait for the offers of the others.
    parity_ = 1 - parity_;
    if (mine.frame_bytes > 0 || mine.on_device()) frame_.reset();
    RankSlot& slot = control().slot(me_);
    record(mine, slot.offers[parity_]);
    slot.unread.store(static_cast<std::uint32_t>(peers()), std::memory_order_relaxed);
    Decision& decision = control().decisions[parity_];
    const double come = trace_clock();
    const auto all_come = [&] { return "all ranks to call " + call + ", before stage 1"; };
    come_together(control().meeting, all_come, [&] { decide(decision); });

    late_ = std::max(decision.time - come, 0.0);
    flagged_ = decision.flagged;
    on_device_ = decision.on_device;

    // Drop the segments that the others have released, and take the frame.
    mappings_.drop_closed();
    if (decision.agreed && mine.frame_bytes > 0) take_frame(decision.frame, all_come);
    return decision.agreed;
  }

  void offer(const Offer& mine) {
    frame_.reset();
    if (alone()) return;
    refuse_fork("composite");
    record(mine, control().slot(me_).offers[parity_]);
  }

  Roll::Count join(const Joining& joining, const std::string& call) {
    const auto next = static_cast<std::uint64_t>(joining.last) + 1;
    if (alone()) return {next, 1};
    const Waiting waiting = this->waiting();
    if (waiting.broken.load()) waiting.refuse_late();
    Roll& roll = control().roll;
    const Roll::Count joined = roll.join();
    if (joined.processes == peers() + 1) {
      roll.close(joined.frame);
    } else if (joined.frame == next) {
      roll.set_end(joined.frame, trace_clock() + joining.deadline);
    }
    wait_until_closed(joined.frame, call);
    return roll.closed();
  }

  std::vector<int> attend(std::int64_t frame, int ranks, const std::string& call) {
    if (alone()) return {neighbours_.rank};
    const auto number = static_cast<std::uint64_t>(frame);
    const auto waits_for = [&] { return "the ranks of its node to offer their images in " + call; };
    RankSlot& slot = control().slot(me_);
    const auto all = static_cast<std::uint32_t>(ranks);
    slot.unread.store(all - 1, std::memory_order_relaxed);
    slot.joined.store(number, std::memory_order_release);
    control().offered.ring();
    std::vector<int> offered;
    wait(control().offered, waits_for, [&] {
      offered = offered_to(number);
      return all - static_cast<std::uint32_t>(offered.size());
    });
    mappings_.drop_closed();
    return offered;
  }

  bool agree_in(const std::vector<int>& ranks) const {
    const auto hash_of = [&](int rank) { return control().slot(slot_of(rank)).offers[parity_].hash; };
    return alone() || std::all_of(ranks.begin(), ranks.end(),
                                  [&](int rank) { return hash_of(rank) == hash_of(ranks.front()); });
  }

  Publication publication(int rank) {
    if (alone()) return {};
    const PublicationRecord& record = control().slot(slot_of(rank)).offers[parity_].published;
    std::vector<std::byte> description(record.description_bytes());
    const std::byte* from = record.description.data();
    if (description.size() > record.description.size()) from = in_place(rank, record.elsewhere);
    if (from == nullptr) {
      RemoteCopy copy{description.data(), record.elsewhere.address, description.size()};
      read(rank, {&copy, 1});
    } else if (!description.empty()) {
      std::memcpy(description.data(), from, description.size());
    }
    return {std::move(description), record.spans};
  }

  // Address of a span in this process; null if it must be read through the kernel.
  const std::byte* in_place(int rank, const SpanRecord& span) {
    const std::size_t owner = slot_of(rank);
    if (owner == me_ && span.kind != SpanKind::device_memory)
      return reinterpret_cast<const std::byte*>(span.address);  // NOLINT
    if (span.kind != SpanKind::shared_memory) return nullptr;
    try {
      return mappings_.find(owner, span.place.segment) + span.place.offset;
    } catch (const Error&) {
      if (!neighbours_.remote_reads) throw;
      return nullptr;
    }
  }

  void read(int rank, std::span<RemoteCopy> copies) const {
    try {
      read_remote(control().slot(slot_of(rank)).process, copies);
    } catch (const ProcessEnded& error) {
      throw RankEnded("rank " + std::to_string(rank) + " has ended (" + error.what() +
                      "); make a new compositor without it");
    }
  }

  void release(int rank) {
    if (process_ != this_process()) return;
    RankSlot& slot = control().slot(slot_of(rank));
    if (slot.unread.fetch_sub(1, std::memory_order_acq_rel) == 1) slot.read.ring();
  }

  void wait_until_read(const std::string& call) {
    if (alone()) return;
    RankSlot& slot = control().slot(me_);
    const auto readers = [&] { return "the ranks of its node to read its image in " + call; };
    wait(slot.read, readers, [&] { return slot.unread.load(std::memory_order_acquire); });
  }

  std::shared_ptr<std::atomic<bool>> given_up() const {
    if (alone()) return {};
    return {neighbours_.control->memory(), &control().broken};
  }

  bool shares(const Span& span) const { return !allocations_.find(span.data, span.bytes).none(); }
  bool readable(const Span& span) const { return publisher_.readable(span); }

  const Neighbours neighbours_;
  Memory frame_;
  double late_ = 0;  // time spent waiting for later ranks in the last meeting [s]
  bool flagged_ = false;
  bool on_device_ = false;

 private:
  Control& control() const { return Control::in(*neighbours_.control); }
  std::size_t peers() const { return neighbours_.members.size() - 1; }
  Waiting waiting() const { return {*watch_, control().broken, neighbours_.crowded ? 0 : looks_on_own_core}; }
  std::size_t slot_of(int rank) const {
    const auto& members = neighbours_.members;
    return static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), rank) - members.begin());
  }

  // The ranks that have offered images to a frame of the roll.
  std::vector<int> offered_to(std::uint64_t frame) const {
    std::vector<int> ranks;
    for (std::size_t i = 0; i <= peers(); ++i)
      if (control().slot(i).joined.load(std::memory_order_acquire) == frame)
        ranks.push_back(neighbours_.members[i]);
    return ranks;
  }

  void refuse_fork(const std::string& call) const {
    if (process_ == this_process()) return;
    throw Error("the compositor belongs to process " + std::to_string(process_) +
                "; a process that was forked from it cannot take its place in " + call);
  }

  // Wait until a frame of the roll has reached its end, or all have joined it.
  void wait_until_closed(std::uint64_t frame, const std::string& call) {
    Roll& roll = control().roll;
    const auto waits_for = [&] { return "a rank of the last frame to call " + call; };
    const auto seconds_left = [&] {
      const double end = roll.end(frame);
      return end == 0 ? between_checks : end - trace_clock();
    };
    const auto missing = [&] {
      if (roll.closed().frame < frame && seconds_left() <= 0) roll.close(frame);
      return roll.closed().frame < frame ? 1U : 0U;
    };
    wait_until(roll.closing(), waiting(), waits_for, missing, seconds_left);
  }

  // Write an offer to shared memory.
  void record(const Offer& mine, OfferRecord& offer) {
    offer.hash = mine.hash;
    offer.frame_bytes = mine.frame_bytes;
    offer.flag = mine.flag;
    offer.on_device = mine.on_device();
    publisher_.publish(mine.header, mine.spans, offer.published);
  }

  // Compare the offers of all ranks, and choose the frame.
  void decide(Decision& decision) {
    const OfferRecord& mine = control().slot(me_).offers[parity_];
    decision = {true, false, false, {}, trace_clock()};
    std::uint64_t frame = mine.frame_bytes;  // 0: some process wants none
    for (std::size_t i = 0; i <= peers(); ++i) {
      const OfferRecord& other = control().slot(i).offers[parity_];
      if (other.frame_bytes == 0) frame = 0;
      if (other.hash != mine.hash || (frame > 0 && other.frame_bytes != frame)) decision.agreed = false;
      decision.flagged = decision.flagged || other.flag;
      decision.on_device = decision.on_device || other.on_device;
    }
    if (decision.agreed && frame > 0) decision.frame = frames_->choose(frame);
  }

  // Called by all ranks after they have agreed on a frame. They use a fresh one only if all could map it.
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

  // Wait at a barrier. The last to arrive decides for all and wakes the others.
  template <typename WaitsFor, typename Decide>
  void come_together(Barrier& barrier, const WaitsFor& waits_for, const Decide& decide_for_all) {
    const std::uint32_t openings = barrier.openings();
    if (!barrier.arrive(peers() + 1)) {
      wait(barrier.opened(), waits_for, [&] { return barrier.openings() == openings ? 1U : 0U; });
      return;
    }
    const Waiting waiting = this->waiting();
    if (waiting.broken.load()) waiting.refuse_late();
    decide_for_all();
    barrier.open();
  }

  template <typename WaitsFor, typename Missing>
  void wait(EventCount& event, const WaitsFor& waits_for, const Missing& missing) {
    wait_until(event, waiting(), waits_for, missing, [] { return between_checks; });
  }

  std::unique_ptr<const Watch> watch_;
  const std::int32_t process_ = this_process();
  std::size_t me_ = 0;  // slot
  std::size_t parity_ = 0;
  Allocations allocations_;
  Publisher publisher_;
  Mappings mappings_;
  std::optional<Frames> frames_;
};

Node::Node(Neighbours neighbours, std::unique_ptr<const Watch> watch)
    : impl_(std::make_unique<Impl>(std::move(neighbours), std::move(watch))) {}
Node::Node(Node&&) noexcept = default;
Node::~Node() = default;

const Neighbours& Node::neighbours() const { return impl_->neighbours_; }
bool Node::everybody() const { return neighbours().members.size() == nodes().size(); }
bool Node::alone() const { return impl_->alone(); }
bool Node::mate(int rank) const { return impl_->mate(rank); }

Memory Node::allocate(std::size_t bytes) { return impl_->allocate(bytes); }
bool Node::shares(const Span& span) const { return impl_->shares(span); }
bool Node::readable(const Span& span) const { return impl_->readable(span); }

bool Node::meet(const Offer& mine, const std::string& call) { return impl_->meet(mine, call); }
void Node::offer(const Offer& mine) { impl_->offer(mine); }
Roll::Count Node::join(const Joining& joining, const std::string& call) { return impl_->join(joining, call); }
std::vector<int> Node::attend(std::int64_t frame, int ranks, const std::string& call) {
  return impl_->attend(frame, ranks, call);
}
bool Node::agree_in(const std::vector<int>& ranks) const { return impl_->agree_in(ranks); }
Publication Node::publication(int rank) { return impl_->publication(rank); }
const std::byte* Node::in_place(int rank, const SpanRecord& span) { return impl_->in_place(rank, span); }
void Node::read(int rank, std::span<RemoteCopy> copies) const { impl_->read(rank, copies); }
void Node::release(int rank) { impl_->release(rank); }
void Node::wait_until_read(const std::string& call) { impl_->wait_until_read(call); }
std::shared_ptr<std::atomic<bool>> Node::given_up() const { return impl_->given_up(); }
bool Node::flagged() const { return impl_->flagged_; }
bool Node::on_device() const { return impl_->on_device_; }
double Node::late() const { return impl_->late_; }
Memory Node::frame() const { return impl_->frame_; }

}  // namespace sortlast
