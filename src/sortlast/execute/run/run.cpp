// Run: one rank's program at work on real pixels.
//
// A merge is a chain of inputs in a fixed order. It goes on in passes: each pass joins all inputs that have
// begun to arrive, in the chain's order, in one sweep over memory that follows the slowest of them; inputs
// that come later are held until the next pass. A pass that is not the last leaves its pixels in the
// accumulator's scalar, from which a later pass goes on without any difference, so the bits do not depend on
// how the chain was cut.
#include "sortlast/execute/run/run.hpp"

#include <algorithm>
#include <utility>

#include "sortlast/cores.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t least_share = 2048;  // pixels that are worth waking a thread for

// Whether the images that are blended and the frame that they become, two frames at the least, push each
// other out of the cache.
bool outgrows_cache(const Format& format, const Size& size) {
  static const std::size_t cache = largest_cache();
  return 2 * PixelBuffer::bytes(format, size.pixels()) > cache;
}

}  // namespace

Run::Run(const IndexedProgram& program, Pool& pool, Team& team)
    : index_(program),
      program_(program.program),
      team_(team),
      pool_(pool),
      values_(program, pool),
      merges_(program_.merges.size()),
      sends_(program_.sends.size()),
      receives_(program_.receives.size()) {}

void Run::begin_frame(const Contribution& contribution) {
  values_.begin_frame(contribution);
  frame_outgrows_cache_ = outgrows_cache(index_.image, contribution.image.size);
  open_ = 0;
  std::fill(merges_.begin(), merges_.end(), MergeState());
  std::fill(sends_.begin(), sends_.end(), Flow());
  std::fill(receives_.begin(), receives_.end(), Flow());
  ready_sends_.clear();
  ready_receives_.clear();
  candidates_.clear();
  merges_left_ = merges_.size();
}

void Run::place(const PixelBuffer& result) {
  values_.place(result);
  for (std::size_t merge = 0; merge < merges_.size(); ++merge) {
    if (program_.merges[merge].value == program_.result) candidates_.push_back(merge);
  }
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
  for (const std::size_t merge : index_.value(value).readers) {
    if (!merges_[merge].complete) candidates_.push_back(merge);
  }
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
  while (!candidates_.empty()) {
    const std::size_t merge = candidates_.back();
    const MergeState& state = merges_[merge];
    if (state.joining > state.joined || start_pass(merge)) {
      const Range unit = next_unit(merge);
      if (!unit.empty()) return blend_unit_of(merge, unit);
    }
    candidates_.pop_back();
  }
  return 0;
}

// Begin a pass over all inputs that have begun to arrive, if that is worth one.
bool Run::start_pass(std::size_t merge) {
  const Merge& step = program_.merges[merge];
  MergeState& state = merges_[merge];
  if (state.complete) return false;
  const auto begun = [&](Value value) {
    return values_.ready_until(value, step.pixels.begin) > step.pixels.begin;
  };
  std::size_t end = state.joined;
  while (end < step.inputs.size() && begun(step.inputs[end].value)) ++end;
  const std::size_t least = state.joined == 0 ? std::min<std::size_t>(2, step.inputs.size()) : 1;
  if (end - state.joined < least) return false;
  if (end == step.inputs.size() && !values_.placed(step.value)) return false;
  state.joining = end;
  state.done = 0;
  state.gathering = state.gathered;
  for (std::size_t i = state.joined; i < end; ++i) {
    if (!values_.absent(step.inputs[i].value)) state.gathering = true;
  }
  if (end == step.inputs.size()) values_.set_absent(step.value, !state.gathering);
  return true;
}

// The pixels of a pass that can be blended next; empty if some are not there yet.
Range Run::next_unit(std::size_t merge) const {
  const Merge& step = program_.merges[merge];
  const MergeState& state = merges_[merge];
  Range unit{step.pixels.begin + state.done, 0};
  unit.end = std::min(step.pixels.end, unit.begin + blend_unit * team_.size());
  for (std::size_t i = state.joined; i < state.joining; ++i) {
    const Value value = step.inputs[i].value;
    unit.end = std::min(
        {unit.end, values_.ready_until(value, unit.begin), values_.contiguous_until(value, unit.begin)});
  }
  return unit;
}

