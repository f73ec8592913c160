// Exchange.
#include "sortlast/execute/mpi/exchange.hpp"

#include <algorithm>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

// Strings under way occupy memory, so only as many are encoded as keep the network busy.
constexpr std::size_t max_bytes_under_way = std::size_t{16} << 20;

}  // namespace

Exchange::Exchange(std::shared_ptr<const Plan> plan, Content& content, const FrameContext& context)
    : kept_(std::move(plan)),
      plan_(*kept_),
      program_(plan_.indexed.program),
      content_(content),
      engine_(plan_.indexed, content),
      messages_(context.comm, context.pool),
      received_(program_.receives.size()) {
  if (!plan_.indexed.announced) return;
  for (std::size_t i = 0; i < program_.receives.size(); ++i)
    receive_of_[{program_.receives[i].peer, plan_.receive_tags.number(i)}] = i;
}

// ---- A frame --------------------------------------------------------------------------------------

PixelBuffer Exchange::run_frame(const FrameContext& context, CallArrival* arrival) {
  try {
    begin(context, arrival);
    return run();
  } catch (...) {
    messages_.abandon();
    keep_for_ever(shared_from_this());
    throw;
  }
}

void Exchange::begin(const FrameContext& context, CallArrival* arrival) {
  context_.emplace(context);
  arrival_ = arrival;
  hash_ = arrival == nullptr ? 0 : arrival->hash();
  context_->timing.stages = plan_.schedule->stages();
  receives_left_ = plan_.receive_chunks;
  bytes_under_way_ = 0;
  std::fill(received_.begin(), received_.end(), 0);
  waiting_since_ = -1;
  engine_.begin_frame();
}

PixelBuffer Exchange::run() {
  Backoff backoff(context_->alarm, [this] { return waits_for(); });
  if (shares()) {
    share();
    backoff.progress();
  }
  met();
  engine_.start();
  while (engine_.left() > 0 || !content_.merged() || arrival_ != nullptr) {
    advance(backoff);
    look_at_arrival(backoff);
  }
  const double finishing = trace_clock();
  PixelBuffer result = content_.take_result();
  if (plan_.indexed.announced) took_time(finishing, 0);
  if (shares()) end_sharing();
  content_.end_frame();
  return result;
}

// One turn: start all transfers that can start, then join some pixels; if nothing progressed, wait.
void Exchange::advance(Backoff& backoff) {
  while (const auto chunk = engine_.next_receive()) {
    const Receive& receive = program_.receives[chunk->transfer];
    const int tag = plan_.receive_tags.tag(chunk->transfer, receive.peer, hash_);
    messages_.receive(*chunk, receive.peer, tag, content_.incoming(*chunk));
  }
  // Strings take time to make, so send only one at a time.
  bool progress = send_next();
  while (!plan_.indexed.announced && send_next()) {
  }
  if (take_messages()) progress = true;
  const double begin = trace_clock();
  if (work()) progress = true;
  if (progress) {
    backoff.progress();
    end_wait(begin);
  } else {
    begin_wait(begin);
    backoff.pause();
  }
}

// Join some of the available pixels. Returns whether there were any.
bool Exchange::work() {
  const double begin = trace_clock();
  const std::int64_t bytes = engine_.work();
  if (bytes > 0) took_time(begin, bytes);
  return bytes > 0;
}

// ---- Messages -------------------------------------------------------------------------------------

bool Exchange::send_next() {
  const bool string = plan_.indexed.announced;
  if (string && bytes_under_way_ >= max_bytes_under_way) return false;
  const auto chunk = engine_.next_send();
  if (!chunk) return false;
  const Send& send = program_.sends[chunk->transfer];
  const double begin = trace_clock();
  end_wait(begin);
  const Outgoing message = content_.outgoing(*chunk);
  if (string) {
    const std::size_t bytes = message.planes[0].size();
    took_time(begin, static_cast<std::int64_t>(bytes));
    bytes_under_way_ += bytes;
    messages_.send_string(*chunk, send.peer, plan_.send_tags.number(chunk->transfer), message);
  } else {
    count_search(begin, message.search);
    count(message.coding);
    messages_.send(*chunk, send.peer, plan_.send_tags.tag(chunk->transfer, send.peer, hash_), message);
  }
  return true;
}

