// Box frames.
//
// The ranks exchange the positions and boxes of their images. Ranks of one node do so in shared memory while
// they agree; between nodes, two collectives follow the agreement: the number of images of each rank, then 48
// bytes per image. Every rank then knows whether images of different ranks interleave in depth. If they do,
// the images are composited as contents of varying size. If not, each rank first blends its images into one
// image with bounds, because frames of one image per rank are faster: images are read in place, and the
// schedules follow the depth order. This must not lose anything: several images of a scalar with less
// precision than the accumulators would be rounded once per rank, a minimum must not see the empty pixels
// between the boxes, and those pixels must not hide others at infinite depth. It also pays only if the bounds
// have few more pixels than the boxes.
#include "sortlast/execute/box_frames.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sortlast/content/layers/box_list.hpp"
#include "sortlast/content/layers/box_table.hpp"
#include "sortlast/content/layers/image_codec.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/compositor_impl.hpp"
#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/execute/node/node_spans.hpp"

namespace sortlast {

// ---- The images of all ranks ----------------------------------------------------------------------

namespace {

// All ranks' images, rank by rank.
std::vector<PlacedBox> all_boxes(const FrameContext& context, const std::vector<PlacedBox>& mine,
                                 const std::vector<BoxCount>& counts) {
  struct Gathered {
    std::vector<PlacedBox> mine;
    std::vector<PlacedBox> all;
    std::vector<int> counts;
    std::vector<int> offsets;
  };
  const auto gathered = std::make_shared<Gathered>();
  gathered->mine = mine;
  std::uint64_t sum = 0;
  for (const BoxCount& count : counts) {
    gathered->counts.push_back(static_cast<int>(count.images));
    gathered->offsets.push_back(static_cast<int>(sum));
    sum += count.images;
    if (sum > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
      throw SettledError<ArgumentError>("all ranks together have " + std::to_string(sum) +
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
  MPI_Type_free(&type);  // after the last use
  check_mpi(status, "MPI_Iallgatherv");
  wait(request, context.alarm, all_ranks_to_call("composite"), gathered);
  return std::move(gathered->all);
}

// Offer the list of this rank's images to its node, and their planes if the other ranks can read all of them.
Offer offer_of(const BoxList& list, std::span<const ConstPixels> images, const Node& node) {
  Offer offer;
  offer.header = encode(list);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto n = static_cast<std::size_t>(area(list.placed[i].box));
    offer.spans.push_back({images[i].colour, n * list.count.format.colour_bytes()});
    if (list.count.format.depth) offer.spans.push_back({images[i].depth, n * sizeof(float)});
  }
  const auto readable = [&](const Span& span) { return node.readable(span); };
  if (!std::all_of(offer.spans.begin(), offer.spans.end(), readable)) offer.spans.clear();
  return offer;
}

// The images of all ranks.
struct BoxesOfAll {
  std::vector<BoxCount> counts;        // by rank
  std::vector<PlacedBox> placed;       // rank by rank
  std::vector<Publication> published;  // by rank, for the ranks of this node; empty if there are no others
};

// Called after all ranks have met. Collective unless they all share one node.
BoxesOfAll boxes_of_all(const FrameContext& context, const BoxList& mine) {
  BoxesOfAll all;
  if (!context.node.alone()) all.published = publications(context.node);
  if (!context.node.everybody() || context.node.alone()) {
    all.counts = all_gather(context.comm, context.alarm, all_ranks_to_call("composite"), mine.count);
    all.placed = all_boxes(context, mine.placed, all.counts);
    return all;
  }
  for (std::size_t rank = 0; rank < all.published.size(); ++rank) {
    const Publication& published = all.published[rank];
    const BoxList list = read_box_list(published.header(), published.spans(), static_cast<int>(rank));
    all.counts.push_back(list.count);
    all.placed.insert(all.placed.end(), list.placed.begin(), list.placed.end());
  }
  return all;
}

// The format of all images. Throws MismatchError, on every rank, if they differ.
Format common_format(const std::vector<BoxCount>& counts, Op op) {
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

// Every rank finds the same errors in the images of all ranks. No rank leaves before the others of its node
// have read the data it published, because that data may end with its compositor.
ImageFrame box_frame(const FrameContext& context, const BoxCall& call, BoxesOfAll& all, bool sparse) {
  try {
    const Op op = call.composition.op;
    return settled([&] {
      const Format format = common_format(all.counts, op);
      check_format(format, op);
      return frame_of_boxes(std::make_shared<const BoxTable>(std::move(all.placed), call.size), op, format,
                            sparse);
    });
  } catch (const Error&) {
    for (const int mate : context.node.neighbours().members)
      if (mate != context.comm.rank()) context.node.release(mate);
    context.node.wait_until_read("composite");
    throw;
  }
}

// Why each rank's images cannot be blended into one first; empty if they can.
std::string why_not_one(const BoxTable& table, const std::vector<BoxCount>& counts, const Format& format,
                        Op op) {
  const auto p = static_cast<std::int32_t>(counts.size());
  if (table.order_of_ranks(p).empty()) return "images of one rank lie between those of another";
  const bool several =
      std::any_of(counts.begin(), counts.end(), [](const BoxCount& count) { return count.images > 1; });
  if (several && accumulator_scalar(format.scalar, op) != format.scalar)
    return "images that are " + std::string(scalar_name(format.scalar)) + " would be rounded once a rank";

  // Between the boxes, the bounds hold empty pixels.
  std::int64_t in_boxes = 0;
  std::int64_t in_bounds = 0;
  bool whole = true;
  for (std::size_t place = 0; place < table.size(); ++place) {
    const Rectangle& box = table.at(static_cast<BoxTable::Place>(place)).box;
    in_boxes += area(box);
    whole = whole && area(box) == table.frame().pixels();
  }
  const bool as_none = op == Op::over || op == Op::add || (op == Op::max && format.scalar == Scalar::uint8);
  if (!whole && !as_none)
    return std::string(op_name(op)) + " takes pixels outside an image's box for none, not for empty ones";
  for (std::int32_t rank = 0; several && rank < p; ++rank) in_bounds += area(table.bounds_of(rank));
  if (in_bounds > 2 * in_boxes) return "the images of a rank lie too far apart in the frame";
  return "";
}

}  // namespace

// ---- The frame ------------------------------------------------------------------------------------

Tile Compositor::Impl::composite_boxes(const BoxCall& call) {
  refuse_if_leaving_out("several images a rank");
  return session_.call("composite", [&] { return composite_boxes_in_turn(call); });
}

namespace {

// The format of a rank's images. Without images or a format in the call, a plausible one.
Format told_format(const BoxCall& call) {
  if (!call.images.empty()) return call.images.front().image.format;
  if (call.format) return *call.format;
  return {Scalar::float32, call.composition.background.size() == 3 ? 3 : 4,
          call.composition.op == Op::closest};
}

void check_box_call(const BoxCall& call, int p) {
  const Format format = told_format(call);
  check_frame(ImageView::none(call.size, format), call.composition, p);
  check_box_images(call.images, call.size, format);
  if (!call.composition.order.empty())
    throw ArgumentError(
        "an order of ranks was passed with several images a rank; expected none, as their "
        "positions are the order");
  for (const BoxImage& each : call.images) {
    check_on_host(each.image.memory, call.out);
    detail::check_output(each.image, call.out.view(), call.size);
  }
}

// Copies of images with their colours multiplied by alpha.
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

// The steps of a frame: check and agree, exchange the boxes, choose, composite.
Tile Compositor::Impl::composite_boxes_in_turn(const BoxCall& call) {
  const double begin = trace_clock();
  const Composition& composition = call.composition;
  session_.pool.begin_frame();
  images_.survey = {};

  // Check, and list this rank's images.
  Arguments arguments("composite");
  arguments.add("images", "several a rank");
  arguments.add("size", text(call.size));
  std::string problem = problem_of([&] { arguments.add("op", std::string(op_name(composition.op))); });
  arguments.add("background", text(composition.background));
  arguments.add("root", std::to_string(composition.root));
  arguments.add("out", call.out.view().colour == nullptr ? "no" : "yes");
  if (problem.empty()) problem = problem_of([&] { check_box_call(call, session_.size); });
  BoxList mine;
  std::vector<PixelBuffer> copies;
  std::vector<ConstPixels> pixels;
  if (problem.empty()) {
    if (!composition.premultiplied) copies = premultiplied_copies(call.images, session_.pool);
    for (std::size_t i = 0; i < call.images.size(); ++i) {
      const BoxImage& image = call.images[i];
      mine.placed.push_back(
          {image.position, box_of(image, call.size), session_.rank, static_cast<std::int32_t>(i)});
      pixels.push_back(copies.empty() ? image.image.pixels : ConstPixels(copies[i].view()));
    }
  }

  // Agree, and exchange the boxes.
  mine.count = {mine.placed.size(), told_format(call), !mine.placed.empty() || call.format};
  const FrameContext with = context();
  meet(arguments, problem, offer_of(mine, pixels, *session_.node));
  BoxesOfAll all = boxes_of_all(with, mine);
  ImageFrame frame = box_frame(with, call, all, internals_.sparse);
  const double told = trace_clock();

  // Composite: at the root alone if collecting all images there costs it no more than their finished pieces
  // would; as one image per rank; or all images by themselves.
  const bool may_collect =
      session_.size > 1 && session_.nodes.empty() && session_.options.algorithm == "auto";
  const int root = may_collect ? composition.root : -1;
  std::string way;
  const auto composite = [&] {
    if (root >= 0 && frame.layout.boxes->pixels() <= call.size.pixels()) {
      way = "each was sent to rank " + std::to_string(root) +
            " at once, as together they have no more pixels than the frame";
      frame.merges = false;
      return composite_all(call, frame, pixels, all.published, root);
    }
    const std::string why = why_not_one(*frame.layout.boxes, all.counts, frame.layout.format, composition.op);
    way = why.empty() ? "each rank made its own into one first, as no rank's lie between another's"
                      : "each went to the ranks that finish its pixels, as " + why;
    return why.empty() ? composite_as_one(call, frame, pixels)
                       : composite_all(call, frame, pixels, all.published, -1);
  };
  Tile tile = composite();
  statistics_.timing.agree += told - begin;
  statistics_.timing.total = trace_clock() - begin;
  statistics_.boxes_explained = std::to_string(frame.layout.boxes->size()) + " images of all ranks, " +
                                std::to_string(mine.placed.size()) + " of this one: " + way + ".\n";
  return tile;
}

// Composite after blending each rank's images into one image with bounds.
Tile Compositor::Impl::composite_as_one(const BoxCall& call, const ImageFrame& frame,
                                        const std::vector<ConstPixels>& pixels) {
  Composition composition = call.composition;
  composition.order = frame.layout.boxes->order_of_ranks(session_.size);
  composition.premultiplied = true;
  ImageView image = ImageView::none(call.size, frame.layout.format);
  const Rectangle bounds = frame.layout.boxes->bounds_of(session_.rank);
  if (area(bounds) == call.size.pixels() && pixels.size() == 1) {
    image.pixels = pixels.front();
  } else if (area(bounds) > 0) {
    const double begin = trace_clock();
    const std::size_t bytes = PixelBuffer::bytes(frame.layout.format, call.size.pixels());
    image.pixels =
        PixelBuffer(own_image_.take(bytes, *session_.node), frame.layout.format, call.size.pixels()).view();
    image.bounds = bounds;
    blend_own(ImageCodec(frame, session_.rank, pixels), bounds, image);
    statistics_.record({Activity::blend, begin, trace_clock(), -1, -1, area(bounds)});
  }
  return composite_in_turn(image, composition, call.out, call.background_depth);
}

void Compositor::Impl::blend_own(const ImageCodec& images, const Rectangle& bounds, const ImageView& image) {
  const Pixels whole{const_cast<std::byte*>(image.pixels.colour), const_cast<float*>(image.pixels.depth)};
  std::atomic<std::int64_t> next{bounds.y0};
  session_.team->run([&](int) {
    for (std::int64_t row = next++; row < bounds.y1; row = next++) {
      const Range pixels{row * image.size.width + bounds.x0, row * image.size.width + bounds.x1};
      images.finish({}, true, pixels, advance(whole, image.format, pixels.begin), nullptr);
    }
  });
}

// Composite with every image sent by itself, or blended with its neighbours in depth; ranks of the node read
// images in place.
Tile Compositor::Impl::composite_all(const BoxCall& call, ImageFrame frame,
                                     const std::vector<ConstPixels>& pixels,
                                     const std::vector<Publication>& published, int root) {
  const Composition& composition = call.composition;
  if (!composition.background.empty())
    frame.background.emplace(composition.op, frame.layout.format, composition.background,
                             call.background_depth);
  LayerCall layers{call.size, frame.layout.format, {}, {}, {}};
  layers.collected_at = root;
  layers.content = [&](const FrameContext& with) {
    std::unique_ptr<const PeerSpans> peers;
    if (!published.empty()) peers = std::make_unique<const NodeSpans>(*session_.node, published);
    frame.sparse = frame.sparse && !with.all_in_place;
    return std::make_unique<const ImageCodec>(
        frame, session_.rank, pixels, std::move(peers),
        [this](std::size_t bytes) { return session_.pool.take(bytes); });
  };
  return run_layers(layers, call.out);
}

}  // namespace sortlast