// Where a pass puts its pixels: into the value, or, if they are not final and may not be rounded yet, or the
// value has no place yet, into an accumulator.
Pixels Run::accumulate_into(std::size_t merge, bool last) {
  const Merge& step = program_.merges[merge];
  MergeState& state = merges_[merge];
  Format format = index_.value(step.value).format;
  const Scalar scalar = accumulator_scalar(index_.image.scalar, index_.op);
  const bool begun = state.accumulator.view().colour != nullptr;
  const bool kept_there = format.scalar == scalar && values_.placed(step.value) && !begun;
  if (last || kept_there) return values_.target(step.value, step.pixels.begin);
  if (!begun) {
    format.scalar = scalar;
    state.accumulator = take_pixels(pool_, format, step.pixels.size());
  }
  return state.accumulator.view();
}

std::int64_t Run::blend_unit_of(std::size_t merge, Range unit) {
  const Merge& step = program_.merges[merge];
  MergeState& state = merges_[merge];
  const bool last = state.joining == step.inputs.size();
  const std::int64_t bytes = state.gathering ? join(merge, unit, last) : 0;
  state.done += unit.size();
  for (std::size_t i = state.joined; i < state.joining; ++i) use_up(step.inputs[i].value, unit);
  if (last) values_.merged(merge, unit.end);
  if (state.done == step.pixels.size()) finish_pass(merge);
  if (last) settled(step.value);
  return std::max<std::int64_t>(bytes, 1);
}

// Blend a unit of a pass of which not all is absent: what was gathered, and the inputs that are not absent.
// Returns the bytes that were read.
std::int64_t Run::join(std::size_t merge, Range unit, bool last) {
  const Merge& step = program_.merges[merge];
  MergeState& state = merges_[merge];
  const Format target = index_.value(step.value).format;
  Format accumulated = target;
  accumulated.scalar = accumulator_scalar(index_.image.scalar, index_.op);

  const Pixels out = accumulate_into(merge, last);
  chain_.clear();
  if (state.gathered) {
    const Pixels gathered = state.accumulator.view().colour != nullptr ? state.accumulator.view() : out;
    chain_.push_back(
        {advance(ConstPixels(gathered), accumulated, state.done), accumulated.scalar, Side::back});
  }
  values_.begin_unit();
  for (std::size_t i = state.joined; i < state.joining; ++i) {
    const Merge::Input input = step.inputs[i];
    if (values_.absent(input.value)) continue;
    chain_.push_back(values_.link(input.value, unit, input.front ? Side::front : Side::back));
  }
  const Format& out_format = last ? target : accumulated;
  share_out(
      out_format, advance(out, out_format, state.done), unit.size(),
      last ? values_.background_of(step.value) : nullptr,
      last && step.value == program_.result && frame_outgrows_cache_ ? Stores::streaming : Stores::cached);
  return static_cast<std::int64_t>(chain_.size() * index_.image.pixel_bytes()) * unit.size();
}

// Blend n pixels of the chain, each thread of the team a part of them, and put a background, if there is one,
// behind them.
void Run::share_out(const Format& format, Pixels out, std::int64_t n, const Background* background,
                    Stores stores) {
  const auto blend_part = [&](std::span<const Link> links, Range part) {
    sortlast::blend(index_.op, format.channels, format.depth, links, advance(out, format, part.begin),
                    format.scalar, part.size(), background, stores);
  };
  if (team_.size() == 1 || n < least_share * team_.size()) {
    blend_part(chain_, {0, n});
    return;
  }
  team_.run([&](int number) {
    const Range part = piece_of(n, team_.size(), number);
    std::vector<Link> links = chain_;
    for (Link& link : links) {
      if (link.sparse) {
        link.first += part.begin;
      } else {
        const Format stored{link.scalar, format.channels, format.depth};
        link.pixels = advance(link.pixels, stored, part.begin);
      }
    }
    blend_part(links, part);
  });
}

void Run::finish_pass(std::size_t merge) {
  const Merge& step = program_.merges[merge];
  MergeState& state = merges_[merge];
  for (std::size_t i = state.joined; i < state.joining; ++i) values_.release(step.inputs[i].value);
  state.joined = state.joining;
  state.gathered = state.gathering;
  if (state.joined < step.inputs.size()) return;
  state.accumulator = PixelBuffer();
  state.complete = true;
  --merges_left_;
}

}  // namespace sortlast
