// Engine.
#include "sortlast/execute/engine/engine.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sortlast {

Engine::Engine(const IndexedProgram& program, Content& content)
    : index_(program),
      program_(program.program),
      content_(content),
      sends_(program_.sends.size()),
      receives_(program_.receives.size()) {
  const auto count = [&](const auto& steps, const std::vector<IndexedTransfer>& transfers) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto stage = static_cast<std::size_t>(steps[i].stage);
      chunks_.resize(std::max(chunks_.size(), stage + 1), 0);
      if (!transfers[i].spared) chunks_[stage] += transfers[i].chunks;
    }
  };
  count(program_.sends, index_.sends);
  count(program_.receives, index_.receives);
}

void Engine::begin_frame() {
  left_ = chunks_;
  all_left_ = std::accumulate(chunks_.begin(), chunks_.end(), std::int64_t{0});
  oldest_ = 1;
  open_ = 0;
  std::fill(sends_.begin(), sends_.end(), Flow());
  std::fill(receives_.begin(), receives_.end(), Flow());
  ready_sends_.clear();
  ready_receives_.clear();
}

void Engine::start() {
  if (open_ > 0) return;
  open_stages();
  settled(0);
}

void Engine::open_stages() {
  const auto stages = static_cast<std::int32_t>(left_.size()) - 1;
  while (oldest_ <= stages && left_[static_cast<std::size_t>(oldest_)] == 0) ++oldest_;
  const std::int32_t last =
      index_.stage_window == 0 ? std::max(stages, 1) : oldest_ + index_.stage_window - 1;
  const std::int32_t before = std::exchange(open_, last);
  if (index_.announced || before == last) return;
  for (std::size_t i = 0; i < program_.receives.size(); ++i) {
    const std::int32_t of = program_.receives[i].stage;
    if (of > before && of <= last) offer_receive(i);
  }
}

void Engine::completed(std::int32_t stage) {
  --all_left_;
  if (--left_[static_cast<std::size_t>(stage)] == 0) open_stages();
}

// Queue the next chunk of a receive, if it may be posted.
void Engine::offer_receive(std::size_t receive) {
  const IndexedTransfer& transfer = index_.receives[receive];
  Flow& flow = receives_[receive];
  const std::int32_t stage = program_.receives[receive].stage;
  if (stage > open_ || transfer.spared || flow.queued) return;
  if (flow.begun == transfer.chunks || flow.begun - flow.done >= transfer.window) return;
  ready_receives_.emplace(stage, flow.begun, receive);
  flow.queued = true;
}

// Queue the next chunk of a send, if its pixels are ready.
void Engine::offer_send(std::size_t send) {
  const IndexedTransfer& transfer = index_.sends[send];
  Flow& flow = sends_[send];
  const Send& step = program_.sends[send];
  if (flow.queued || flow.begun == transfer.chunks || flow.begun - flow.done >= transfer.window) return;
  if (!content_.ready(step.value, index_.chunk_of(step.pixels, flow.begun))) return;
  ready_sends_.emplace(step.stage, flow.begun, send);
  flow.queued = true;
}

// More of a value is available: its sends and the merges that read it may continue.
void Engine::settled(Value value) {
  for (const std::size_t send : index_.value(value).sends) offer_send(send);
  for (const std::size_t merge : index_.value(value).readers)
    if (content_.offer(merge)) settled(program_.merges[merge].value);
}

std::optional<Chunk> Engine::next_receive() {
  if (ready_receives_.empty()) return std::nullopt;
  const auto [stage, number, receive] = ready_receives_.top();
  ready_receives_.pop();
  Flow& flow = receives_[receive];
  flow.queued = false;
  ++flow.begun;
  offer_receive(receive);
  return Chunk{receive, number};
}

void Engine::arrived(Chunk chunk, const Arrived& arrival) {
  const Receive& step = program_.receives[chunk.transfer];
  content_.arrived(chunk, arrival);
  settled(step.value);
  completed(step.stage);
}

std::optional<Chunk> Engine::next_send() {
  if (ready_sends_.empty() || std::get<0>(ready_sends_.top()) > open_) return std::nullopt;
  const auto [stage, number, send] = ready_sends_.top();
  ready_sends_.pop();
  Flow& flow = sends_[send];
  flow.queued = false;
  ++flow.begun;
  offer_send(send);
  return Chunk{send, number};
}

void Engine::sent(Chunk chunk) {
  const Send& step = program_.sends[chunk.transfer];
  use_up(step.value, index_.chunk_of(step.pixels, chunk.number));
  if (++sends_[chunk.transfer].done == index_.sends[chunk.transfer].chunks) content_.release(step.value);
  offer_send(chunk.transfer);
  completed(step.stage);
}

// A merge or send no longer needs some pixels: as many chunks as it used up may be received.
void Engine::use_up(Value value, Range pixels) {
  const std::int64_t chunks = content_.use_up(value, pixels);
  if (chunks == 0) return;
  const std::size_t receive = index_.value(value).receive;
  receives_[receive].done += chunks;
  offer_receive(receive);
}

std::int64_t Engine::work() {
  const auto work = content_.work([this](Value value, Range pixels) { use_up(value, pixels); });
  if (!work) return 0;
  if (work->value >= 0) settled(work->value);
  return std::max<std::int64_t>(work->bytes, 1);
}

}  // namespace sortlast
