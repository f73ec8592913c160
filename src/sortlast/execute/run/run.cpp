// Run: one rank's program at work on real pixels.
#include "sortlast/execute/run/run.hpp"

#include <algorithm>
#include <utility>

namespace sortlast {

Run::Run(const IndexedProgram& program, Pool& pool, Team& team)
    : index_(program),
      program_(program.program),
      values_(program, pool),
      passes_(program, values_, pool, team),
      sends_(program_.sends.size()),
      receives_(program_.receives.size()) {}

void Run::begin_frame(const Contribution& contribution) {
  values_.begin_frame(contribution);
  passes_.begin_frame(contribution.image.size);
  open_ = 0;
  std::fill(sends_.begin(), sends_.end(), Flow());
  std::fill(receives_.begin(), receives_.end(), Flow());
  ready_sends_.clear();
  ready_receives_.clear();
}

void Run::refer(std::size_t receive, Reference reference) {
  const Value value = program_.receives[receive].value;
  values_.refer(value, std::move(reference));
  settled(value);
}

void Run::open(std::int32_t stage) {
  if (stage <= open_) return;
  const std::int32_t before = std::exchange(open_, stage);
  if (before == 0) settled(0);
  for (std::size_t i = 0; i < program_.receives.size(); ++i) {
    const std::int32_t of = program_.receives[i].stage;
    if (of > before && of <= stage) offer_receive(i);
  }
}

// Let the next chunk of a receive be posted, if it may.
void Run::offer_receive(std::size_t receive) {
  const IndexedTransfer& transfer = index_.receives[receive];
  Flow& flow = receives_[receive];
  const std::int32_t stage = program_.receives[receive].stage;
  if (stage > open_ || transfer.spared || flow.queued) return;
  if (flow.begun == transfer.chunks || flow.begun - flow.done >= transfer.window) return;
  ready_receives_.emplace(stage, flow.begun, receive);
  flow.queued = true;
}

// Let the next chunk of a send go, if it is there.
void Run::offer_send(std::size_t send) {
  const IndexedTransfer& transfer = index_.sends[send];
  Flow& flow = sends_[send];
  const Send& step = program_.sends[send];
  if (flow.queued || flow.begun == transfer.chunks || flow.begun - flow.done >= transfer.window) return;
  if (!values_.ready(step.value, index_.chunk_of(step.pixels, flow.begun))) return;
  ready_sends_.emplace(step.stage, flow.begun, send);
  flow.queued = true;
}

// More of a value is there: its sends and readers may go on.
void Run::settled(Value value) {
  for (const std::size_t send : index_.value(value).sends) offer_send(send);
  for (const std::size_t merge : index_.value(value).readers) passes_.offer(merge);
}

std::optional<Chunk> Run::next_receive() {
  if (ready_receives_.empty()) return std::nullopt;
  const auto [stage, number, receive] = ready_receives_.top();
  ready_receives_.pop();
  Flow& flow = receives_[receive];
  flow.queued = false;
  ++flow.begun;
  offer_receive(receive);
  return Chunk{receive, number};
}

Incoming Run::incoming(Chunk chunk) {
  return values_.room_for(program_.receives[chunk.transfer].value, chunk.number);
}

void Run::arrived(Chunk chunk, std::size_t colour_bytes) {
  const Value value = program_.receives[chunk.transfer].value;
  values_.arrived(value, chunk.number, colour_bytes);
  settled(value);
}

std::optional<Chunk> Run::next_send() {
  if (ready_sends_.empty() || std::get<0>(ready_sends_.top()) > open_) return std::nullopt;
  const auto [stage, number, send] = ready_sends_.top();
  ready_sends_.pop();
  Flow& flow = sends_[send];
  flow.queued = false;
  ++flow.begun;
  offer_send(send);
  return Chunk{send, number};
}

Outgoing Run::outgoing(Chunk chunk) {
  const Send& step = program_.sends[chunk.transfer];
  return values_.encoded(step.value, index_.chunk_of(step.pixels, chunk.number));
}

void Run::sent(Chunk chunk) {
  const Send& step = program_.sends[chunk.transfer];
  use_up(step.value, index_.chunk_of(step.pixels, chunk.number));
  if (++sends_[chunk.transfer].done == index_.sends[chunk.transfer].chunks) values_.release(step.value);
  offer_send(chunk.transfer);
}

// A merge or send is through with some pixels: what they took may be received anew.
void Run::use_up(Value value, Range pixels) {
  const std::int64_t parts = values_.use_up(value, pixels);
  if (parts == 0) return;
  const std::size_t receive = index_.value(value).receive;
  receives_[receive].done += parts;
  offer_receive(receive);
}

std::int64_t Run::blend() {
  const auto blended = passes_.blend([this](Value value, Range pixels) { use_up(value, pixels); });
  if (!blended) return 0;
  if (blended->value >= 0) settled(blended->value);
  return std::max<std::int64_t>(blended->bytes, 1);
}

}  // namespace sortlast
