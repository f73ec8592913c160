// Layer exchange.
#include "sortlast/execute/mpi/layer_exchange.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/layer_sharing.hpp"
#include "sortlast/execute/mpi/string_messages.hpp"
#include "sortlast/execute/mpi/wait.hpp"

namespace sortlast {
namespace {

constexpr std::size_t most_bytes_under_way = std::size_t{16} << 20;

}  // namespace

// The frame under way, and what it has in common with the next.
class LayerExchange::Frame {
 public:
  Frame(std::shared_ptr<const Schedule> schedule, const FrameContext& context)
      : schedule_(std::move(schedule)),
        plan_(schedule_->program(context.comm.rank()), schedule_->setting()),
        program_(plan_.program),
        run_(plan_, layer_block(schedule_->n(), schedule_->p()), context.pool, context.team),
        sharing_(context.node, context.pool) {
    number_transfers();
  }

  std::vector<LayerString> run(const LayerContent& content, const Format& format,
                               const std::function<Pixels()>& place, const StringOptions& options,
                               const FrameContext& context) {
    begin(content, options, context);
    const bool sharing = !context.node.alone() && schedule_->n() > 0;
    Backoff backoff(context.alarm, [this] { return waits_for(); });
    if (sharing) {
      while (send_next()) take_messages();
      share(content, PixelBuffer::bytes(format, schedule_->n()));
      backoff.progress();
    }
    const Pixels out = place();
    while (sends_left_ + receives_left_ > 0) advance(backoff);
    const double finishing = trace_clock();
    std::vector<LayerString> joined = run_.finish(out, format);
    took_time(finishing, 0);
    run_.end_frame();
    if (sharing) sharing_.end();
    return joined;
  }

  // Memory that is kept from frame to frame for what mates read [bytes].
  std::size_t shared_bytes() const { return sharing_.bytes(); }

  void abandon() {
    if (messages_) messages_->abandon();
  }

 private:
  // The k-th send of a pair belongs to its k-th receive.
  void number_transfers() {
    std::map<std::int32_t, std::uint32_t> next;
    for (const Send& send : program_.sends) numbers_.push_back(next[send.peer]++);
    next.clear();
    for (std::size_t i = 0; i < program_.receives.size(); ++i) {
      const std::int32_t peer = program_.receives[i].peer;
      receive_of_[{peer, next[peer]++}] = i;
    }
  }

  void begin(const LayerContent& content, const StringOptions& options, const FrameContext& context) {
    context_.emplace(context);
    context.timing.stages = schedule_->stages();
    messages_ = std::make_unique<StringMessages>(context.comm, context.pool, options.chunk_bytes,
                                                 options.head_tag, options.tag_limit);
    left_.assign(static_cast<std::size_t>(schedule_->stages()) + 2, 0);
    sends_left_ = count(program_.sends, plan_.spared.sends);
    receives_left_ = count(program_.receives, plan_.spared.receives);
    received_ = plan_.spared.receives;
    bytes_under_way_ = 0;
    oldest_ = 1;
    waiting_since_ = -1;
    run_.begin_frame(content);
  }

  // Of the transfers that travel as messages: their number, and those of each stage.
  template <typename Steps>
  std::size_t count(const Steps& steps, const std::vector<bool>& spared) {
    std::size_t number = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (spared[i]) continue;
      ++left_[static_cast<std::size_t>(steps[i].stage)];
      ++number;
    }
    return number;
  }

  // Hand over to the ranks of the node what this one started with, and take what they hand over.
  void share(const LayerContent& content, std::size_t frame_bytes) {
    const double begin = trace_clock();
    const std::vector<bool>& spared = plan_.spared.sends;
    sharing_.begin(static_cast<std::size_t>(std::count(spared.begin(), spared.end(), true)));
    for (std::size_t i = 0; i < spared.size(); ++i)
      if (spared[i])
        sharing_.add(program_.sends[i].peer, numbers_[i], [&](Bytes& strings) { run_.outgoing(i, strings); });
    took_time(begin, 0);

    waiting_since_ = trace_clock();
    sharing_.meet(frame_bytes);
    end_wait(trace_clock());
    for (const auto& [transfer, receive] : receive_of_) {
      if (!plan_.spared.receives[receive]) continue;
      const LayerSharing::String string = sharing_.find(transfer.first, transfer.second);
      const bool direct = string.direct && !content.pulls_from(transfer.first);
      ++(direct ? context_->traffic.direct : context_->traffic.pulled);
      run_.arrived(receive, string.bytes, string.memory);
    }
  }

