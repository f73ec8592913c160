// Device frames: what images in the memory of GPUs change in image frames (image_frames.cpp).
//
// The images of a node stay where they are if every rank can open them (execute/device/gpu.hpp); a rank with
// such an image then runs a DeviceExchange. Otherwise the image passes through memory of the host: a copy of
// it is composited there, and the finished pixels are copied back. Ranks with images on the host take part
// in both cases.
#include <cstring>
#include <sstream>

#include "sortlast/execute/compositor_impl.hpp"
#include "sortlast/execute/node/node_image.hpp"

namespace sortlast {
namespace {

// Offers that all ranks could open: applications draw into a few images in turn.
constexpr std::size_t remembered = 16;

// FNV-1a over the bytes of a value.
template <typename T>
void add_to_hash(std::uint64_t& hash, const T& value) {
  std::array<unsigned char, sizeof value> bytes;
  std::memcpy(bytes.data(), &value, sizeof value);
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3U;
}

std::uint64_t hash_of(int rank, const ExportedImage& image) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  add_to_hash(hash, rank);
  for (const device::Export* plane : {&image.colour, &image.depth}) {
    add_to_hash(hash, plane->base);
    add_to_hash(hash, plane->buffer);
  }
  return hash;
}

}  // namespace

// ---- Before the ranks meet ------------------------------------------------------------------------

// Check an image and the memory for its result, and get its GPU ready. Returns the image to offer. Throws
// ArgumentError, also for errors of the driver, so that all ranks throw it.
ImageView Compositor::Impl::taken_from_device(const ImageView& image, const Composition& composition,
                                              const PixelBuffer& out) {
  if (out.view().colour != nullptr && out.kind() != image.memory)
    throw ArgumentError(std::string("out is in memory of ") +
                        (out.kind() == MemoryKind::device ? "a GPU" : "the host") +
                        "; expected the memory of the image, as the finished pixels stay there");
  if (image.memory == MemoryKind::host || image.is_none()) return image;
  try {
    const int ordinal = device::ordinal_of(image.pixels.colour);
    if (!devices_.gpu || devices_.gpu->ordinal() != ordinal) use_gpu(ordinal);
    devices_.given = true;
    devices_.stream = image.stream;
    devices_.gpu->begin_frame();
    devices_.gpu->begin_work(devices_.gpu->stream(image.stream));
    return offered_device_image(image, composition);
  } catch (const TimeoutError&) {
    throw;
  } catch (const RemoteError&) {
    throw;
  } catch (const ArgumentError&) {
    throw;
  } catch (const Error& error) {
    throw ArgumentError(error.what());
  }
}

void Compositor::Impl::use_gpu(int ordinal) {
  devices_.exchange.reset();
  devices_.gpu = std::make_shared<Gpu>(ordinal, [this](const device::Event& event) {
    Backoff backoff(session_.alarm, [] { return std::string("the GPU, before its stream can go on"); });
    while (!event.done()) backoff.pause();
  });
}

// The image to offer: itself, a copy of it that can be shared, or a copy on the host. Throws Error.
ImageView Compositor::Impl::offered_device_image(const ImageView& image, const Composition& composition) {
  std::string cause = devices_.staged;
  if (cause.empty() && leaves_out()) cause = "frames that leave late ranks out are composited on the host";
  if (cause.empty() && !composition.premultiplied) cause = "its colours are multiplied by alpha on the host";
  if (cause.empty() && internals_.layout == FrameLayout::interleaved)
    cause = "its pixels are dealt out in blocks";
  if (!cause.empty()) return on_host(image, cause);
  if (session_.node->alone()) return image;
  try {
    devices_.exported = devices_.gpu->publish(image);
    return image;
  } catch (const ArgumentError& error) {
    devices_.copied = error.what();
  }
  const std::int64_t n = image.size.pixels();
  ImageView copy = image;
  devices_.copy = devices_.gpu->take(image.format, n);
  copy.pixels = devices_.copy.view();
  Gpu::copy(devices_.gpu->stream(image.stream), image.format, image.pixels, devices_.copy.view(), n);
  devices_.exported = devices_.gpu->publish(copy);
  return copy;
}

