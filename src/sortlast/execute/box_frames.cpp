// Box frames.
//
// The ranks tell each other the positions and boxes of their images: 48 bytes an image, in one collective.
// Then all know alike whether the images of some rank lie between those of another. If they do, they are
// contents of varying size. If not, each rank makes its own into one image with bounds, and the way of one
// image a rank is the faster: its images are read where they lie, and its schedules follow the depth order.
// That needs that nothing is lost: images of several in a scalar of less precision than accumulators would be
// rounded once a rank, and a minimum must not see the empty pixels between the boxes. It pays where the
// bounds have not many more pixels than the boxes.
#include "sortlast/execute/box_frames.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/compositor_impl.hpp"
#include "sortlast/execute/layers/box_images.hpp"
#include "sortlast/execute/layers/box_table.hpp"
#include "sortlast/execute/mpi/wait.hpp"

namespace sortlast {

PixelBuffer BoxMemory::frame(Size size, const Format& format, Node& node) {
  const std::size_t bytes = PixelBuffer::bytes(format, size.pixels());
  if (bytes > bytes_ || bytes < bytes_ / 4) {
    memory_ = node.allocate(bytes);
    bytes_ = bytes;
  }
  return {memory_, format, size.pixels()};
}

void BoxMemory::keep_for_ever() noexcept {
  try {
    if (memory_) sortlast::keep_for_ever(memory_);
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory to note it
  }
}

// ---- What all ranks have --------------------------------------------------------------------------

namespace {

// What a rank tells of its images before the boxes.
struct Count {
  std::uint64_t images = 0;
  Format format;
  bool told = false;  // the format is not a guess
};

// All ranks' images, rank by rank.
std::vector<PlacedBox> all_boxes(const FrameContext& context, const std::vector<PlacedBox>& mine,
                                 const std::vector<Count>& counts) {
  struct Gathered {
    std::vector<PlacedBox> mine;
    std::vector<PlacedBox> all;
    std::vector<int> counts;
    std::vector<int> offsets;
  };
  const auto gathered = std::make_shared<Gathered>();
  gathered->mine = mine;
  std::uint64_t sum = 0;
  for (const Count& count : counts) {
    gathered->counts.push_back(static_cast<int>(count.images));
    gathered->offsets.push_back(static_cast<int>(sum));
    sum += count.images;
    if (sum > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
      throw ArgumentError("all ranks together have " + std::to_string(sum) +
                          " images or more; expected less than 2^31");
  }
  gathered->all.resize(sum);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(static_cast<int>(sizeof(PlacedBox)), MPI_BYTE, &type), "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
  MPI_Request request = MPI_REQUEST_NULL;
  const int status =
      MPI_Iallgatherv(gathered->mine.data(), static_cast<int>(mine.size()), type, gathered->all.data(),
                      gathered->counts.data(), gathered->offsets.data(), type, context.comm.get(), &request);
  MPI_Type_free(&type);  // once the call is through
  check_mpi(status, "MPI_Iallgatherv");
  wait(request, context.alarm, all_ranks_to_call("composite"), gathered);
  return std::move(gathered->all);
}

// The format of all images. Throws MismatchError, on every rank, if it is not one.
Format common_format(const std::vector<Count>& counts, Op op) {
  std::optional<std::size_t> first;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (!counts[rank].told) continue;
    if (!first) first = rank;
    if (counts[rank].format != counts[*first].format)
      throw MismatchError("ranks disagree: format: " + format_name(counts[*first].format) + " on rank " +
                          std::to_string(*first) + "; " + format_name(counts[rank].format) + " on rank " +
                          std::to_string(rank));
  }
  return first ? counts[*first].format : Format{Scalar::float32, 4, op == Op::closest};
}

std::int64_t area(const Rectangle& box) { return (box.x1 - box.x0) * (box.y1 - box.y0); }

// Why the images of each rank cannot become one first; empty if they can.
std::string why_not_one(const BoxTable& table, const std::vector<Count>& counts, const Format& format,
                        Op op) {
  const auto p = static_cast<std::int32_t>(counts.size());
  if (table.order_of_ranks(p).empty()) return "images of one rank lie between those of another";
  const bool several =
      std::any_of(counts.begin(), counts.end(), [](const Count& count) { return count.images > 1; });
  if (several && accumulator_scalar(format.scalar, op) != format.scalar)
    return "images that are " + std::string(scalar_name(format.scalar)) + " would be rounded once a rank";

  // Between the boxes there would be empty pixels.
  std::int64_t in_boxes = 0;
  std::int64_t in_bounds = 0;
  bool whole = true;
  for (std::size_t place = 0; place < table.size(); ++place) {
    const Rectangle& box = table.at(static_cast<BoxTable::Place>(place)).box;
    in_boxes += area(box);
    whole = whole && area(box) == table.frame().pixels();
  }
  if (!whole && (op == Op::min || (op == Op::max && format.scalar != Scalar::uint8)))
    return std::string(op_name(op)) + " takes pixels outside an image's box for none, not for empty ones";
  for (std::int32_t rank = 0; several && rank < p; ++rank) in_bounds += area(table.bounds_of(rank));
  if (in_bounds > 2 * in_boxes) return "the images of a rank lie too far apart in the frame";
  return "";
}

}  // namespace

// ---- The frame ------------------------------------------------------------------------------------

Tile Compositor::Impl::composite_boxes(const BoxCall& call) {
  const Turn turn(busy_, "composite");
  check_mpi_is_there("composite");
  return guarded([&] { return composite_boxes_in_turn(call); });
}

namespace {

// The format of a rank's images; of one without any, which the call does not tell, one that may be theirs.
Format told_format(const BoxCall& call) {
  if (!call.images.empty()) return call.images.front().image.format;
  if (call.format) return *call.format;
  return {Scalar::float32, call.composition.background.size() == 3 ? 3 : 4,
          call.composition.op == Op::closest};
}

void check_box_call(const BoxCall& call, int p, bool premultiplied) {
  const Format format = told_format(call);
  check_frame(ImageView::none(call.size, format), call.composition, p);
  check_box_images(call.images, call.size, format);
  if (!call.composition.order.empty())
    throw ArgumentError(
        "an order of ranks was passed with several images a rank; expected none, as their "
        "positions are the order");
  for (const BoxImage& each : call.images) {
    detail::check_output(each.image, call.out.view(), call.size);
    if (premultiplied) check_premultiplied(each.image, call.composition);
  }
}

// Copies of images, their colours multiplied by alpha.
std::vector<PixelBuffer> premultiplied_copies(std::span<const BoxImage> images, Pool& pool) {
  std::vector<PixelBuffer> copies;
  for (const BoxImage& each : images) {
    const std::int64_t n = each.image.size.pixels();
    const PixelBuffer copy = take_pixels(pool, each.image.format, n);
    if (n > 0) premultiply(each.image.format, each.image.pixels, copy.view(), n);
    copies.push_back(copy);
  }
  return copies;
}

}  // namespace

// The way of a frame: check and agree, tell each other the boxes, choose, composite.
Tile Compositor::Impl::composite_boxes_in_turn(const BoxCall& call) {
  const double begin = trace_clock();
  const Composition& composition = call.composition;
  pool_.begin_frame();
  survey_ = {};

  // Agree.
  Arguments arguments("composite");
  arguments.add("images", "several a rank");
  arguments.add("size", text(call.size));
  std::string problem = problem_of([&] { arguments.add("op", std::string(op_name(composition.op))); });
  arguments.add("background", text(composition.background));
  arguments.add("out", call.out.view().colour == nullptr ? "no" : "yes");
  if (problem.empty())
    problem = problem_of([&] { check_box_call(call, size_, options_.check_premultiplied); });
  meet(arguments, problem, {});

  // Tell each other the boxes.
  std::vector<PlacedBox> mine;
  for (std::size_t i = 0; i < call.images.size(); ++i)
    mine.push_back(
        {call.images[i].position, box_of(call.images[i], call.size), rank_, static_cast<std::int32_t>(i)});
  const Count own{mine.size(), told_format(call), !mine.empty() || call.format};
  const std::vector<Count> counts = all_gather(data_, alarm_, all_ranks_to_call("composite"), own);
  const Format format = common_format(counts, composition.op);
  check_format(format, composition.op);
  const auto table = std::make_shared<const BoxTable>(all_boxes(context(), mine, counts), call.size);
  const double told = trace_clock();

  // Composite them as one image a rank, or all of them.
  std::vector<PixelBuffer> copies;
  std::vector<ConstPixels> pixels;
  const bool straight = !composition.premultiplied;
  if (straight) copies = premultiplied_copies(call.images, pool_);
  for (std::size_t i = 0; i < call.images.size(); ++i)
    pixels.push_back(straight ? ConstPixels(copies[i].view()) : call.images[i].image.pixels);
  const BoxFrame frame{table, format, composition.op, {}, options_.sparse};
  const std::string why = why_not_one(*table, counts, format, composition.op);
  Tile tile = why.empty() ? composite_as_one(call, frame, pixels) : composite_all(call, frame, pixels);

  const double before = told - begin;
  timing_.agree += before;
  timing_.total = trace_clock() - begin;
  boxes_explained_ =
      std::to_string(table->size()) + " images of all ranks, " + std::to_string(mine.size()) +
      " of this one: " +
      (why.empty() ? "each rank made its own into one first, as no rank's lie between another's.\n"
                   : "each went to the ranks that finish its pixels, as " + why + ".\n");
  return tile;
}

// Every rank's images become one image with bounds.
Tile Compositor::Impl::composite_as_one(const BoxCall& call, const BoxFrame& frame,
                                        const std::vector<ConstPixels>& pixels) {
  Composition composition = call.composition;
  composition.order = frame.table->order_of_ranks(size_);
  composition.premultiplied = true;
  ImageView image = ImageView::none(call.size, frame.format);
  const Rectangle bounds = frame.table->bounds_of(rank_);
  if (area(bounds) == call.size.pixels() && pixels.size() == 1) {
    image.pixels = pixels.front();
  } else if (area(bounds) > 0) {
    const double begin = trace_clock();
    image.pixels = box_memory_.frame(call.size, frame.format, *node_).view();
    image.bounds = bounds;
    blend_own(BoxImages(frame, rank_, pixels), bounds, image);
    record({Activity::blend, begin, trace_clock(), -1, -1, area(bounds)});
  }
  return composite_in_turn(image, composition, call.out, call.background_depth);
}

void Compositor::Impl::blend_own(const BoxImages& images, const Rectangle& bounds, const ImageView& image) {
  const Pixels whole{const_cast<std::byte*>(image.pixels.colour), const_cast<float*>(image.pixels.depth)};
  std::atomic<std::int64_t> next{bounds.y0};
  team_->run([&](int) {
    for (std::int64_t row = next++; row < bounds.y1; row = next++) {
      const Range pixels{row * image.size.width + bounds.x0, row * image.size.width + bounds.x1};
      images.finish({}, true, pixels, advance(whole, image.format, pixels.begin), nullptr);
    }
  });
}

// Every image travels by itself, or blended with those next to it.
Tile Compositor::Impl::composite_all(const BoxCall& call, BoxFrame frame,
                                     const std::vector<ConstPixels>& pixels) {
  const Composition& composition = call.composition;
  if (!composition.background.empty())
    frame.background.emplace(composition.op, frame.format, composition.background, call.background_depth);
  return composite_layers_in_turn(
      {call.size,
       frame.format,
       {{"content", "images"}},
       "",
       [&](const FrameContext&) { return std::make_unique<const BoxImages>(frame, rank_, pixels); }},
      call.out);
}

}  // namespace sortlast
