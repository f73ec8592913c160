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

namespace sortlast {
namespace {

constexpr std::int64_t least_share = 2048;  // pixels that are worth waking a thread for

}  // namespace

Run::Run(const Program& program, const Contribution& contribution, const WireOptions& wire, Pool& pool,
         Team& team)
    : program_(program),
      own_(contribution),
      wire_(wire),
      pool_(pool),
      team_(team),
      chunk_pixels_(wire.chunk_pixels(contribution.format)),
      held_(program.values.size()),
      joining_(program.merges.size()),
      sends_(program.sends.size()),
      receives_(program.receives.size()),
      merges_left_(program.merges.size()) {
  index_steps();
  find_aliases();
  held_[0].absent = own_.image.pixels.colour == nullptr;
  if (in_runs(own_.image)) own_runs_ = runs_of(own_.image, held_[0].pixels);
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
  Flow& flow = receives_[receive];
  const Receive& step = program_.receives[receive];
  if (step.stage > open_ || held(step.value).referred || flow.queued) return;
  if (flow.begun == flow.chunks || flow.begun - flow.done >= flow.window) return;
  ready_receives_.emplace(step.stage, flow.begun, receive);
  flow.queued = true;
}

// Let the next chunk of a send go, if it is there.
void Run::offer_send(std::size_t send) {
  Flow& flow = sends_[send];
  const Send& step = program_.sends[send];
  if (flow.queued || flow.begun == flow.chunks || flow.begun - flow.done >= window) return;
  if (!ready(step.value, chunk_of(step.pixels, flow.begun))) return;
  ready_sends_.emplace(step.stage, flow.begun, send);
  flow.queued = true;
}

// More of a value is there: its sends and readers may go on.
void Run::settled(Value value) {
  for (const std::size_t send : held(value).sends) offer_send(send);
  for (const std::size_t merge : held(value).readers) {
    if (!joining_[merge].complete) candidates_.push_back(merge);
  }
}

std::optional<Chunk> Run::next_receive() {
  if (ready_receives_.empty()) return std::nullopt;
  const auto [stage, number, receive] = *ready_receives_.begin();
  ready_receives_.erase(ready_receives_.begin());
  Flow& flow = receives_[receive];
  flow.queued = false;
  ++flow.begun;
  offer_receive(receive);
  return Chunk{receive, number};
}

Incoming Run::incoming(Chunk chunk) {
  Held& to = held(program_.receives[chunk.transfer].value);
  const Range pixels = chunk_of(to.pixels, chunk.number);
  const PixelBuffer room = take_pixels(pool_, to.format, pixels.size());
  Part& part = to.parts[static_cast<std::size_t>(chunk.number)];
  part.memory = room.memory();
  part.pixels = room.view();
  return {to.format, pixels.size(), room.view()};
}

void Run::arrived(Chunk chunk, std::size_t colour_bytes) {
  const Value value = program_.receives[chunk.transfer].value;
  Held& to = held(value);
  Part& part = to.parts[static_cast<std::size_t>(chunk.number)];
  const Incoming room{to.format, chunk_of(to.pixels, chunk.number).size(), {}};
  const Content content = room.content(colour_bytes);
  to.absent = content == Content::absent;
  if (content == Content::sparse) {
    const Packed packed = unpack(to.format, part.memory.get(), colour_bytes, room.count);
    part.sparse = true;
    part.pixels = packed.pixels;
    part.runs = packed.runs;
  }
  part.there = true;
  settled(value);
}

std::optional<Chunk> Run::next_send() {
  if (ready_sends_.empty() || std::get<0>(*ready_sends_.begin()) > open_) return std::nullopt;
  const auto [stage, number, send] = *ready_sends_.begin();
  ready_sends_.erase(ready_sends_.begin());
  Flow& flow = sends_[send];
  flow.queued = false;
  ++flow.begun;
  offer_send(send);
  return Chunk{send, number};
}

Outgoing Run::outgoing(Chunk chunk) {
  const Send& step = program_.sends[chunk.transfer];
  const Range pixels = chunk_of(step.pixels, chunk.number);
  if (held(step.value).absent)
    return {Content::absent, wire_.on_the_wire(held(step.value).format, own_.format), pixels.size()};
  PixelBuffer copy;
  std::vector<ActiveRun> runs;
  const Load load = step.value == 0 ? own_load(pixels, runs) : this->load(step.value, pixels, copy);
  Outgoing parcel = encode(wire_, own_.format, load, pool_);
  if (!parcel.memory) parcel.memory = copy.memory();
  return parcel;
}

void Run::sent(Chunk chunk) {
  const Send& step = program_.sends[chunk.transfer];
  Flow& flow = sends_[chunk.transfer];
  use_up(step.value, chunk_of(step.pixels, chunk.number));
  if (++flow.done == flow.chunks) release(step.value);
  offer_send(chunk.transfer);
}

std::int64_t Run::blend() {
  while (!candidates_.empty()) {
    const std::size_t merge = candidates_.back();
    const Joining& state = joining_[merge];
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
  Joining& state = joining_[merge];
  if (state.complete) return false;
  const auto begun = [&](Value value) { return ready_until(value, step.pixels.begin) > step.pixels.begin; };
  std::size_t end = state.joined;
  while (end < step.inputs.size() && begun(step.inputs[end].value)) ++end;
  const std::size_t least = state.joined == 0 ? std::min<std::size_t>(2, step.inputs.size()) : 1;
  if (end - state.joined < least) return false;
  state.joining = end;
  state.done = 0;
  state.gathering = state.gathered;
  for (std::size_t i = state.joined; i < end; ++i) {
    if (!held(step.inputs[i].value).absent) state.gathering = true;
  }
  if (end == step.inputs.size()) held(step.value).absent = !state.gathering;
  return true;
}

// The pixels of a pass that can be blended next; empty if some are not there yet.
Range Run::next_unit(std::size_t merge) const {
  const Merge& step = program_.merges[merge];
  const Joining& state = joining_[merge];
  Range unit{step.pixels.begin + state.done, 0};
  unit.end = std::min(step.pixels.end, unit.begin + blend_unit * team_.size());
  for (std::size_t i = state.joined; i < state.joining; ++i) {
    const Value value = step.inputs[i].value;
    unit.end = std::min({unit.end, ready_until(value, unit.begin), contiguous_until(value, unit.begin)});
  }
  return unit;
}

// Where a pass puts its pixels: into the value, or, if they are not final and may not be rounded yet,
// into an accumulator.
Pixels Run::accumulate_into(std::size_t merge, bool last) {
  const Merge& step = program_.merges[merge];
  Joining& state = joining_[merge];
  Held& target = held(step.value);
  if (last || target.format.scalar == accumulator_scalar(own_.format.scalar, own_.op)) {
    if (target.memory.view().colour == nullptr) {
      const PixelBuffer source = target.alias < 0 ? PixelBuffer() : held(target.alias).memory;
      if (step.value == program_.result && own_.result.view().colour != nullptr) {
        target.memory = own_.result;
      } else if (source.view().colour != nullptr) {
        const std::int64_t offset = target.pixels.begin - held(target.alias).pixels.begin;
        target.memory = PixelBuffer(source.memory(), advance(source.view(), target.format, offset));
      } else {
        target.memory = take_pixels(pool_, target.format, target.pixels.size());
      }
    }
    return advance(target.memory.view(), target.format, step.pixels.begin - target.pixels.begin);
  }
  if (state.accumulator.view().colour == nullptr) {
    Format format = target.format;
    format.scalar = accumulator_scalar(own_.format.scalar, own_.op);
    state.accumulator = take_pixels(pool_, format, step.pixels.size());
  }
  return state.accumulator.view();
}

std::int64_t Run::blend_unit_of(std::size_t merge, Range unit) {
  const Merge& step = program_.merges[merge];
  Joining& state = joining_[merge];
  const bool last = state.joining == step.inputs.size();
  std::int64_t bytes = 0;

  if (state.gathering) {
    const Format target = held(step.value).format;
    Format accumulated = target;
    accumulated.scalar = accumulator_scalar(own_.format.scalar, own_.op);
    const Format out_format = last ? target : accumulated;

    // Collect the links: what was gathered, and the inputs of this pass that are not absent.
    const Pixels out = accumulate_into(merge, last);
    std::vector<Link> chain;
    if (state.gathered) {
      const Pixels gathered = state.accumulator.view().colour != nullptr ? state.accumulator.view() : out;
      chain.push_back(
          {advance(ConstPixels(gathered), accumulated, state.done), accumulated.scalar, Side::back});
    }
    staged_ = staged_links_ = 0;
    for (std::size_t i = state.joined; i < state.joining; ++i) {
      const Merge::Input input = step.inputs[i];
      if (held(input.value).absent) continue;
      chain.push_back(link(input.value, unit, input.front ? Side::front : Side::back));
    }
    share_out(chain, out_format, advance(out, out_format, state.done), unit.size());
    bytes = static_cast<std::int64_t>(chain.size() * own_.format.pixel_bytes()) * unit.size();
  }

  state.done += unit.size();
  for (std::size_t i = state.joined; i < state.joining; ++i) use_up(step.inputs[i].value, unit);
  if (state.done == step.pixels.size()) {
    finish_pass(merge);
  }
  if (last) settled(step.value);
  return std::max<std::int64_t>(bytes, 1);
}

// Blend n pixels, each thread of the team a part of them.
void Run::share_out(const std::vector<Link>& chain, const Format& format, Pixels out, std::int64_t n) {
  const auto blend_part = [&](std::span<const Link> links, Range part) {
    sortlast::blend(own_.op, format.channels, format.depth, links, advance(out, format, part.begin),
                    format.scalar, part.size());
  };
  if (team_.size() == 1 || n < least_share * team_.size()) {
    blend_part(chain, {0, n});
    return;
  }
  team_.run([&](int number) {
    const Range part = piece_of(n, team_.size(), number);
    std::vector<Link> links = chain;
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
  Joining& state = joining_[merge];
  for (std::size_t i = state.joined; i < state.joining; ++i) release(step.inputs[i].value);
  state.joined = state.joining;
  state.gathered = state.gathering;
  if (state.joined < step.inputs.size()) return;
  state.accumulator = PixelBuffer();
  state.complete = true;
  --merges_left_;
}

PixelBuffer Run::take_result() {
  const Value result = program_.result;
  if (result < 0) return {};
  Held& from = held(result);
  const std::int64_t n = from.pixels.size();
  if (!from.absent && result != 0 && from.parts.empty()) return std::exchange(from.memory, PixelBuffer());
  const PixelBuffer to =
      own_.result.view().colour != nullptr ? own_.result : take_pixels(pool_, own_.format, n);
  if (from.absent) {
    fill_absent(own_.op, own_.format, own_.background, to.view(), n);
  } else {
    materialise(result, from.pixels, to.view());
  }
  return to;
}

}  // namespace sortlast