bool Exchange::take_messages() {
  const auto& ended = messages_.test(plan_.indexed.announced && receives_left_ > 0);
  const double now = trace_clock();
  for (const Messages::Done& done : ended) {
    const auto bytes = static_cast<std::int64_t>(done.bytes);
    const Chunk chunk = done.sent || !plan_.indexed.announced ? done.chunk : find_receive(done);
    if (done.sent) {
      const Send& send = program_.sends[chunk.transfer];
      record({Activity::send, done.posted, now, send.peer, send.stage, bytes});
      context_->timing.bytes_sent += bytes;
      context_->timing.messages_sent += done.messages;
      if (plan_.indexed.announced) bytes_under_way_ -= done.bytes;
      engine_.sent(chunk);
    } else {
      const Receive& receive = program_.receives[chunk.transfer];
      record({Activity::receive, done.posted, now, receive.peer, receive.stage, bytes});
      context_->timing.bytes_received += bytes;
      context_->timing.messages_received += done.messages;
      ++received_[chunk.transfer];
      --receives_left_;
      engine_.arrived(chunk, done.arrival);
    }
  }
  return !ended.empty();
}

Chunk Exchange::find_receive(const Messages::Done& done) const {
  const auto found = receive_of_.find({done.peer, done.number});
  if (found == receive_of_.end() || received_[found->second] > 0 ||
      plan_.indexed.receives[found->second].spared)
    throw Error("rank " + std::to_string(done.peer) + " has sent a string that nobody expects");
  return {found->second, 0};
}

// Whether the ranks agree is known once all have arrived.
void Exchange::look_at_arrival(Backoff& backoff) {
  if (arrival_ == nullptr || !arrival_->finished()) return;
  if (!arrival_->same()) call_off();
  arrival_ = nullptr;
  backoff.progress();
  end_wait(trace_clock());
}

// The ranks disagree. Messages under way are left alone; the ranks of this node agree with each other, and
// stop reading each other's images.
void Exchange::call_off() {
  if (shares()) {
    release_all();
    end_sharing();
  }
  arrival_->throw_difference(true);
}

// ---- Records --------------------------------------------------------------------------------------

void Exchange::count(Coding coding) {
  switch (coding) {
    case Coding::dense:
      ++context_->traffic.dense;
      break;
    case Coding::sparse:
      ++context_->traffic.sparse;
      break;
    case Coding::absent:
      ++context_->traffic.absent;
      break;
    case Coding::string:
      break;
  }
}

void Exchange::count_search(double begin, double seconds) {
  if (seconds == 0) return;
  context_->timing.search += seconds;
  record({Activity::search, begin, begin + seconds, -1, -1, 0});
}

void Exchange::took_time(double begin, std::int64_t bytes) {
  const double end = trace_clock();
  context_->timing.blend += end - begin;
  record({Activity::blend, begin, end, -1, -1, bytes});
}

void Exchange::end_wait(double now) {
  if (waiting_since_ < 0) return;
  record({Activity::wait, waiting_since_, now, -1, -1, 0});
  context_->timing.wait += now - waiting_since_;
  waiting_since_ = -1;
}

// "rank 3 at stage 2 of shift (and 4 more), and for all ranks to call composite"
std::string Exchange::waits_for() const {
  std::string text;
  std::size_t others = 0;
  for (std::size_t i = 0; i < program_.receives.size(); ++i) {
    const IndexedTransfer& transfer = plan_.indexed.receives[i];
    if (transfer.spared || received_[i] == transfer.chunks) continue;
    const Receive& receive = program_.receives[i];
    if (text.empty()) {
      text = "rank " + std::to_string(receive.peer) + " at stage " + std::to_string(receive.stage) + " of " +
             plan_.schedule->name();
    } else {
      ++others;
    }
  }
  if (others > 0) text += " (and " + std::to_string(others) + " more)";
  if (arrival_ != nullptr) {
    text += (text.empty() ? "" : ", and for ") + ("all ranks to call " + arrival_->call());
  } else if (text.empty()) {
    text = "its last sends of " + plan_.schedule->name() + " to be received";
  }
  return text;
}

}  // namespace sortlast
