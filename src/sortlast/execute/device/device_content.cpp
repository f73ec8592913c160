// DeviceContent.
#include "sortlast/execute/device/device_content.hpp"

#include <algorithm>
#include <cstring>

#include "sortlast/image/active.hpp"

namespace sortlast {

DeviceContent::DeviceContent(const IndexedProgram& program, Pool& pool, Gpu& gpu)
    : index_(program),
      program_(program.program),
      pool_(pool),
      gpu_(gpu),
      partial_(accumulator_scalar(program.image.scalar, program.op)),
      states_(program.values.size()),
      parts_(program.part_uses.size()),
      complete_(program_.merges.size()),
      downloads_(program_.sends.size()) {}

void DeviceContent::begin_frame(const DeviceContribution& contribution) {
  own_ = &contribution;
  stream_ = gpu_.stream(contribution.image.stream);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    states_[i] = {};
    states_[i].uses = index_.values[i].uses;
    states_[i].drawn = index_.values[i].pixels;
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i] = {{}, false, index_.part_uses[i]};
  std::fill(complete_.begin(), complete_.end(), false);
  candidates_.clear();
  arrived_.clear();
  merges_left_ = complete_.size();
  refer_to(0, contribution.image);
}

void DeviceContent::end_frame() {
  for (State& state : states_) state.memory = PixelBuffer();
  for (Part& part : parts_) part.room = PixelBuffer();
  std::fill(downloads_.begin(), downloads_.end(), std::nullopt);
  own_ = nullptr;
}

void DeviceContent::refer(std::size_t receive, const ImageView& image) {
  refer_to(program_.receives[receive].value, image);
}

void DeviceContent::refer_to(Value value, const ImageView& image) {
  const Range pixels = index_.value(value).pixels;
  State& to = state(value);
  to.referred = true;
  to.absent = image.is_none();
  if (to.absent) return;
  to.pixels = advance(image.pixels, index_.image, pixels.begin);
  if (image.bounds)
    to.drawn =
        intersection(pixels, {image.bounds->y0 * image.size.width, image.bounds->y1 * image.size.width});
}

ConstPixels DeviceContent::at(Value value, std::int64_t pixel) const {
  const IndexedValue& from = index_.value(value);
  return advance(state(value).pixels, from.format, pixel - from.pixels.begin);
}

// Device memory for all pixels of a value.
Pixels DeviceContent::target(Value value) {
  const IndexedValue& to = index_.value(value);
  State& made = state(value);
  if (made.memory.view().colour == nullptr) {
    made.memory = value == program_.result && own_->result.colour != nullptr
                      ? PixelBuffer(own_->result, MemoryKind::device)
                      : gpu_.take(to.format, to.pixels.size());
    made.pixels = made.memory.view();
  }
  return made.memory.view();
}

// ---- Messages -------------------------------------------------------------------------------------

Incoming DeviceContent::incoming(Chunk chunk) {
  const IndexedValue& to = index_.value(program_.receives[chunk.transfer].value);
  const std::int64_t count = index_.chunk_of(to.pixels, chunk.number).size();
  Part& part = parts_[to.first_part + static_cast<std::size_t>(chunk.number)];
  part.room = gpu_.take_pinned(to.format, count);
  return PixelRoom{to.format, count, part.room.view()}.planes();
}

// Packed pixels are unpacked on the host.
void DeviceContent::arrived(Chunk chunk, const Arrived& arrival) {
  const Value value = program_.receives[chunk.transfer].value;
  const IndexedValue& to = index_.value(value);
  const Range pixels = index_.chunk_of(to.pixels, chunk.number);
  Part& part = parts_[to.first_part + static_cast<std::size_t>(chunk.number)];
  const Coding coding = PixelRoom{to.format, pixels.size(), {}}.coding(arrival.bytes);
  state(value).absent = coding == Coding::absent;
  if (coding == Coding::sparse) {
    const Packed packed = unpack(to.format, part.room.view().colour, arrival.bytes, pixels.size());
    const Link link{packed.pixels, to.format.scalar, Side::back, true, packed.runs};
    const PixelBuffer all = gpu_.take_pinned(to.format, pixels.size());
    sortlast::blend(Op::add, to.format.channels, to.format.depth, {&link, 1}, all.view(), to.format.scalar,
                    pixels.size());
    part.room = all;
  }
  if (coding != Coding::absent) {
    const Pixels whole = target(value);
    Gpu::copy(*stream_, to.format, part.room.view(),
              advance(whole, to.format, pixels.begin - to.pixels.begin), pixels.size());
    gpu_.keep(*stream_, part.room.memory());
  }
  part.room = PixelBuffer();
  part.there = true;
  arrived_.emplace_back(value, pixels);
}

Outgoing DeviceContent::outgoing(Chunk chunk) {
  const Send& step = program_.sends[chunk.transfer];
  const Range pixels = index_.chunk_of(step.pixels, chunk.number);
  const Format& format = index_.value(step.value).format;
  if (state(step.value).absent)
    return EncodedPixels{Coding::absent, index_.wire.on_the_wire(format, index_.image), pixels.size()}
        .message();
  const Download download = downloaded(chunk);
  // While this chunk is encoded and sent, the next one is copied.
  const Chunk next{chunk.transfer, chunk.number + 1};
  const Range after = index_.chunk_of(step.pixels, next.number);
  if (!after.empty() && ready(step.value, after)) downloads_[chunk.transfer] = download_of(next);
  gpu_.wait(download.complete);
  EncodedPixels message =
      encode(index_.wire, index_.image, {format, download.pixels.view(), pixels.size()}, pool_);
  if (!message.memory) message.memory = download.pixels.memory();
  return message.message();
}

