// IndexedProgram.
#include "sortlast/content/indexed_program.hpp"

#include <algorithm>
#include <utility>

#include "sortlast/image/blend.hpp"
#include "sortlast/schedule/nodes.hpp"

namespace sortlast {

IndexedProgram::IndexedProgram(const Schedule& schedule, std::int32_t rank, const Format& format, Op blending,
                               const WireOptions& wire_options)
    : program(schedule.program(rank)),
      stage_window(schedule.window()),
      image(format),
      op(blending),
      wire(wire_options),
      chunk_pixels(wire.chunk_pixels(format, blending)),
      values(program.values.size()),
      sends(program.sends.size()),
      receives(program.receives.size()) {
  spare_transfers(schedule.setting());
  list_uses();
  store();
  cut_into_parts();
  find_aliases();
  find_values_between();
  if (stage_window > 0) receive_ahead();
}

IndexedProgram::IndexedProgram(const Schedule& schedule, std::int32_t rank)
    : program(schedule.program(rank)),
      stage_window(schedule.window()),
      announced(true),
      op(Op::add),
      chunk_pixels(std::max<std::int64_t>(1, schedule.n())),
      values(program.values.size()),
      sends(program.sends.size()),
      receives(program.receives.size()) {
  spare_transfers(schedule.setting());
  list_uses();
  for (std::size_t i = 0; i < values.size(); ++i) values[i].pixels = program.values[i].pixels;
  for (IndexedTransfer& send : sends) send.chunks = send.window = 1;
  for (std::size_t i = 0; i < receives.size(); ++i) {
    receives[i].chunks = receives[i].window = 1;
    values[static_cast<std::size_t>(program.receives[i].value)].receive = i;
  }
}

void IndexedProgram::spare_transfers(const Setting& setting) {
  const SparedTransfers spared = spared_transfers(program, setting);
  for (std::size_t i = 0; i < sends.size(); ++i) sends[i].spared = spared.sends[i];
  for (std::size_t i = 0; i < receives.size(); ++i) receives[i].spared = spared.receives[i];
}

void IndexedProgram::list_uses() {
  const auto of = [&](Value value) -> IndexedValue& { return values[static_cast<std::size_t>(value)]; };
  for (std::size_t i = 0; i < program.sends.size(); ++i) {
    if (sends[i].spared) continue;
    of(program.sends[i].value).sends.push_back(i);
    ++of(program.sends[i].value).uses;
  }
  for (std::size_t i = 0; i < program.merges.size(); ++i) {
    const Merge& merge = program.merges[i];
    of(merge.value).writers.push_back(i);
    for (const Merge::Input& input : merge.inputs) {
      of(input.value).readers.push_back(i);
      ++of(input.value).uses;
    }
  }
}

// The storage format of each value. Both ends of a transfer get the same answer.
void IndexedProgram::store() {
  std::vector<bool> travels(values.size(), false);
  for (const Send& send : program.sends) travels[static_cast<std::size_t>(send.value)] = true;
  for (const Receive& receive : program.receives) travels[static_cast<std::size_t>(receive.value)] = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Fragment& fragment = program.values[i];
    values[i].pixels = fragment.pixels;
    values[i].format = image;
    if (static_cast<Value>(i) == program.result || fragment.depth.size() == 1) continue;
    values[i].format.scalar =
        travels[i] ? partial_scalar(image.scalar, op) : accumulator_scalar(image.scalar, op);
  }
}

// Cut received values into parts, and count the uses of each part.
void IndexedProgram::cut_into_parts() {
  values[0].image = 0;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    sends[i].chunks = chunks(program.sends[i].pixels);
    sends[i].window = window;
  }
  for (std::size_t i = 0; i < receives.size(); ++i) {
    const Value received = program.receives[i].value;
    IndexedValue& value = values[static_cast<std::size_t>(received)];
    receives[i].chunks = chunks(value.pixels);
    receives[i].window = window;
    if (receives[i].spared) {
      value.image = images++;
      value.format = image;
      continue;
    }
    value.receive = i;
    value.format = wire.on_the_wire(value.format, image);
    value.first_part = part_uses.size();
    value.parts = static_cast<std::size_t>(receives[i].chunks);
    for (std::size_t part = 0; part < value.parts; ++part) {
      const Range pixels = chunk_of(value.pixels, static_cast<std::int64_t>(part));
      std::int64_t uses = received == program.result ? pixels.size() : 0;
      for (const std::size_t merge : value.readers)
        uses += intersection(pixels, program.merges[merge].pixels).size();
      for (const std::size_t send : value.sends)
        uses += intersection(pixels, program.sends[send].pixels).size();
      part_uses.push_back(uses);
    }
  }
}