ImageView Compositor::Impl::on_host(const ImageView& image, const std::string& cause) {
  devices_.cause = cause;
  devices_.exported.reset();
  const std::int64_t n = image.size.pixels();
  const PixelBuffer copy(devices_.host.take(PixelBuffer::bytes(image.format, n), *session_.node),
                         image.format, n);
  const device::Stream stream = devices_.gpu->stream(image.stream);
  Gpu::copy(stream, image.format, image.pixels, copy.view(), n);
  devices_.gpu->synchronize(stream);
  ImageView view = image;
  view.pixels = copy.view();
  view.memory = MemoryKind::host;
  view.stream = nullptr;
  return view;
}

// ---- After the ranks of the node have met ---------------------------------------------------------

// See whether all ranks of the node can open the images of the others, and move them to the host otherwise.
// The ranks meet again to agree on that, unless they did so for the same memory before: all see the same
// offers.
void Compositor::Impl::settle_devices(ImageView& image) {
  Node& node = *session_.node;
  devices_.on_one_gpu = false;
  if (node.alone() || leaves_out() || !node.on_device()) return;

  // Look at the offers.
  std::vector<std::pair<int, NodeImage>> exported;
  std::uint64_t key = 0;
  for (const int rank : node.neighbours().members) {
    NodeImage offered(node, rank);
    if (offered.exported() == nullptr) continue;
    key += hash_of(rank, *offered.exported());
    exported.emplace_back(rank, std::move(offered));
  }
  const auto on_first = [&](const auto& other) {
    return other.second.exported()->gpu == exported.front().second.exported()->gpu;
  };
  devices_.on_one_gpu = node.everybody() && exported.size() == node.neighbours().members.size() &&
                        std::all_of(exported.begin(), exported.end(), on_first);
  if (std::find(devices_.confirmed.begin(), devices_.confirmed.end(), key) != devices_.confirmed.end())
    return;

  // Open the images.
  std::string problem;
  try {
    if (!devices_.gpu) use_gpu(0);
    devices_.gpu->close_unused();
    for (const auto& [rank, offered] : exported) {
      if (rank == session_.rank) continue;
      devices_.gpu->open(rank, *offered.exported(), offered.view().format);
      devices_.gpu->open_events(rank, *offered.exported());
    }
  } catch (const Error& error) {
    problem = error.what();
  }
  Offer again = offer_of(image, devices_.exported ? &*devices_.exported : nullptr);
  again.flag = !problem.empty();
  node.meet(again, "composite");
  if (!node.flagged()) {
    devices_.confirmed.push_back(key);
    if (devices_.confirmed.size() > remembered) devices_.confirmed.pop_front();
    return;
  }

  // Somebody could not: publish copies on the host, now and in all further frames.
  devices_.on_one_gpu = false;
  devices_.confirmed.clear();
  devices_.staged = problem.empty() ? "another rank of the machine could not open it" : problem;
  if (image.memory == MemoryKind::device) image = on_host(image, devices_.staged);
  node.meet(offer_of(image), "composite");
}

// ---- The frame ------------------------------------------------------------------------------------

PixelBuffer Compositor::Impl::run_on_device(const Contribution& with, const Composition& composition,
                                            float background_depth, const PixelBuffer& result,
                                            CallArrival* arrival) {
  if (!devices_.exchange) devices_.exchange = std::make_shared<DeviceExchange>(images_.plan, context());
  DeviceContribution contribution{with.image, {}, result.view()};
  if (!composition.background.empty()) {
    contribution.background.emplace(DeviceBackground{{}, background_depth});
    std::copy(composition.background.begin(), composition.background.end(),
              contribution.background->colour.begin());
  }
  const PixelBuffer pixels = devices_.exchange->run(contribution, context(), arrival);
  return {pixels.memory(), pixels.view(), MemoryKind::device};
}

