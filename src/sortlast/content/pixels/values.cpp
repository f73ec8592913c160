// Values.
#include "sortlast/content/pixels/values.hpp"

#include <algorithm>
#include <utility>

namespace sortlast {

Values::Values(const IndexedProgram& program, Pool& pool)
    : program_(program),
      pool_(pool),
      images_(pool),
      states_(program.values.size()),
      parts_(program.part_uses.size()),
      merged_until_(program.program.merges.size()) {}

void Values::begin_frame(const Contribution& own) {
  own_ = &own;
  result_ = own.result;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    states_[i].absent = states_[i].referred = false;
    states_[i].uses = program_.values[i].uses;
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].there = parts_[i].sparse = false;
    parts_[i].uses = program_.part_uses[i];
  }
  for (std::size_t i = 0; i < merged_until_.size(); ++i)
    merged_until_[i] = program_.program.merges[i].pixels.begin;
  images_.begin_frame(program_.images, own.interleaving);
  refer(0, {own.image});
}

void Values::end_frame() {
  for (State& state : states_) state.memory = PixelBuffer();
  for (Part& part : parts_) part.memory.reset();
  images_.end_frame();
  result_ = PixelBuffer();
}

void Values::refer(Value value, Reference reference) {
  const IndexedValue& from = program_.value(value);
  state(value).absent = reference.absent();
  state(value).referred = true;
  images_.add(from.image, std::move(reference), from.pixels);
}

std::int64_t Values::ready_until(Value value, std::int64_t pixel) const {
  const IndexedValue& from = program_.value(value);
  if (from.image != IndexedValue::none) return state(value).referred ? from.pixels.end : pixel;
  if (from.parts > 0) {
    const std::size_t part = program_.part_at(from, pixel);
    if (!parts_[from.first_part + part].there) return pixel;
    return program_.chunk_of(from.pixels, static_cast<std::int64_t>(part)).end;
  }
  for (const std::size_t writer : from.writers) {
    const Range written = program_.program.merges[writer].pixels;
    if (pixel >= written.begin && pixel < written.end) return std::max(pixel, merged_until_[writer]);
  }
  return pixel;
}

bool Values::ready(Value value, Range pixels) const {
  for (std::int64_t pixel = pixels.begin; pixel < pixels.end;) {
    const std::int64_t end = ready_until(value, pixel);
    if (end <= pixel) return false;
    pixel = end;
  }
  return true;
}

std::int64_t Values::contiguous_until(Value value, std::int64_t pixel) const {
  const IndexedValue& from = program_.value(value);
  if (from.image != IndexedValue::none) return images_.contiguous_until(from.image, pixel);
  if (from.parts == 0) return from.pixels.end;
  return program_.chunk_of(from.pixels, static_cast<std::int64_t>(program_.part_at(from, pixel))).end;
}

Link Values::link(Value value, Range pixels, Side side) {
  const IndexedValue& from = program_.value(value);
  if (from.image != IndexedValue::none) return images_.link(from.image, pixels, side);
  const std::int64_t first = pixels.begin - from.pixels.begin;
  if (from.parts == 0)
    return {advance(ConstPixels(state(value).memory.view()), from.format, first), from.format.scalar, side};
  const Part& part = parts_[from.first_part + program_.part_at(from, pixels.begin)];
  const std::int64_t within = first % program_.chunk_pixels;
  if (part.sparse) return {part.pixels, from.format.scalar, side, true, part.runs, within};
  return {advance(part.pixels, from.format, within), from.format.scalar, side};
}

PixelRoom Values::room_for(Value value, std::int64_t number) {
  const IndexedValue& to = program_.value(value);
  const Range pixels = program_.chunk_of(to.pixels, number);
  const PixelBuffer room = take_pixels(pool_, to.format, pixels.size());
  Part& part = parts_[to.first_part + static_cast<std::size_t>(number)];
  part.memory = room.memory();
  part.pixels = room.view();
  return {to.format, pixels.size(), room.view()};
}

void Values::arrived(Value value, std::int64_t number, std::size_t colour_bytes) {
  const IndexedValue& to = program_.value(value);
  Part& part = parts_[to.first_part + static_cast<std::size_t>(number)];
  const PixelRoom room{to.format, program_.chunk_of(to.pixels, number).size(), {}};
  const Coding coding = room.coding(colour_bytes);
  state(value).absent = coding == Coding::absent;
  if (coding == Coding::sparse) {
    const Packed packed = unpack(to.format, part.memory.get(), colour_bytes, room.count);
    part.sparse = true;
    part.pixels = packed.pixels;
    part.runs = packed.runs;
  }
  part.there = true;
}