void IndexedProgram::find_aliases() {
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i].writers.empty()) continue;
    const Value source = program.merges[values[i].writers.front()].inputs.front().value;
    if (may_alias(static_cast<Value>(i), source)) values[i].alias = source;
  }
}

bool IndexedProgram::may_alias(Value target, Value source) const {
  const IndexedValue& to = value(target);
  const IndexedValue& from = value(source);
  if (from.writers.empty() || from.format != to.format || !from.pixels.contains(to.pixels)) return false;
  // A result outlives the frame, and should not keep more memory than necessary.
  if (target == program.result && from.pixels != to.pixels) return false;
  // Every merge into the target starts with the source, and needs it nowhere else.
  for (const std::size_t writer : to.writers) {
    const std::vector<Merge::Input>& inputs = program.merges[writer].inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if ((inputs[i].value == source) != (i == 0)) return false;
  }
  // No other step needs the source at these pixels.
  for (const std::size_t send : from.sends)
    if (!intersection(program.sends[send].pixels, to.pixels).empty()) return false;
  for (const std::size_t reader : from.readers) {
    const Merge& merge = program.merges[reader];
    if (merge.value != target && !intersection(merge.pixels, to.pixels).empty()) return false;
  }
  return true;
}

// Find the values between merges, and how many of them a pass that includes as many merges as allowed holds.
void IndexedProgram::find_values_between() {
  const std::vector<Between> between = values_between(program);
  std::vector<std::size_t> held(program.merges.size());  // up to the merge that makes its value, inclusive
  for (std::size_t i = 0; i < program.merges.size(); ++i) {
    const std::vector<Merge::Input>& inputs = program.merges[i].inputs;
    std::size_t made = 0;  // number of inputs made by merges
    for (const Merge::Input& input : inputs) {
      const auto number = static_cast<std::size_t>(input.value);
      const std::size_t maker = between[number].maker;
      if (maker == Between::none || made + held[maker] > may_hold) continue;
      values[number].between = between[number];
      held[i] = std::max(held[i], made + held[maker]);
      ++made;
    }
    most_held = std::max(most_held, held[i]);
    // The result is written in place of the first input, if a merge made that.
    const bool in_place = value(inputs.front().value).between.maker != Between::none;
    held[i] = std::max(held[i], made + (in_place ? 0 : 1));
  }
}

// If the number of stages under way is limited, receive all chunks of a value that is not needed until after
// the stage that brings it, because that stage must complete before the next is opened.
void IndexedProgram::receive_ahead() {
  // The stage in which each value is complete; merges come after the merges that make their inputs.
  std::vector<std::int32_t> stages(values.size(), 0);
  const auto of = [&](Value value) -> std::int32_t& { return stages[static_cast<std::size_t>(value)]; };
  for (const Receive& receive : program.receives) of(receive.value) = receive.stage;
  for (const Merge& merge : program.merges)
    for (const Merge::Input& input : merge.inputs)
      of(merge.value) = std::max(of(merge.value), of(input.value));
  for (std::size_t i = 0; i < receives.size(); ++i)
    if (needed_late(i, stages)) receives[i].window = receives[i].chunks;
}

// Whether a received value has to wait for something of a later stage.
bool IndexedProgram::needed_late(std::size_t receive, const std::vector<std::int32_t>& stages) const {
  const Receive& step = program.receives[receive];
  const IndexedValue& received = value(step.value);
  const auto later = [&](const Merge::Input& input) {
    return stages[static_cast<std::size_t>(input.value)] > step.stage;
  };
  const auto sent_later = [&](std::size_t send) { return program.sends[send].stage > step.stage; };
  if (std::any_of(received.sends.begin(), received.sends.end(), sent_later)) return true;
  return std::any_of(received.readers.begin(), received.readers.end(), [&](std::size_t reader) {
    // A chain proceeds in order, once two of its inputs are available.
    const std::vector<Merge::Input>& inputs = program.merges[reader].inputs;
    auto end = std::find_if(inputs.begin(), inputs.end(),
                            [&](const Merge::Input& input) { return input.value == step.value; });
    if (end == inputs.begin()) end += std::min<std::ptrdiff_t>(2, std::ssize(inputs));
    return std::any_of(inputs.begin(), end, later);
  });
}

std::int64_t IndexedProgram::chunks(Range pixels) const {
  return std::max<std::int64_t>(1, (pixels.size() + chunk_pixels - 1) / chunk_pixels);
}

Range IndexedProgram::chunk_of(Range pixels, std::int64_t number) const {
  const std::int64_t begin = pixels.begin + number * chunk_pixels;
  return {begin, std::min(pixels.end, begin + chunk_pixels)};
}

std::size_t IndexedProgram::part_at(const IndexedValue& value, std::int64_t pixel) const {
  return static_cast<std::size_t>((pixel - value.pixels.begin) / chunk_pixels);
}

}  // namespace sortlast