// Begin to copy a chunk to the host.
DeviceContent::Download DeviceContent::download_of(Chunk chunk) {
  const Send& step = program_.sends[chunk.transfer];
  const Range pixels = index_.chunk_of(step.pixels, chunk.number);
  const Format& format = index_.value(step.value).format;
  Download download{chunk.number, gpu_.take_pinned(format, pixels.size()), gpu_.event()};
  Gpu::copy(*stream_, format, at(step.value, pixels.begin), download.pixels.view(), pixels.size());
  download.complete.record(*stream_);
  return download;
}

// The copy of a chunk, which may have begun before.
DeviceContent::Download DeviceContent::downloaded(Chunk chunk) {
  std::optional<Download> begun = std::exchange(downloads_[chunk.transfer], std::nullopt);
  return begun && begun->chunk == chunk.number ? *begun : download_of(chunk);
}

// ---- Merges ---------------------------------------------------------------------------------------

bool DeviceContent::ready(Value value, Range pixels) const {
  const IndexedValue& from = index_.value(value);
  if (from.image != IndexedValue::none) return state(value).referred;
  if (from.parts > 0) {
    const std::size_t last = index_.part_at(from, pixels.end - 1);
    for (std::size_t i = index_.part_at(from, pixels.begin); i <= last; ++i)
      if (!parts_[from.first_part + i].there) return false;
    return true;
  }
  return std::all_of(from.writers.begin(), from.writers.end(), [&](std::size_t writer) {
    return complete_[writer] || intersection(program_.merges[writer].pixels, pixels).empty();
  });
}

bool DeviceContent::offer(std::size_t merge) {
  if (!complete_[merge]) candidates_.push_back(merge);
  return false;
}

std::int64_t DeviceContent::use_up(Value value, Range pixels) {
  const IndexedValue& from = index_.value(value);
  if (from.parts == 0) return 0;
  std::int64_t used_up = 0;
  const std::size_t last = index_.part_at(from, pixels.end - 1);
  for (std::size_t i = index_.part_at(from, pixels.begin); i <= last; ++i) {
    Part& part = parts_[from.first_part + i];
    const Range in_part = index_.chunk_of(from.pixels, static_cast<std::int64_t>(i));
    part.uses -= intersection(in_part, pixels).size();
    if (part.uses <= 0) ++used_up;
  }
  return used_up;
}

void DeviceContent::release(Value value) {
  State& from = state(value);
  if (--from.uses == 0 && value != program_.result) from.memory = PixelBuffer();
}

// A chunk that is on the device occupies no room for messages any more, so merges have used it up, although
// they begin when all of their inputs are complete.
std::optional<Content::Work> DeviceContent::work(const std::function<void(Value, Range)>& used_up) {
  if (!arrived_.empty()) {
    const auto [value, pixels] = arrived_.back();
    arrived_.pop_back();
    for (const std::size_t reader : index_.value(value).readers) {
      const Range read = intersection(pixels, program_.merges[reader].pixels);
      if (!read.empty()) used_up(value, read);
    }
    return Work{0, value};
  }
  while (!candidates_.empty()) {
    const std::size_t number = candidates_.back();
    candidates_.pop_back();
    const Merge& step = program_.merges[number];
    const bool available =
        std::all_of(step.inputs.begin(), step.inputs.end(),
                    [&](const Merge::Input& input) { return ready(input.value, step.pixels); });
    if (complete_[number] || !available) continue;
    merge(number);
    const auto read = static_cast<std::int64_t>(step.inputs.size() * index_.image.pixel_bytes());
    return Work{read * step.pixels.size(), step.value};
  }
  return std::nullopt;
}

void DeviceContent::merge(std::size_t number) {
  const Merge& step = program_.merges[number];
  std::vector<DeviceLink> chain;
  for (const Merge::Input& input : step.inputs) {
    const State& from = state(input.value);
    if (from.absent) continue;
    DeviceLink link{at(input.value, step.pixels.begin), index_.value(input.value).format.scalar,
                    input.front ? Side::front : Side::back};
    link.begin = from.drawn.begin - step.pixels.begin;
    link.end = from.drawn.end - step.pixels.begin;
    chain.push_back(link);
  }
  State& made = state(step.value);
  made.absent = chain.empty();
  if (!chain.empty()) {
    const IndexedValue& to = index_.value(step.value);
    const Pixels out = advance(target(step.value), to.format, step.pixels.begin - to.pixels.begin);
    const bool last = step.value == program_.result && own_->background;
    gpu_.blend(*stream_, index_.op, to.format, partial_, chain, out, step.pixels.size(),
               last ? &*own_->background : nullptr);
  }
  complete_[number] = true;
  --merges_left_;
  for (const Merge::Input& input : step.inputs) release(input.value);
}

PixelBuffer DeviceContent::take_result() {
  const Value result = program_.result;
  if (result < 0) return {};
  const IndexedValue& from = index_.value(result);
  State& made = state(result);
  const bool is_merged = from.image == IndexedValue::none && from.parts == 0;
  if (!made.absent && is_merged) return std::exchange(made.memory, PixelBuffer());

  // A result that nothing was merged into: a copy of what was drawn or received, or empty pixels.
  std::vector<DeviceLink> chain;
  const std::int64_t n = from.pixels.size();
  if (!made.absent)
    chain.push_back({made.pixels, from.format.scalar, Side::back, made.drawn.begin - from.pixels.begin,
                     made.drawn.end - from.pixels.begin});
  PixelBuffer to = own_->result.colour != nullptr ? PixelBuffer(own_->result, MemoryKind::device)
                                                  : gpu_.take(index_.image, n);
  gpu_.blend(*stream_, index_.op, index_.image, partial_, chain, to.view(), n,
             own_->background ? &*own_->background : nullptr);
  return to;
}

}  // namespace sortlast
