// Run: one rank's program at work on real pixels.
//
// A merge is a chain of inputs in a fixed order. It goes on in passes: each pass joins all inputs that are
// there, in the chain's order, in one sweep over memory; inputs that came early are held until those
// before them are there. A pass that is not the last leaves its pixels in the accumulator's scalar, from
// which a later pass goes on without any difference, so the bits do not depend on how the chain was cut.
#include "sortlast/execute/run.hpp"

#include <algorithm>
#include <utility>

namespace sortlast {

Run::Run(const Program& program, const Contribution& contribution, Pool& pool)
    : program_(program),
      own_(contribution),
      pool_(pool),
      held_(program.values.size()),
      joining_(program.merges.size()),
      merges_left_(program.merges.size()) {
  index_steps();
  held_[0].there = true;
  held_[0].absent = own_.pixels.colour == nullptr;
  settled(0);
}

void Run::index_steps() {
  std::vector<bool> is_sent(held_.size(), false);
  for (const Receive& receive : program_.receives) is_sent[static_cast<std::size_t>(receive.value)] = true;
  for (std::size_t i = 0; i < program_.sends.size(); ++i) {
    Held& held = held_[static_cast<std::size_t>(program_.sends[i].value)];
    held.sends.push_back(i);
    ++held.uses;
    is_sent[static_cast<std::size_t>(program_.sends[i].value)] = true;
  }
  for (std::size_t i = 0; i < program_.merges.size(); ++i) {
    const Merge& merge = program_.merges[i];
    Held& target = held_[static_cast<std::size_t>(merge.value)];
    target.writers.push_back(i);
    ++target.merges_left;
    for (const Merge::Input& input : merge.inputs) {
      Held& held = held_[static_cast<std::size_t>(input.value)];
      held.readers.push_back(i);
      ++held.uses;
    }
  }
  for (std::size_t value = 0; value < held_.size(); ++value) {
    held_[value].format = stored_as(static_cast<Value>(value), is_sent);
  }
}

// What a value is stored as. Both ends of a transfer come to the same answer.
Format Run::stored_as(Value value, const std::vector<bool>& is_sent) const {
  Format format = own_.format;
  const Fragment& fragment = program_.values[static_cast<std::size_t>(value)];
  if (value == program_.result || fragment.depth.size() == 1) return format;
  format.scalar = is_sent[static_cast<std::size_t>(value)] ? partial_scalar(format.scalar, own_.op)
                                                           : accumulator_scalar(format.scalar, own_.op);
  return format;
}

Parcel Run::parcel(std::size_t receive) const {
  const auto value = static_cast<std::size_t>(program_.receives[receive].value);
  return {held_[value].format, program_.values[value].pixels.size(), false};
}

Incoming Run::incoming(std::size_t receive) {
  Held& held = held_[static_cast<std::size_t>(program_.receives[receive].value)];
  const Parcel parcel = this->parcel(receive);
  held.memory = Stretch(pool_, parcel.format, parcel.count);
  return {parcel, held.memory.view()};
}

void Run::arrived(std::size_t receive, bool absent) {
  const Value value = program_.receives[receive].value;
  Held& held = held_[static_cast<std::size_t>(value)];
  held.there = true;
  held.absent = absent;
  settled(value);
}

// A value is there (or a part of it is): its sends and readers may be ready.
void Run::settled(Value value) {
  Held& held = held_[static_cast<std::size_t>(value)];
  std::erase_if(held.sends, [this](std::size_t send) {
    if (!ready(program_.sends[send].value, program_.sends[send].pixels)) return false;
    ready_sends_.push_back(send);
    return true;
  });
  candidates_.insert(candidates_.end(), held.readers.begin(), held.readers.end());
}

bool Run::ready(Value value, Range pixels) const {
  const Held& held = held_[static_cast<std::size_t>(value)];
  if (held.there) return true;
  if (held.writers.empty()) return false;
  return std::all_of(held.writers.begin(), held.writers.end(), [&](std::size_t writer) {
    return joining_[writer].complete || intersection(program_.merges[writer].pixels, pixels).empty();
  });
}

// Whether none of the images that these pixels of a value (which is ready) stand for was there.
bool Run::absent(Value value, Range pixels) const {
  const Held& held = held_[static_cast<std::size_t>(value)];
  if (held.writers.empty()) return held.absent;
  return std::none_of(held.writers.begin(), held.writers.end(), [&](std::size_t writer) {
    return joining_[writer].gathered && !intersection(program_.merges[writer].pixels, pixels).empty();
  });
}

ConstPixels Run::view(Value value, Range pixels) const {
  const Held& held = held_[static_cast<std::size_t>(value)];
  const ConstPixels start = value == 0 ? own_.pixels : ConstPixels(held.memory.view());
  return advance(start, held.format,
                 pixels.begin - program_.values[static_cast<std::size_t>(value)].pixels.begin);
}

std::optional<std::size_t> Run::next_send() {
  if (ready_sends_.empty()) return std::nullopt;
  const std::size_t send = ready_sends_.back();
  ready_sends_.pop_back();
  return send;
}

Outgoing Run::outgoing(std::size_t send) const {
  const Send& step = program_.sends[send];
  const Held& held = held_[static_cast<std::size_t>(step.value)];
  if (absent(step.value, step.pixels)) return {{held.format, 0, true}, {}};
  return {{held.format, step.pixels.size(), false}, view(step.value, step.pixels)};
}

void Run::sent(std::size_t send) { release(program_.sends[send].value); }

void Run::release(Value value) {
  Held& held = held_[static_cast<std::size_t>(value)];
  if (--held.uses == 0 && value != program_.result) held.memory = Stretch();
}

std::int64_t Run::blend() {
  while (!candidates_.empty()) {
    const std::size_t merge = candidates_.back();
    Joining& state = joining_[merge];
    if (state.joining > state.joined || start_pass(merge)) return continue_pass(merge);
    candidates_.pop_back();
  }
  return 0;
}

// Begin a pass over all inputs that are there, if that is worth one.
bool Run::start_pass(std::size_t merge) {
  const Merge& step = program_.merges[merge];
  Joining& state = joining_[merge];
  if (state.complete) return false;
  std::size_t end = state.joined;
  while (end < step.inputs.size() && ready(step.inputs[end].value, step.pixels)) ++end;
  const std::size_t least = state.joined == 0 ? std::min<std::size_t>(2, step.inputs.size()) : 1;
  if (end - state.joined < least) return false;
  state.joining = end;
  state.done = 0;
  return true;
}

// Where a pass puts its pixels: into the value, or, if they are not final and may not be rounded yet,
// into an accumulator.
Pixels Run::accumulate_into(std::size_t merge, bool last) {
  const Merge& step = program_.merges[merge];
  Joining& state = joining_[merge];
  Held& target = held_[static_cast<std::size_t>(step.value)];
  const Fragment& whole = program_.values[static_cast<std::size_t>(step.value)];
  if (last || target.format.scalar == accumulator_scalar(own_.format.scalar, own_.op)) {
    if (target.memory.view().colour == nullptr)
      target.memory = Stretch(pool_, target.format, whole.pixels.size());
    return advance(target.memory.view(), target.format, step.pixels.begin - whole.pixels.begin);
  }
  if (state.accumulator.view().colour == nullptr) {
    Format format = target.format;
    format.scalar = accumulator_scalar(own_.format.scalar, own_.op);
    state.accumulator = Stretch(pool_, format, step.pixels.size());
  }
  return state.accumulator.view();
}

std::int64_t Run::continue_pass(std::size_t merge) {
  const Merge& step = program_.merges[merge];
  Joining& state = joining_[merge];
  const bool last = state.joining == step.inputs.size();
  const Held& target = held_[static_cast<std::size_t>(step.value)];
  Format accumulated = target.format;
  accumulated.scalar = accumulator_scalar(own_.format.scalar, own_.op);
  const Format out_format = last ? target.format : accumulated;
  const Range unit{step.pixels.begin + state.done,
                   std::min(step.pixels.end, step.pixels.begin + state.done + blend_unit)};

  // Collect the links: what was gathered, and the inputs of this pass that are not absent.
  const Pixels out = accumulate_into(merge, last);
  std::vector<Link> chain;
  if (state.gathered) {
    const Pixels gathered = state.accumulator.view().colour != nullptr ? state.accumulator.view() : out;
    chain.push_back(
        {advance(ConstPixels(gathered), accumulated, state.done), accumulated.scalar, Side::back});
  }
  for (std::size_t i = state.joined; i < state.joining; ++i) {
    const Merge::Input input = step.inputs[i];
    const Held& held = held_[static_cast<std::size_t>(input.value)];
    if (absent(input.value, unit)) continue;
    chain.push_back({view(input.value, unit), held.format.scalar, input.front ? Side::front : Side::back});
  }

  // Blend one unit of pixels.
  if (!chain.empty()) {
    sortlast::blend(own_.op, own_.format.channels, own_.format.depth, chain,
                    advance(out, out_format, state.done), out_format.scalar, unit.size());
  }
  state.done += unit.size();
  const auto bytes = static_cast<std::int64_t>(chain.size() * own_.format.pixel_bytes()) * unit.size();
  if (state.done == step.pixels.size() || chain.empty()) {
    state.gathered = !chain.empty();
    finish_pass(merge);
  }
  return std::max<std::int64_t>(bytes, 1);
}

void Run::finish_pass(std::size_t merge) {
  const Merge& step = program_.merges[merge];
  Joining& state = joining_[merge];
  for (std::size_t i = state.joined; i < state.joining; ++i) release(step.inputs[i].value);
  state.joined = state.joining;
  if (state.joined == step.inputs.size()) complete(merge);
}

void Run::complete(std::size_t merge) {
  const Merge& step = program_.merges[merge];
  Joining& state = joining_[merge];
  Held& target = held_[static_cast<std::size_t>(step.value)];
  state.accumulator = Stretch();
  state.complete = true;
  --merges_left_;

  // Where others write the rest of the value, these pixels must change nothing.
  if (!state.gathered && target.writers.size() > 1) {
    fill_identity(own_.op, target.format, accumulate_into(merge, true), step.pixels.size());
  }
  if (--target.merges_left == 0) target.there = true;
  settled(step.value);
}

Stretch Run::take_result() {
  const Value result = program_.result;
  if (result < 0) return {};
  Held& held = held_[static_cast<std::size_t>(result)];
  const Range whole = program_.values[static_cast<std::size_t>(result)].pixels;
  if (absent(result, whole)) {
    Stretch nothing(pool_, held.format, whole.size());
    fill_absent(own_.op, held.format, own_.background, nothing.view(), whole.size());
    return nothing;
  }
  if (result != 0) return std::exchange(held.memory, Stretch());
  Stretch copy(pool_, held.format, whole.size());
  const Link own{own_.pixels, own_.format.scalar, Side::back};
  sortlast::blend(own_.op, own_.format.channels, own_.format.depth, {&own, 1}, copy.view(),
                  own_.format.scalar, whole.size());
  return copy;
}

}  // namespace sortlast