// The tile of a rank whose image was in the memory of a GPU: its pixels belong there, in `out` if given.
void Compositor::Impl::finish_on_device(detail::TileData& tile, const PixelBuffer& out) {
  const device::Stream stream = devices_.gpu->stream(devices_.stream);
  tile.stream = devices_.stream;
  if (tile.pixels.kind() == MemoryKind::host) {
    const std::int64_t n = tile.range.size();
    tile.host = tile.pixels;
    const bool in_place = out.view().colour != nullptr && tile.interleaving.none();
    tile.pixels = in_place
                      ? PixelBuffer(advance(out.view(), tile.format, tile.range.begin), MemoryKind::device)
                      : devices_.gpu->take(tile.format, n);
    Gpu::copy(stream, tile.format, tile.host.view(), tile.pixels.view(), n);
    std::int64_t at = 0;
    for (const Range& range : tile.interleaving.ranges(tile.range)) {
      if (in_place || out.view().colour == nullptr) break;
      Gpu::copy(stream, tile.format, advance(ConstPixels(tile.host.view()), tile.format, at),
                advance(out.view(), tile.format, range.begin), range.size());
      at += range.size();
    }
    devices_.gpu->synchronize(stream);  // others may write to the frame of the node
  }
  devices_.gpu->end_work(stream);
}

std::string Compositor::Impl::explain_devices() const {
  if (!devices_.given) return "";
  std::ostringstream text;
  text << "This rank's image is in the memory of " << devices_.gpu->name() << " (";
  if (!devices_.cause.empty()) {
    text << "and was composited in memory of the host: " << devices_.cause << ").\n";
    return text.str();
  }
  text << "the ranks of its node read it there).\n";
  if (!devices_.copied.empty()) text << "It was copied once on the GPU: " << devices_.copied << ".\n";
  if (devices_.on_one_gpu && images_.name.starts_with("collect:"))
    text
        << "All ranks share this GPU, which runs one process at a time, so the root blends all images in one "
           "kernel.\n";
  return text.str();
}

// ---- Gathering ------------------------------------------------------------------------------------

// What this rank offers to the root of its node: its tile, if it is in the memory of a GPU.
Offer Compositor::Impl::offer_of_tile(const detail::TileData& tile) {
  devices_.exported.reset();
  if (tile.pixels.kind() == MemoryKind::host || tile.range.empty() || session_.node->alone() ||
      leaves_out() || tile.host.view().colour != nullptr)
    return {};
  const ImageView pixels{tile.pixels.view(), {tile.range.size(), 1}, tile.format, {}, MemoryKind::device,
                         tile.stream};
  try {
    devices_.exported = devices_.gpu->publish(pixels);
  } catch (const ArgumentError&) {
    return {};  // it goes through the host
  }
  return offer_of(pixels, &*devices_.exported);
}

// A tile in memory of the host, for messages.
detail::TileData Compositor::Impl::tile_on_host(const detail::TileData& tile) {
  detail::TileData copy = tile;
  if (tile.pixels.kind() == MemoryKind::host) return copy;
  copy.pixels = tile.host;
  if (tile.host.view().colour != nullptr || tile.range.empty()) return copy;
  const device::Stream stream = devices_.gpu->stream(tile.stream);
  copy.pixels = devices_.gpu->take_pinned(tile.format, tile.range.size());
  Gpu::copy(stream, tile.format, tile.pixels.view(), copy.pixels.view(), tile.range.size());
  devices_.gpu->synchronize(stream);
  return copy;
}

// Copy the tiles of ranks of the root's node that are in the memory of a GPU into the frame, which is read at
// the root only. Returns whose tiles it copies.
std::vector<bool> Compositor::Impl::take_tiles(const Gathering& image, const PixelBuffer& frame,
                                               const std::optional<device::Stream>& stream) {
  Node& node = *session_.node;
  const bool root = session_.rank == image.root;
  std::vector<bool> taken(static_cast<std::size_t>(session_.size), false);
  if (node.alone() || leaves_out() || !node.on_device()) return taken;
  Format format = image.tile.format;
  format.depth = image.with_depth;
  for (const int rank : node.neighbours().members) {
    const NodeImage offered(node, rank);
    if ((!root && !node.mate(image.root)) || offered.exported() == nullptr || rank == image.root) continue;
    taken[static_cast<std::size_t>(rank)] = true;
    if (!root) continue;
    devices_.gpu->wait_until_ready(*stream, rank, *offered.exported());
    const Range piece = image.tile.schedule->piece(rank);
    Gpu::copy(*stream, format, devices_.gpu->open(rank, *offered.exported(), image.tile.format),
              advance(frame.view(), format, piece.begin), piece.size());
  }

  // The owners go on when the root has read their tiles or, if they can wait for its stream, when that is in
  // order.
  if (root && devices_.exported) devices_.gpu->record_done(*stream);
  if (root && !devices_.exported) devices_.gpu->synchronize(*stream);
  for (const int rank : node.neighbours().members)
    if (rank != session_.rank) node.release(rank);
  node.wait_until_read("gather");
  if (devices_.exported && node.mate(image.root)) {
    const NodeImage of_root(node, image.root);
    if (of_root.exported() != nullptr)
      devices_.gpu->wait_until_done(*stream, image.root, *of_root.exported());
  }
  return taken;
}