  // One turn: send what is complete, one string at a time, and take what has come; if nothing went on, wait.
  void advance(Backoff& backoff) {
    const double begin = trace_clock();
    bool progress = false;
    if (send_next()) progress = true;
    if (take_messages()) progress = true;
    if (progress) {
      backoff.progress();
      end_wait(begin);
    } else {
      if (waiting_since_ < 0) waiting_since_ = begin;
      backoff.pause();
    }
  }

  std::int32_t last_open_stage() {
    const std::int32_t window = schedule_->window();
    if (window == 0) return schedule_->stages();
    while (oldest_ <= schedule_->stages() && left_[static_cast<std::size_t>(oldest_)] == 0) ++oldest_;
    return oldest_ + window - 1;
  }

  // Send a string that is complete; returns whether there was one. Those that are under way take memory, so
  // that no more are encoded than keep the network busy.
  bool send_next() {
    if (bytes_under_way_ >= most_bytes_under_way) return false;
    const auto next = run_.next_send(last_open_stage());
    if (!next) return false;
    const std::size_t index = *next;
    const Send& send = program_.sends[index];
    const double begin = trace_clock();
    end_wait(begin);
    const auto bytes =
        std::make_shared<Bytes>([this](std::size_t size) { return context_->pool.take(size); });
    bytes->grow(StringMessages::head_bytes);
    run_.outgoing(index, *bytes);
    took_time(begin, static_cast<std::int64_t>(bytes->size()));
    bytes_under_way_ += bytes->size();
    messages_->send(send.peer, numbers_[index], {bytes->data(), bytes->size()}, bytes, index);
    return true;
  }

  bool take_messages() {
    const std::vector<StringMessages::Done>& through = messages_->test(receives_left_ > 0);
    const double now = trace_clock();
    for (const StringMessages::Done& done : through) {
      const auto bytes = static_cast<std::int64_t>(done.bytes);
      std::int32_t stage = 0;
      if (done.sent) {
        stage = program_.sends[done.index].stage;
        bytes_under_way_ -= done.bytes;
        context_->timing.bytes_sent += bytes;
        context_->timing.messages_sent += done.messages;
        --sends_left_;
      } else {
        const std::size_t receive = find_receive(done);
        stage = program_.receives[receive].stage;
        context_->timing.bytes_received += bytes;
        context_->timing.messages_received += done.messages;
        received_[receive] = true;
        --receives_left_;
        run_.arrived(receive, done.string, done.memory);
      }
      record({done.sent ? Activity::send : Activity::receive, done.posted, now, done.peer, stage, bytes});
      --left_[static_cast<std::size_t>(stage)];
    }
    return !through.empty();
  }

  std::size_t find_receive(const StringMessages::Done& done) const {
    const auto found = receive_of_.find({done.peer, done.number});
    if (found == receive_of_.end() || received_[found->second])
      throw Error("rank " + std::to_string(done.peer) + " has sent a string that nobody expects");
    return found->second;
  }

  void record(const Event& event) {
    if (context_->events != nullptr) context_->events->push_back(event);
  }

  // Encoding, joining or flattening has ended.
  void took_time(double begin, std::int64_t bytes) {
    const double end = trace_clock();
    context_->timing.blend += end - begin;
    record({Activity::blend, begin, end, -1, -1, bytes});
  }

  void end_wait(double now) {
    if (waiting_since_ < 0) return;
    record({Activity::wait, waiting_since_, now, -1, -1, 0});
    context_->timing.wait += now - waiting_since_;
    waiting_since_ = -1;
  }

  // "rank 3 at stage 2 of shift (and 4 more)"
  std::string waits_for() const {
    std::string text;
    for (std::size_t i = 0; i < received_.size() && text.empty(); ++i) {
      const Receive& receive = program_.receives[i];
      if (received_[i]) continue;
      text = "rank " + std::to_string(receive.peer) + " at stage " + std::to_string(receive.stage) + " of " +
             schedule_->name();
    }
    if (text.empty()) return "its last sends of " + schedule_->name() + " to be received";
    if (receives_left_ > 1) text += " (and " + std::to_string(receives_left_ - 1) + " more)";
    return text;
  }