// In place if they can be sent from there, otherwise gathered in memory of the pool.
EncodedPixels Values::encoded(Value value, Range pixels) {
  const IndexedValue& from = program_.value(value);
  if (absent(value))
    return {Coding::absent, program_.wire.on_the_wire(from.format, program_.image), pixels.size()};
  PixelBuffer copy;
  Payload payload{from.format, {}, pixels.size()};
  if (value == 0) {
    payload = images_.payload(from.image, pixels);
  } else {
    const bool pulled = from.image != IndexedValue::none && images_.pulls(from.image);
    const bool apart = pulled || contiguous_until(value, pixels.begin) < pixels.end;
    const Link whole = apart ? Link{} : link(value, pixels, Side::back);
    payload.pixels = whole.pixels;
    if (apart || whole.sparse) {
      copy = take_pixels(pool_, from.format, pixels.size());
      materialise(value, pixels, copy.view());
      payload.pixels = copy.view();
    }
  }
  EncodedPixels message = encode(program_.wire, program_.image, payload, pool_);
  if (!message.memory) message.memory = copy.memory();
  return message;
}

// The value with the memory in which merges into another value may continue: its first input or, if that has
// no memory because a pass makes it on the way, the first input of that one. -1: none.
Value Values::memory_before(Value value) const {
  const IndexedValue& to = program_.value(value);
  Value before = to.alias;
  while (before >= 0 && state(before).memory.view().colour == nullptr) before = program_.value(before).alias;
  // A result outlives the frame, and should not keep more memory than necessary.
  const bool too_large =
      before >= 0 && value == program_.program.result && program_.value(before).pixels != to.pixels;
  return too_large ? -1 : before;
}

Pixels Values::target(Value value, std::int64_t pixel) {
  const IndexedValue& to = program_.value(value);
  PixelBuffer& memory = state(value).memory;
  if (memory.view().colour == nullptr) {
    const Value before = memory_before(value);
    if (value == program_.program.result && result_.view().colour != nullptr) {
      memory = result_;
    } else if (before >= 0) {
      const PixelBuffer& goes_on = state(before).memory;
      const std::int64_t offset = to.pixels.begin - program_.value(before).pixels.begin;
      memory = PixelBuffer(goes_on.memory(), advance(goes_on.view(), to.format, offset));
    } else {
      memory = take_pixels(pool_, to.format, to.pixels.size());
    }
  }
  return advance(memory.view(), to.format, pixel - to.pixels.begin);
}

std::int64_t Values::use_up(Value value, Range pixels) {
  const IndexedValue& from = program_.value(value);
  if (from.parts == 0 || pixels.empty()) return 0;
  std::int64_t used_up = 0;
  const std::size_t last = program_.part_at(from, pixels.end - 1);
  for (std::size_t i = program_.part_at(from, pixels.begin); i <= last; ++i) {
    Part& part = parts_[from.first_part + i];
    part.uses -= intersection(program_.chunk_of(from.pixels, static_cast<std::int64_t>(i)), pixels).size();
    if (part.uses > 0) continue;
    part.memory.reset();
    ++used_up;
  }
  return used_up;
}

void Values::release(Value value) {
  State& from = state(value);
  if (--from.uses > 0 || value == program_.program.result) return;
  from.memory = PixelBuffer();
  const std::size_t image = program_.value(value).image;
  if (image != IndexedValue::none) images_.release(image);
}

// Write the pixels of a value that is not absent, in its format.
void Values::materialise(Value value, Range pixels, Pixels to) {
  const Format& format = program_.value(value).format;
  for (std::int64_t pixel = pixels.begin; pixel < pixels.end;) {
    const std::int64_t end = std::min(pixels.end, contiguous_until(value, pixel));
    begin_unit();
    const Link part = link(value, {pixel, end}, Side::back);
    blend(Op::add, format.channels, format.depth, {&part, 1}, advance(to, format, pixel - pixels.begin),
          format.scalar, end - pixel);
    pixel = end;
  }
}

PixelBuffer Values::take_result() {
  const Value result = program_.program.result;
  if (result < 0) return {};
  const IndexedValue& from = program_.value(result);
  const bool merged = from.image == IndexedValue::none && from.parts == 0;
  if (!absent(result) && merged) return std::exchange(state(result).memory, PixelBuffer());
  const std::int64_t n = from.pixels.size();
  const Format& format = program_.image;
  const PixelBuffer to = result_.view().colour != nullptr ? result_ : take_pixels(pool_, format, n);
  if (absent(result)) {
    fill_absent(program_.op, format, own_->background != nullptr, to.view(), n);
  } else {
    materialise(result, from.pixels, to.view());
  }
  if (own_->background != nullptr) own_->background->apply(to.view(), n);
  return to;
}

}  // namespace sortlast
