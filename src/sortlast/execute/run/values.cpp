// The values of a run: what each of them holds, where, and for how long.
//
// The rank's own image and images of other ranks that can be read are used where they lie. A received value
// lies in chunks, each in memory of its own, which is given back as soon as the chunk has been used up. A
// merged value lies in one piece; where its chain starts with another merged value that nobody else needs at
// those pixels, it goes on in that value's memory, so that a rank of a swap holds no more than its first
// half, and one of a tree no more than one image.
#include <algorithm>
#include <utility>

#include "sortlast/execute/run/run.hpp"

namespace sortlast {
namespace {

// Pulled pixels of all images together should stay in the cache of a core until they are blended, but a call
// of the kernel costs as much as copying some pages.
constexpr std::size_t staging_bytes = std::size_t{1} << 20;
constexpr std::size_t least_pull = std::size_t{1} << 17;  // bytes of one image
constexpr std::size_t pull_step = 256;                    // pixels

}  // namespace

void Run::index_steps() {
  std::vector<bool> is_sent(held_.size(), false);
  for (std::size_t i = 0; i < program_.receives.size(); ++i) {
    const Value value = program_.receives[i].value;
    is_sent[static_cast<std::size_t>(value)] = true;
    held(value).receive = i;
  }
  for (std::size_t i = 0; i < program_.sends.size(); ++i) {
    const Value value = program_.sends[i].value;
    held(value).sends.push_back(i);
    ++held(value).uses;
    is_sent[static_cast<std::size_t>(value)] = true;
  }
  for (std::size_t i = 0; i < program_.merges.size(); ++i) {
    const Merge& merge = program_.merges[i];
    held(merge.value).writers.push_back(i);
    for (const Merge::Input& input : merge.inputs) {
      held(input.value).readers.push_back(i);
      ++held(input.value).uses;
    }
  }
  for (std::size_t value = 0; value < held_.size(); ++value) {
    held_[value].pixels = program_.values[value].pixels;
    held_[value].format = stored_as(static_cast<Value>(value), is_sent);
  }

  // Cut received values into parts, and count what each part is needed for.
  for (std::size_t i = 0; i < program_.receives.size(); ++i) {
    Held& value = held(program_.receives[i].value);
    receives_[i].chunks = chunks(value.pixels);
    value.format = wire_.on_the_wire(value.format, own_.format);
    value.parts.resize(static_cast<std::size_t>(receives_[i].chunks));
    for (std::size_t part = 0; part < value.parts.size(); ++part) {
      const Range pixels = chunk_of(value.pixels, static_cast<std::int64_t>(part));
      for (const std::size_t merge : value.readers)
        value.parts[part].uses += intersection(pixels, program_.merges[merge].pixels).size();
      for (const std::size_t send : value.sends)
        value.parts[part].uses += intersection(pixels, program_.sends[send].pixels).size();
      if (program_.receives[i].value == program_.result) value.parts[part].uses += pixels.size();
    }
  }
  for (std::size_t i = 0; i < program_.sends.size(); ++i) sends_[i].chunks = chunks(program_.sends[i].pixels);
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

void Run::receive_ahead() {
  // The stage in which each value is complete; merges stand behind those that make their inputs.
  std::vector<std::int32_t> stages(held_.size(), 0);
  const auto of = [&](Value value) -> std::int32_t& { return stages[static_cast<std::size_t>(value)]; };
  for (const Receive& receive : program_.receives) of(receive.value) = receive.stage;
  for (const Merge& merge : program_.merges)
    for (const Merge::Input& input : merge.inputs)
      of(merge.value) = std::max(of(merge.value), of(input.value));
  for (std::size_t i = 0; i < receives_.size(); ++i)
    if (needed_late(i, stages)) receives_[i].window = receives_[i].chunks;
}

// Whether what is received has to wait for something of a later stage.
bool Run::needed_late(std::size_t receive, const std::vector<std::int32_t>& stages) const {
  const Receive& step = program_.receives[receive];
  const Held& value = held(step.value);
  const auto later = [&](const Merge::Input& input) {
    return stages[static_cast<std::size_t>(input.value)] > step.stage;
  };
  const auto sent_later = [&](std::size_t send) { return program_.sends[send].stage > step.stage; };
  if (std::any_of(value.sends.begin(), value.sends.end(), sent_later)) return true;
  return std::any_of(value.readers.begin(), value.readers.end(), [&](std::size_t reader) {
    // A chain goes on in order, once two of its inputs are there.
    const std::vector<Merge::Input>& inputs = program_.merges[reader].inputs;
    auto end = std::find_if(inputs.begin(), inputs.end(),
                            [&](const Merge::Input& input) { return input.value == step.value; });
    if (end == inputs.begin()) end += std::min<std::ptrdiff_t>(2, std::ssize(inputs));
    return std::any_of(inputs.begin(), end, later);
  });
}

void Run::spare(std::size_t send) {
  Flow& flow = sends_[send];
  flow.begun = flow.done = flow.chunks;
  release(program_.sends[send].value);
}

void Run::find_aliases() {
  for (std::size_t value = 1; value < held_.size(); ++value) {
    Held& target = held_[value];
    if (target.writers.empty()) continue;
    const Value source = program_.merges[target.writers.front()].inputs.front().value;
    if (may_alias(static_cast<Value>(value), source)) target.alias = source;
  }
}

bool Run::may_alias(Value target, Value source) const {
  const Held& to = held(target);
  const Held& from = held(source);
  if (from.writers.empty() || from.format != to.format || !from.pixels.contains(to.pixels)) return false;
  if (target == program_.result && (own_.result.view().colour != nullptr || from.pixels != to.pixels)) {
    return false;
  }
  // Every merge into the target starts with the source, and needs it nowhere else.
  for (const std::size_t writer : to.writers) {
    const std::vector<Merge::Input>& inputs = program_.merges[writer].inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if ((inputs[i].value == source) != (i == 0)) return false;
  }
  // Nobody else needs the source at these pixels.
  for (const std::size_t send : from.sends)
    if (!intersection(program_.sends[send].pixels, to.pixels).empty()) return false;
  for (const std::size_t reader : from.readers) {
    const Merge& merge = program_.merges[reader];
    if (merge.value != target && !intersection(merge.pixels, to.pixels).empty()) return false;
  }
  return true;
}

std::int64_t Run::chunks(Range pixels) const {
  return std::max<std::int64_t>(1, (pixels.size() + chunk_pixels_ - 1) / chunk_pixels_);
}

Range Run::chunk_of(Range pixels, std::int64_t number) const {
  const std::int64_t begin = pixels.begin + number * chunk_pixels_;
  return {begin, std::min(pixels.end, begin + chunk_pixels_)};
}

std::size_t Run::part_at(const Held& value, std::int64_t pixel) const {
  return static_cast<std::size_t>((pixel - value.pixels.begin) / chunk_pixels_);
}

void Run::refer(std::size_t receive, Reference reference) {
  const Value value = program_.receives[receive].value;
  Held& target = held(value);
  target.parts.clear();
  target.format = own_.format;
  target.absent = reference.absent;
  target.referred = std::make_unique<Referred>();
  if (in_runs(reference.image)) target.referred->runs = runs_of(reference.image, target.pixels);
  if (reference.pull && (!in_runs(reference.image) || !target.referred->runs.empty())) ++pulls_;
  target.referred->reference = std::move(reference);
  settled(value);
}

// Where the pixels of a value that are there, from `pixel` on, end; `pixel` if it is not there.
std::int64_t Run::ready_until(Value value, std::int64_t pixel) const {
  const Held& from = held(value);
  if (value == 0 || from.referred) return from.pixels.end;
  if (!from.parts.empty()) {
    const std::size_t part = part_at(from, pixel);
    return from.parts[part].there ? chunk_of(from.pixels, static_cast<std::int64_t>(part)).end : pixel;
  }
  for (const std::size_t writer : from.writers) {
    const Merge& merge = program_.merges[writer];
    if (pixel < merge.pixels.begin || pixel >= merge.pixels.end) continue;
    const Joining& state = joining_[writer];
    if (state.complete) return merge.pixels.end;
    if (state.joining != merge.inputs.size()) return pixel;
    return std::max(pixel, merge.pixels.begin + state.done);
  }
  return pixel;
}

bool Run::ready(Value value, Range pixels) const {
  for (std::int64_t pixel = pixels.begin; pixel < pixels.end;) {
    const std::int64_t end = ready_until(value, pixel);
    if (end <= pixel) return false;
    pixel = end;
  }
  return true;
}

// Most pixels that are pulled at once from each image.
std::int64_t Run::pull_pixels(const Format& format) const {
  const std::size_t share =
      std::max(staging_bytes / std::max(pulls_, std::size_t{1}), least_pull) / format.pixel_bytes();
  return static_cast<std::int64_t>(std::max(share / pull_step, std::size_t{1}) * pull_step);
}

// Where the pixels from `pixel` on end of which no more than that are inside the bounds of a pulled image.
std::int64_t Run::pulled_until(const Held& from, std::int64_t pixel) const {
  const std::int64_t most = pull_pixels(from.format);
  const Source& image = from.referred->reference.image;
  if (in_runs(image) && from.referred->runs.empty()) return from.pixels.end;
  if (!image.bounds || !own_.interleaving.none()) return std::min(from.pixels.end, pixel + most);
  const std::int64_t rows = most / (image.bounds->x1 - image.bounds->x0);
  return std::min(from.pixels.end, pixel + (rows > 0 ? rows * own_.size.width : most));
}

// Where the pixels from `pixel` on that one link can show end.
std::int64_t Run::contiguous_until(Value value, std::int64_t pixel) const {
  const Held& from = held(value);
  if (!from.parts.empty()) return chunk_of(from.pixels, static_cast<std::int64_t>(part_at(from, pixel))).end;
  if (!from.referred || !from.referred->reference.pull) return from.pixels.end;
  return pulled_until(from, pixel);
}

// Pixels of a value that is not absent; they must be contiguous.
Link Run::link(Value value, Range pixels, Side side) {
  const Held& from = held(value);
  const std::int64_t first = pixels.begin - from.pixels.begin;
  if (value == 0) {
    if (!in_runs(own_.image))
      return {advance(own_.image.pixels, from.format, pixels.begin), from.format.scalar, side};
    return {own_.image.pixels, from.format.scalar, side, true, own_runs_, pixels.begin};
  }
  if (from.referred) {
    const Reference& reference = from.referred->reference;
    if (reference.pull) return pulled(from, pixels, side);
    if (!in_runs(reference.image))
      return {advance(reference.image.pixels, from.format, pixels.begin), from.format.scalar, side};
    return {reference.image.pixels, from.format.scalar, side, true, from.referred->runs, first};
  }
  if (!from.parts.empty()) {
    const Part& part = from.parts[part_at(from, pixels.begin)];
    const std::int64_t within = first % chunk_pixels_;
    if (part.sparse) return {part.pixels, from.format.scalar, side, true, part.runs, within};
    return {advance(part.pixels, from.format, within), from.format.scalar, side};
  }
  return {advance(ConstPixels(from.memory.view()), from.format, first), from.format.scalar, side};
}

// Copy pixels of another rank's image into the staging memory: those inside its bounds, run behind run.
Link Run::pulled(const Held& from, Range pixels, Side side) {
  const Reference& reference = from.referred->reference;
  if (!in_runs(reference.image)) {
    const ActiveRun all{0, static_cast<std::uint32_t>(pixels.size()), 0};
    const Pixels to = stage(from.format, pixels.size());
    reference.pull(pixels.begin, {&all, 1}, to);
    return {to, from.format.scalar, side};
  }
  if (staged_links_ == staged_runs_.size()) staged_runs_.emplace_back();
  std::vector<ActiveRun>& runs = staged_runs_[staged_links_++];
  runs = runs_of(reference.image, pixels);
  reads_.clear();
  std::uint32_t count = 0;
  for (ActiveRun& run : runs) {
    reads_.push_back({run.at, run.count, count});
    run.at = count;
    count += run.count;
  }
  if (count == 0) return {{}, from.format.scalar, side, true, {}, 0};
  const Pixels to = stage(from.format, count);
  reference.pull(0, reads_, to);
  return {to, from.format.scalar, side, true, runs, 0};
}

// Room for pixels of a pulled image, no more than pull_pixels().
Pixels Run::stage(const Format& format, std::int64_t count) {
  constexpr std::size_t line = 64;
  const auto most = static_cast<std::size_t>(pull_pixels(format)) * format.pixel_bytes() + 2 * line;
  if (!staging_) staging_ = pool_.take(pulls_ * most);
  const PixelBuffer room(Memory(staging_, staging_.get() + staged_), format, count);
  staged_ += (PixelBuffer::bytes(format, count) + line - 1) / line * line;
  return room.view();
}

// Write pixels of a value, which is not absent, in its format.
void Run::materialise(Value value, Range pixels, Pixels to) {
  const Format format = held(value).format;
  for (std::int64_t pixel = pixels.begin; pixel < pixels.end;) {
    const std::int64_t end = std::min(pixels.end, contiguous_until(value, pixel));
    staged_ = staged_links_ = 0;
    const Link part = link(value, {pixel, end}, Side::back);
    sortlast::blend(Op::add, format.channels, format.depth, {&part, 1},
                    advance(to, format, pixel - pixels.begin), format.scalar, end - pixel);
    pixel = end;
  }
}

// Whether an image's pixels are told by runs: those inside its bounds, in the order of the interleaving.
bool Run::in_runs(const Source& image) const { return image.bounds.has_value() || !own_.interleaving.none(); }

// The runs, counted from pixels.begin, with `at` the pixel of the image.
std::vector<ActiveRun> Run::runs_of(const Source& image, Range pixels) const {
  return sortlast::runs_of(own_.interleaving, image.bounds, own_.size, pixels, 0);
}

// Pixels of the own image as they are to be sent; `runs` has to stay for as long as the load.
Load Run::own_load(Range pixels, std::vector<ActiveRun>& runs) {
  const Format& format = held(0).format;
  Load load{format, own_.image.pixels, pixels.size()};
  if (!own_.interleaving.none()) {
    runs = runs_of(own_.image, pixels);
    load.boxed = load.scattered = true;
  } else {
    load.pixels = advance(own_.image.pixels, format, pixels.begin);
    load.boxed = own_.image.bounds.has_value();
    if (load.boxed) runs = rows_of(*own_.image.bounds, own_.size, pixels, pixels.begin);
  }
  load.runs = runs;
  return load;
}

// Pixels of another value as they are to be sent: where they lie, or put together in `copy`.
Load Run::load(Value value, Range pixels, PixelBuffer& copy) {
  const Held& from = held(value);
  Load load{from.format, {}, pixels.size()};
  const bool pulls = from.referred && from.referred->reference.pull;
  const bool scattered = pulls || contiguous_until(value, pixels.begin) < pixels.end;
  const Link whole = scattered ? Link{} : link(value, pixels, Side::back);
  if (!scattered && !whole.sparse) {
    load.pixels = whole.pixels;
    return load;
  }
  copy = take_pixels(pool_, from.format, pixels.size());
  materialise(value, pixels, copy.view());
  load.pixels = copy.view();
  return load;
}

// A merge or send is through with some pixels of a received value.
void Run::use_up(Value value, Range pixels) {
  Held& from = held(value);
  if (from.parts.empty() || pixels.empty()) return;
  for (std::size_t i = part_at(from, pixels.begin); i <= part_at(from, pixels.end - 1); ++i) {
    Part& part = from.parts[i];
    part.uses -= intersection(chunk_of(from.pixels, static_cast<std::int64_t>(i)), pixels).size();
    if (part.uses > 0) continue;
    part.memory.reset();
    ++receives_[from.receive].done;
    offer_receive(from.receive);
  }
}

// A merge or send is through with a value.
void Run::release(Value value) {
  Held& from = held(value);
  if (--from.uses > 0 || value == program_.result) return;
  from.memory = PixelBuffer();
  if (from.referred && from.referred->reference.released) {
    std::exchange(from.referred->reference.released, nullptr)();
  }
}

}  // namespace sortlast
