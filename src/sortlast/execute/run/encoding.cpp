// Parcel: a chunk of pixels on its way from one rank to another.
#include "sortlast/execute/run/encoding.hpp"

#include <algorithm>

#include "sortlast/image/blend.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t least_chunk = 1024;  // pixels

// Packing must save this share of the message's bytes, or the pixels go as they lie.
constexpr double least_saving = 0.25;

double sampled(const Load& load) {
  return load.scattered ? sample_active(load.format, load.pixels, load.runs)
                        : sample_active(load.format, load.pixels, 0, load.count);
}

// Active pixels of the load, as runs counted from its pixel 0; false if there are too many to gain anything.
bool find_runs(const Load& load, std::vector<ActiveRun>& runs) {
  if (!load.boxed) {
    if (sampled(load) > 1 - least_saving) return false;
    append_active(load.format, load.pixels, 0, load.count, runs);
    return true;
  }
  std::int64_t boxed = 0;
  for (const ActiveRun& run : load.runs) boxed += run.count;
  const bool full = static_cast<double>(boxed) > (1 - least_saving) * static_cast<double>(load.count);
  if (full && sampled(load) > 1 - least_saving) return false;
  for (const ActiveRun& run : load.runs) {
    const std::size_t first = runs.size();
    append_active(load.format, load.pixels, run.at, std::int64_t{run.at} + run.count, runs);
    for (std::size_t i = first; i < runs.size(); ++i) runs[i].begin = run.begin + (runs[i].begin - run.at);
  }
  return true;
}

}  // namespace

std::int64_t WireOptions::chunk_pixels(const Format& format) const {
  const std::int64_t pixels = chunk_bytes / static_cast<std::int64_t>(format.pixel_bytes());
  return std::max(pixels / least_chunk, std::int64_t{1}) * least_chunk;
}

Format WireOptions::on_the_wire(Format format, const Format& image) const {
  if (half && image.scalar == Scalar::float32) format.scalar = Scalar::float16;
  return format;
}

std::size_t Outgoing::colour_bytes() const {
  if (content == Content::absent) return 0;
  return content == Content::sparse ? packed : static_cast<std::size_t>(count) * format.colour_bytes();
}

std::size_t Outgoing::depth_bytes() const {
  return content == Content::dense && format.depth ? static_cast<std::size_t>(count) * sizeof(float) : 0;
}

Content Incoming::content(std::size_t colour_bytes) const {
  if (colour_bytes == 0) return Content::absent;
  return colour_bytes < static_cast<std::size_t>(count) * format.colour_bytes() ? Content::sparse
                                                                                : Content::dense;
}

Outgoing encode(const WireOptions& wire, const Format& image, const Load& load, Pool& pool) {
  Outgoing parcel{Content::dense, wire.on_the_wire(load.format, image), load.count, load.pixels, 0, {}};
  const std::size_t dense = parcel.colour_bytes();

  // Leave out empty pixels, if that saves enough. Memory for every message of a size is taken in the same
  // size, so that no frame allocates because its images differ from the last one's.
  if (wire.sparse && load.count > 0) {
    const auto most = static_cast<std::size_t>((1 - least_saving) * static_cast<double>(dense));
    std::vector<ActiveRun> runs;
    if (find_runs(load, runs)) {
      parcel.packed = packed_bytes(load.format, parcel.format.scalar, runs);
      if (parcel.packed < most) {
        parcel.content = Content::sparse;
        parcel.memory = pool.take(most);
        pack(load.format, load.pixels, runs, 0, parcel.format.scalar, parcel.memory.get());
        parcel.pixels = {parcel.memory.get(), nullptr};
        return parcel;
      }
    }
  }

  // Convert, or put together.
  if (parcel.format.scalar != load.format.scalar || load.scattered) {
    const PixelBuffer converted = take_pixels(pool, parcel.format, load.count);
    Link whole{load.pixels, load.format.scalar, Side::back};
    if (load.scattered) {
      whole.sparse = true;
      whole.runs = load.runs;
    }
    blend(Op::add, load.format.channels, load.format.depth, {&whole, 1}, converted.view(),
          parcel.format.scalar, load.count);
    parcel.pixels = converted.view();
    parcel.memory = converted.memory();
  }
  return parcel;
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
