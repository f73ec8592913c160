// Passes.
#include "sortlast/content/pixels/passes.hpp"

#include <algorithm>

#include "sortlast/cores.hpp"

namespace sortlast {
namespace {

// Whether the blended images and the resulting frame, at least two frames, exceed the cache.
bool outgrows_cache(const Format& format, const Size& size) {
  static const std::size_t cache = largest_cache();
  return 2 * PixelBuffer::bytes(format, size.pixels()) > cache;
}

Format gathered_format(const IndexedProgram& program) {
  Format format = program.image;
  format.scalar = accumulator_scalar(program.image.scalar, program.op);
  return format;
}

}  // namespace

Passes::Passes(const IndexedProgram& program, Values& values, Pool& pool, Team& team)
    : index_(program),
      program_(program.program),
      values_(values),
      pool_(pool),
      gathered_(gathered_format(program)),
      unit_pixels_(unit * team.size()),
      sweep_(team, pool, program.op, gathered_, program.most_held),
      merges_(program_.merges.size()) {}

void Passes::begin_frame(const Size& image) {
  frame_outgrows_cache_ = outgrows_cache(index_.image, image);
  std::fill(merges_.begin(), merges_.end(), State());
  candidates_.clear();
  left_ = merges_.size();
}

void Passes::end_frame() {
  for (State& state : merges_) state.accumulator = PixelBuffer();
  sweep_.end_frame();
}

std::optional<Content::Work> Passes::blend(const std::function<void(Value, Range)>& used_up) {
  while (!candidates_.empty()) {
    const std::size_t merge = candidates_.back() = pass_of(candidates_.back());
    if (merges_[merge].in_pass() || start(merge)) {
      const Range pixels = next_unit(merge);
      if (!pixels.empty()) return blend_unit(merge, pixels, used_up);
    }
    candidates_.pop_back();
  }
  return std::nullopt;
}

// ---- The merges of a pass -------------------------------------------------------------------------

// The merge that makes an input within a pass; none if the input lies in memory.
std::size_t Passes::taken_in(const Merge::Input& input) const {
  const std::size_t maker = index_.value(input.value).between.maker;
  return maker != Between::none && merges_[maker].taken_in ? maker : Between::none;
}

// Calls call(input) for each input of a merge's pass; if an input is made within the pass, for each input of
// its maker instead.
template <typename Do>
void Passes::for_each_input(std::size_t merge, const Do& call) const {
  const State& state = merges_[merge];
  for (std::size_t i = state.joined; i < state.joining; ++i) {
    const Merge::Input& input = program_.merges[merge].inputs[i];
    const std::size_t maker = taken_in(input);
    if (maker != Between::none) {
      for_each_input(maker, call);
    } else {
      call(input);
    }
  }
}

// Whether an input has begun to arrive, or a pass can make it from available inputs.
bool Passes::there(const Merge::Input& input, std::int64_t pixel) const {
  if (values_.ready_until(input.value, pixel) > pixel) return true;
  const std::size_t maker = index_.value(input.value).between.maker;
  if (maker == Between::none || merges_[maker].begun()) return false;
  const std::vector<Merge::Input>& inputs = program_.merges[maker].inputs;
  return std::all_of(inputs.begin(), inputs.end(),
                     [&](const Merge::Input& each) { return there(each, pixel); });
}

// The end of the inputs of a pass that begins now; their beginning, if they are not worth a pass.
std::size_t Passes::pass_end(std::size_t merge) const {
  const Merge& step = program_.merges[merge];
  const State& state = merges_[merge];
  if (state.complete) return state.joined;
  std::size_t end = state.joined;
  while (end < step.inputs.size() && there(step.inputs[end], step.pixels.begin)) ++end;
  const std::size_t least = state.joined == 0 ? std::min<std::size_t>(2, step.inputs.size()) : 1;
  return end - state.joined < least ? state.joined : end;
}

// The merge with the pass that includes this one, or would if it began now: itself, if there is no other.
std::size_t Passes::pass_of(std::size_t merge) const {
  for (;;) {
    const Between& between = index_.value(program_.merges[merge].value).between;
    const State& state = merges_[merge];
    if (between.maker != merge) return merge;
    if (!state.taken_in &&
        (state.begun() || merges_[between.reader].in_pass() || pass_end(between.reader) <= between.input))
      return merge;
    merge = between.reader;
  }
}

// Begin a pass over all available inputs, if they are worth one.
bool Passes::start(std::size_t merge) {
  const std::size_t end = pass_end(merge);
  if (end == merges_[merge].joined) return false;
  begin(merge, end);
  return true;
}

// Begin a pass over the inputs before `end`; inputs that are not available are made within it from their own
// inputs.
void Passes::begin(std::size_t merge, std::size_t end) {
  const Merge& step = program_.merges[merge];
  State& state = merges_[merge];
  state.joining = end;
  state.done = 0;
  state.gathering = state.gathered;
  for (std::size_t i = state.joined; i < end; ++i) {
    const Value value = step.inputs[i].value;
    if (values_.ready_until(value, step.pixels.begin) == step.pixels.begin) {
      const std::size_t maker = index_.value(value).between.maker;
      merges_[maker].taken_in = true;
      begin(maker, program_.merges[maker].inputs.size());
    }
    if (!values_.absent(value)) state.gathering = true;
  }
  if (end == step.inputs.size()) values_.set_absent(step.value, !state.gathering);
}

// ---- A pass ---------------------------------------------------------------------------------------

// The pixels of a pass that can be blended next; empty if some are not available yet.
Range Passes::next_unit(std::size_t merge) const {
  const Merge& step = program_.merges[merge];
  Range pixels{step.pixels.begin + merges_[merge].done, 0};
  pixels.end = std::min(step.pixels.end, pixels.begin + unit_pixels_);
  for_each_input(merge, [&](const Merge::Input& input) {
    pixels.end = std::min({pixels.end, values_.ready_until(input.value, pixels.begin),
                           values_.contiguous_until(input.value, pixels.begin)});
  });
  return pixels;
}

Content::Work Passes::blend_unit(std::size_t merge, Range pixels,
                                 const std::function<void(Value, Range)>& used_up) {
  const Merge& step = program_.merges[merge];
  State& state = merges_[merge];
  const bool last = state.joining == step.inputs.size();
  const std::int64_t bytes = state.gathering ? join(merge, pixels, last) : 0;
  state.done += pixels.size();
  for_each_input(merge, [&](const Merge::Input& input) { used_up(input.value, pixels); });
  if (last) values_.merged(merge, pixels.end);
  if (state.done == step.pixels.size()) finish(merge);
  return {bytes, last ? step.value : -1};
}

// Blend a unit of a pass that is not entirely absent: the pixels gathered so far, and the inputs that are not
// absent. Returns the number of bytes read.
std::int64_t Passes::join(std::size_t merge, Range pixels, bool last) {
  const Merge& step = program_.merges[merge];
  const State& state = merges_[merge];
  const Pixels to = accumulate_into(merge, last);
  sweep_.begin();
  if (state.gathered) {
    const Pixels gathered = state.accumulator.view().colour != nullptr ? state.accumulator.view() : to;
    sweep_.add({advance(ConstPixels(gathered), gathered_, state.done), gathered_.scalar, Side::back});
  }
  values_.begin_unit();
  const std::size_t read = add_inputs(merge, pixels) + (state.gathered ? 1 : 0);
  const Format& format = last ? index_.value(step.value).format : gathered_;
  sweep_.blend(
      advance(to, format, state.done), format.scalar, pixels.size(),
      last ? values_.background_of(step.value) : nullptr,
      last && step.value == program_.result && frame_outgrows_cache_ ? Stores::streaming : Stores::cached);
  return static_cast<std::int64_t>(read * index_.image.pixel_bytes()) * pixels.size();
}

// Add the inputs of a pass that are not absent to the sweep. Returns how many of them lie in memory.
std::size_t Passes::add_inputs(std::size_t merge, Range pixels) {
  const State& state = merges_[merge];
  std::size_t in_memory = 0;
  for (std::size_t i = state.joined; i < state.joining; ++i) {
    const Merge::Input& input = program_.merges[merge].inputs[i];
    if (values_.absent(input.value)) continue;
    const Side side = input.front ? Side::front : Side::back;
    const std::size_t maker = taken_in(input);
    if (maker != Between::none) {
      const std::size_t before = sweep_.operands();
      in_memory += add_inputs(maker, pixels);
      sweep_.join(sweep_.operands() - before, side);
    } else {
      sweep_.add(values_.link(input.value, pixels, side));
      ++in_memory;
    }
  }
  return in_memory;
}

// The output of a pass: the value or, if the pixels are not final and must not be rounded yet, an
// accumulator.
Pixels Passes::accumulate_into(std::size_t merge, bool last) {
  const Merge& step = program_.merges[merge];
  State& state = merges_[merge];
  if (last || index_.value(step.value).format == gathered_)
    return values_.target(step.value, step.pixels.begin);
  if (state.accumulator.view().colour == nullptr)
    state.accumulator = take_pixels(pool_, gathered_, step.pixels.size());
  return state.accumulator.view();
}

void Passes::finish(std::size_t merge) {
  const Merge& step = program_.merges[merge];
  State& state = merges_[merge];
  for (std::size_t i = state.joined; i < state.joining; ++i) {
    const std::size_t maker = taken_in(step.inputs[i]);
    if (maker != Between::none) finish(maker);
    values_.release(step.inputs[i].value);
  }
  state.joined = state.joining;
  state.gathered = state.gathering;
  if (state.joined < step.inputs.size()) return;
  state.accumulator = PixelBuffer();
  state.complete = true;
  --left_;
}

}  // namespace sortlast