  const std::shared_ptr<const Schedule> schedule_;
  const LayerProgram plan_;
  const Program& program_;
  LayerRun run_;
  LayerSharing sharing_;
  std::vector<std::uint32_t> numbers_;  // of each send among those of its pair
  std::map<std::pair<std::int32_t, std::uint32_t>, std::size_t> receive_of_;  // peer, number -> receive
  std::unique_ptr<StringMessages> messages_;
  std::optional<FrameContext> context_;  // of the last call
  std::vector<std::int64_t> left_;       // transfers of each stage that are not through
  std::size_t bytes_under_way_ = 0;      // of strings that are being sent
  std::size_t sends_left_ = 0;
  std::size_t receives_left_ = 0;
  std::vector<bool> received_;
  std::int32_t oldest_ = 1;  // stage before which all are through
  double waiting_since_ = -1;
};

LayerExchange::LayerExchange(std::shared_ptr<const Schedule> schedule, const FrameContext& context)
    : frame_(std::make_shared<Frame>(std::move(schedule), context)) {}
LayerExchange::~LayerExchange() = default;

std::size_t LayerExchange::shared_bytes() const { return frame_->shared_bytes(); }

std::vector<LayerString> LayerExchange::run(const LayerContent& content, const Format& format,
                                            const std::function<Pixels()>& place,
                                            const StringOptions& options, const FrameContext& context) {
  try {
    return frame_->run(content, format, place, options, context);
  } catch (...) {
    frame_->abandon();
    keep_for_ever(frame_);
    context.alarm.throw_alone();
  }
}

// ---- Gathering ------------------------------------------------------------------------------------

namespace {

// A rank's strings as one message.
Bytes packed(const std::vector<LayerString>& strings, Pool& pool) {
  Bytes message([&pool](std::size_t size) { return pool.take(size); });
  message.grow(StringMessages::head_bytes);
  StringPacker packer(message, strings.size());
  for (const LayerString& string : strings) {
    packer.begin();
    message.append(string.bytes);
    packer.end(string.pixels);
  }
  return message;
}

}  // namespace

std::optional<std::vector<LayerString>> gather_strings(const std::vector<LayerString>& strings, int root,
                                                       const StringOptions& options,
                                                       const FrameContext& context) {
  const int rank = context.comm.rank();
  const auto p = static_cast<std::size_t>(context.comm.size());
  const auto messages = std::make_shared<StringMessages>(context.comm, context.pool, options.chunk_bytes,
                                                         options.head_tag, options.tag_limit);
  try {
    std::vector<std::vector<LayerString>> of(p);
    std::size_t left = rank == root ? p - 1 : 1;
    if (rank == root) {
      of[static_cast<std::size_t>(rank)] = strings;
    } else {
      const auto bytes = std::make_shared<Bytes>(packed(strings, context.pool));
      messages->send(root, 0, {bytes->data(), bytes->size()}, bytes, 0);
    }
    Backoff backoff(context.alarm, [&] {
      return rank == root ? std::string("strings to gather")
                          : "rank " + std::to_string(root) + " to gather its strings";
    });
    while (left > 0) {
      const std::vector<StringMessages::Done>& through = messages->test(rank == root);
      for (const StringMessages::Done& done : through) {
        const auto bytes = static_cast<std::int64_t>(done.bytes);
        (done.sent ? context.timing.bytes_sent : context.timing.bytes_received) += bytes;
        (done.sent ? context.timing.messages_sent : context.timing.messages_received) += done.messages;
        if (!done.sent) of[static_cast<std::size_t>(done.peer)] = unpacked(done.string, done.memory);
        --left;
      }
      if (through.empty()) {
        backoff.pause();
      } else {
        backoff.progress();
      }
    }
    if (rank != root) return std::nullopt;
    std::vector<LayerString> all;
    for (const std::vector<LayerString>& one : of) all.insert(all.end(), one.begin(), one.end());
    return all;
  } catch (...) {
    messages->abandon();
    keep_for_ever(messages);
    context.alarm.throw_alone();
  }
}

}  // namespace sortlast
