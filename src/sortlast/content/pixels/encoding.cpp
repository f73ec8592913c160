// Encoding.
#include "sortlast/content/pixels/encoding.hpp"

#include <algorithm>

#include "sortlast/image/blend.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

// Minimum share of the message's bytes that packing must save; otherwise the pixels are sent unpacked.
constexpr double least_saving = 0.25;

double sampled(const Payload& payload) {
  return payload.scattered ? sample_active(payload.format, payload.pixels, payload.runs)
                           : sample_active(payload.format, payload.pixels, 0, payload.count);
}

// Active pixels of the payload, as runs counted from its pixel 0. Returns false if there are too many for
// packing to pay.
bool find_runs(const Payload& payload, double most_active, std::vector<ActiveRun>& runs) {
  if (!payload.boxed) {
    if (sampled(payload) > most_active) return false;
    append_active(payload.format, payload.pixels, 0, payload.count, runs);
    return true;
  }
  std::int64_t boxed = 0;
  for (const ActiveRun& run : payload.runs) boxed += run.count;
  const bool full = static_cast<double>(boxed) > (1 - least_saving) * static_cast<double>(payload.count);
  if (full && sampled(payload) > 1 - least_saving) return false;
  for (const ActiveRun& run : payload.runs) {
    const std::size_t first = runs.size();
    append_active(payload.format, payload.pixels, run.at, std::int64_t{run.at} + run.count, runs);
    for (std::size_t i = first; i < runs.size(); ++i) runs[i].begin = run.begin + (runs[i].begin - run.at);
  }
  return true;
}

}  // namespace

std::size_t EncodedPixels::colour_bytes() const {
  if (coding == Coding::absent) return 0;
  return coding == Coding::sparse ? packed : static_cast<std::size_t>(count) * format.colour_bytes();
}

std::size_t EncodedPixels::depth_bytes() const {
  return coding == Coding::dense && format.depth ? static_cast<std::size_t>(count) * sizeof(float) : 0;
}

Outgoing EncodedPixels::message() const {
  Outgoing sent;
  sent.coding = coding;
  sent.planes = {std::span(pixels.colour, colour_bytes()),
                 std::as_bytes(std::span(pixels.depth, depth_bytes() / sizeof(float)))};
  sent.messages = format.depth ? 2 : 1;
  sent.room = static_cast<std::size_t>(count) * format.colour_bytes();
  sent.memory = memory;
  sent.search = search;
  return sent;
}

Incoming PixelRoom::planes() const {
  const auto n = static_cast<std::size_t>(count);
  return {{std::span(room.colour, dense_colour_bytes()),
           std::as_writable_bytes(std::span(room.depth, format.depth ? n : 0))},
          format.depth ? 2 : 1};
}

Coding PixelRoom::coding(std::size_t colour_bytes) const {
  if (colour_bytes == 0) return Coding::absent;
  return colour_bytes < dense_colour_bytes() ? Coding::sparse : Coding::dense;
}

EncodedPixels encode(const WireOptions& wire, const Format& image, const Payload& payload, Pool& pool) {
  EncodedPixels message{
      Coding::dense, wire.on_the_wire(payload.format, image), payload.count, payload.pixels, 0, {}};
  const std::size_t dense = message.colour_bytes();

  // Leave out empty pixels, if that saves enough. All messages of a given chunk size take memory of the same
  // size, so that no frame allocates merely because its images differ from those of the last frame.
  if (wire.sparse && payload.count > 0) {
    const auto most = static_cast<std::size_t>((1 - least_saving) * static_cast<double>(dense));
    std::vector<ActiveRun> runs;
    const double begin = trace_clock();
    const bool found = find_runs(payload, wire.most_active, runs);
    message.search = trace_clock() - begin;
    if (found) {
      message.packed = packed_bytes(payload.format, message.format.scalar, runs);
      if (message.packed < most) {
        message.coding = Coding::sparse;
        message.memory = pool.take(most);
        pack(payload.format, payload.pixels, runs, 0, message.format.scalar, message.memory.get());
        message.pixels = {message.memory.get(), nullptr};
        return message;
      }
    }
  }

  // Convert, or gather.
  if (message.format.scalar != payload.format.scalar || payload.scattered) {
    const PixelBuffer converted = take_pixels(pool, message.format, payload.count);
    Link whole{payload.pixels, payload.format.scalar, Side::back};
    if (payload.scattered) {
      whole.sparse = true;
      whole.runs = payload.runs;
    }
    blend(Op::add, payload.format.channels, payload.format.depth, {&whole, 1}, converted.view(),
          message.format.scalar, payload.count);
    message.pixels = converted.view();
    message.memory = converted.memory();
  }
  return message;
}

std::vector<ActiveRun> rows_of(const Rectangle& rectangle, Size size, Range pixels, std::int64_t origin) {
  std::vector<ActiveRun> rows;
  if (size.width == 0) return rows;
  const std::int64_t first = std::max(rectangle.y0, pixels.begin / size.width);
  for (std::int64_t y = first; y < rectangle.y1 && y * size.width < pixels.end; ++y) {
    const Range row{y * size.width + rectangle.x0, y * size.width + rectangle.x1};
    const Range part = intersection(row, pixels);
    if (part.empty()) continue;
    rows.push_back({static_cast<std::uint32_t>(part.begin - pixels.begin),
                    static_cast<std::uint32_t>(part.size()),
                    static_cast<std::uint32_t>(part.begin - origin)});
  }
  return rows;
}

std::vector<ActiveRun> runs_of(const Interleaving& interleaving, const std::optional<Rectangle>& rectangle,
                               Size size, Range pixels, std::int64_t origin) {
  std::vector<ActiveRun> runs;
  for (std::int64_t pixel = pixels.begin; pixel < pixels.end;) {
    const Range lies = interleaving.run({pixel, pixels.end});
    const auto begin = static_cast<std::uint32_t>(pixel - pixels.begin);
    if (rectangle) {
      for (ActiveRun row : rows_of(*rectangle, size, lies, origin)) {
        row.begin += begin;
        runs.push_back(row);
      }
    } else {
      runs.push_back(
          {begin, static_cast<std::uint32_t>(lies.size()), static_cast<std::uint32_t>(lies.begin - origin)});
    }
    pixel += lies.size();
  }
  return runs;
}

}  // namespace sortlast