// Gather tiles of which some are in the memory of a GPU. The frame is where the root's tile is, unless the
// caller passes memory for it. Tiles that the root does not copy itself travel through memory of the host.
std::optional<Frame> Compositor::Impl::gather_devices(const Gathering& image) {
  const detail::TileData& tile = image.tile;
  const bool root = session_.rank == image.root;
  const bool on_device = tile.pixels.kind() == MemoryKind::device;
  const bool given = image.out.view().colour != nullptr;
  const std::int64_t n = tile.size.pixels();
  Format format = tile.format;
  format.depth = image.with_depth;
  if (given && !devices_.gpu && image.out.kind() == MemoryKind::device)
    use_gpu(device::ordinal_of(image.out.view().colour));
  std::optional<device::Stream> stream;
  if (devices_.gpu) stream = on_device ? devices_.gpu->stream(tile.stream) : devices_.gpu->own_stream();

  // The frame, and the tiles that the root copies.
  if (stream) devices_.gpu->begin_work(*stream);
  PixelBuffer frame;
  const bool whole = on_device && tile.range.size() == n && tile.interleaving.none() && !given;
  if (root) {
    frame = given       ? image.out
            : whole     ? tile.pixels
            : on_device ? devices_.gpu->take(format, n)
                        : take_pixels(session_.pool, format, n);
  }
  std::vector<bool> taken = take_tiles(image, frame, stream);
  for (std::int32_t rank = 0; whole && rank < session_.size; ++rank)
    if (rank != session_.rank) taken[static_cast<std::size_t>(rank)] = true;  // they hold nothing
  const bool direct = on_device && tile.host.view().colour == nullptr;
  if (root && direct) {
    taken[static_cast<std::size_t>(session_.rank)] = true;
    Gpu::copy(*stream, format, tile.pixels.view(), advance(frame.view(), format, tile.range.begin),
              tile.range.size());
    if (frame.kind() == MemoryKind::host) devices_.gpu->synchronize(*stream);
  }
  if (stream) devices_.gpu->end_work(*stream);

  // The other tiles.
  const bool mine_taken = taken[static_cast<std::size_t>(session_.rank)];
  const detail::TileData mine = mine_taken ? tile : tile_on_host(tile);
  if (!root) {
    gather_tiles({{mine, image.root, image.with_depth, {}, taken}}, wire_options(), context());
    return std::nullopt;
  }
  const auto is_taken = [](bool one) { return one; };
  if (!std::all_of(taken.begin(), taken.end(), is_taken)) {
    const bool upload = frame.kind() == MemoryKind::device;
    const bool pieces = std::any_of(taken.begin(), taken.end(), is_taken);
    const PixelBuffer host = upload ? devices_.gpu->take_pinned(format, n) : frame;
    gather_tiles({{mine, image.root, image.with_depth, host, taken}}, wire_options(), context());
    for (std::int32_t rank = 0; upload && rank < session_.size; ++rank) {
      if (!pieces && rank > 0) break;
      const Range piece = pieces ? tile.schedule->piece(rank) : Range{0, n};
      if (taken[static_cast<std::size_t>(rank)] || piece.empty()) continue;
      Gpu::copy(*stream, format, advance(ConstPixels(host.view()), format, piece.begin),
                advance(frame.view(), format, piece.begin), piece.size());
    }
    if (upload) devices_.gpu->synchronize(*stream);
  }
  if (!format.depth) frame = {frame.memory(), Pixels{frame.view().colour, nullptr}, frame.kind()};
  return Frame{tile.size, format, frame, {}, on_device ? tile.stream : nullptr};
}

}  // namespace sortlast
