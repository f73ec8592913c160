// Images in the memory of GPUs, on the fake driver unless SORTLAST_CUDA_DRIVER names another: the pixels have
// the bits of frames composited in memory of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "device/gpu.hpp"
#include "mpi/device_image.hpp"
#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using testing::DeviceImage;
using testing::message_of;
using testing::Scene;

const Size size{61, 37};

class DeviceFrames : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  std::mt19937 random_{99};

  // The GPUs of the machine take turns.
  static int gpu_of(int rank) { return rank % device::count(); }

  Composition composition_for(const Format& format, Op op) {
    Composition composition;
    composition.op = op;
    composition.order = testing::shuffled(p_, random_);
    if (random_() % 2 == 0) composition.background.assign(static_cast<std::size_t>(format.channels), 0.25F);
    return composition;
  }
};

TEST_F(DeviceFrames, HaveTheBitsOfFramesOnTheHost) {
  const std::pair<const char*, int> settings[] = {
      {"direct-send", 0}, {"2-3-swap", 1}, {"radix-k", 2}, {"parallel-pipeline", 2}};
  for (const auto& [algorithm, node_ranks] : settings) {
    const Options options{.algorithm = algorithm, .node_ranks = node_ranks};
    Compositor on_host(MPI_COMM_WORLD, options);
    Compositor on_device(MPI_COMM_WORLD, options);
    for (const auto& [format, op] : testing::cases()) {
      const Scene scene(p_, format, size, random_, true);
      const Composition composition = composition_for(format, op);
      const int root = static_cast<int>(random_() % static_cast<unsigned>(p_));
      const bool mixed = random_() % 3 == 0;
      const bool with_out = random_() % 3 == 0;
      SCOPED_TRACE(::testing::Message()
                   << algorithm << ", node_ranks " << node_ranks << ", " << format_name(format) << " "
                   << op_name(op) << ", root " << root << ", mixed " << mixed << ", out " << with_out);
      const ImageView mine = testing::image_of(scene, rank_);
      DeviceImage image(gpu_of(rank_), format, size);
      DeviceImage out(gpu_of(rank_), format, size);
      const bool drawn = !mine.is_none() && !(mixed && rank_ % 2 == 1);

      const Tile right = on_host.composite(mine, composition);
      const auto right_frame = on_host.gather(right, root, format.depth);
      Tile tile;
      std::optional<Frame> frame;
      for (int i = 0; i < 2; ++i) {
        if (drawn) image.draw(mine.pixels);
        PixelBuffer to;
        std::vector<std::byte> host(PixelBuffer::bytes(format, size.pixels()));
        if (with_out && drawn) to = out.buffer();
        if (with_out && !drawn) to = PixelBuffer(Memory(host.data(), [](auto*) {}), format, size.pixels());
        tile = on_device.composite(drawn ? image.view() : mine, composition, to);
        EXPECT_EQ(tile.range(), right.range());
        EXPECT_EQ(tile.pixels().kind(), drawn ? MemoryKind::device : MemoryKind::host);
        const std::int64_t n = tile.range().size();
        scene.expect_same_bits(image.read(tile.pixels(), n).view(), right.pixels().view(), n);
        frame = on_device.gather(tile, root, format.depth);
        ASSERT_EQ(frame.has_value(), rank_ == root);
        if (!frame) continue;
        EXPECT_EQ(frame->pixels.kind(), drawn ? MemoryKind::device : MemoryKind::host);
        scene.expect_same_bits(image.read(frame->pixels, size.pixels()).view(), right_frame->pixels.view(),
                               size.pixels());
      }
    }
  }
}

TEST_F(DeviceFrames, OfOneGpuAreBlendedByTheRoot) {
  Compositor compositor(MPI_COMM_WORLD);
  for (const auto& [format, op] : testing::cases()) {
    const Scene scene(p_, format, size, random_, false);
    Composition composition = composition_for(format, op);
    composition.root = static_cast<int>(random_() % static_cast<unsigned>(p_));
    SCOPED_TRACE(::testing::Message() << format_name(format) << " " << op_name(op));
    DeviceImage image(0, format, size);
    image.draw(testing::image_of(scene, rank_).pixels);
    const Tile tile = compositor.composite(image.view(), composition);
    EXPECT_EQ(tile.range().size(), rank_ == composition.root ? size.pixels() : 0);
    const auto frame = compositor.gather(tile, composition.root, format.depth);
    EXPECT_NE(compositor.explain().find("in the memory of GPU 0"), std::string::npos) << compositor.explain();
    if (!frame) continue;
    const Frame oracle =
        composite_serial(scene.views(), size, format, op, composition.order, composition.background);
    const Frame found{size, format, image.read(frame->pixels, size.pixels())};
    scene.expect_near(found, oracle, testing::tolerance(format, op, p_, false));
  }
}

TEST_F(DeviceFrames, OfStraightColoursAndBlocksPassThroughTheHost) {
  const Format format{Scalar::float32, 4, false};
  for (const FrameLayout layout : {FrameLayout::contiguous, FrameLayout::interleaved}) {
    Internals internals;
    internals.layout = layout;
    Compositor on_host = testing::compositor_with(internals, {.node_ranks = 2});
    Compositor on_device = testing::compositor_with(internals, {.node_ranks = 2});
    const Scene scene(p_, format, size, random_, false);
    Composition composition = composition_for(format, Op::over);
    composition.premultiplied = layout == FrameLayout::interleaved;
    const ImageView mine = testing::image_of(scene, rank_);
    DeviceImage image(0, format, size);
    DeviceImage out(0, format, size);
    image.draw(mine.pixels);
    const auto right = on_host.gather(on_host.composite(mine, composition), 0);
    const auto found = on_device.gather(on_device.composite(image.view(), composition), 0);
    EXPECT_NE(on_device.explain().find("composited in memory of the host"), std::string::npos)
        << on_device.explain();
    if (found)
      scene.expect_same_bits(image.read(found->pixels, size.pixels()).view(), right->pixels.view(),
                             size.pixels());
    const Tile tile = on_device.composite(image.view(), composition, out.buffer());
    const PixelBuffer placed = image.read(out.buffer(), size.pixels());
    std::int64_t at = 0;
    for (const Range& range : tile.ranges()) {
      scene.expect_same_bits(
          advance(ConstPixels(placed.view()), format, range.begin),
          advance(ConstPixels(image.read(tile.pixels(), tile.range().size()).view()), format, at),
          range.size());
      at += range.size();
    }
  }
}

// A variable of the environment while the object exists.
class Setting {
 public:
  Setting(const char* name, bool set) : name_(name) {
    if (set) setenv(name, "1", 1);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST_F(DeviceFrames, PassThroughTheHostIfARankCannotOpenThem) {
  if (!testing::driver_is_fake) GTEST_SKIP() << "the driver opens what it can";
  if (p_ == 1) GTEST_SKIP() << "one rank opens nothing";
  const Format format{Scalar::uint8, 4, true};
  const Setting alone("SORTLAST_FAKE_CUDA_ALONE", rank_ == p_ - 1);
  Compositor on_host(MPI_COMM_WORLD);
  Compositor on_device(MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) {
    const Scene scene(p_, format, size, random_, false);
    const Composition composition = composition_for(format, Op::over);
    const ImageView mine = testing::image_of(scene, rank_);
    DeviceImage image(0, format, size);
    image.draw(mine.pixels);
    const auto right = on_host.gather(on_host.composite(mine, composition), 0, true);
    const Tile tile = on_device.composite(image.view(), composition);
    const auto found = on_device.gather(tile, 0, true);
    EXPECT_EQ(tile.pixels().kind(), MemoryKind::device);
    EXPECT_NE(on_device.explain().find(rank_ == p_ - 1 ? "cuIpcOpenMemHandle" : "could not open it"),
              std::string::npos)
        << on_device.explain();
    if (found)
      scene.expect_same_bits(image.read(found->pixels, size.pixels()).view(), right->pixels.view(),
                             size.pixels());
  }
}

TEST_F(DeviceFrames, OfPoolsAreCopiedOnTheGpu) {
  if (!testing::driver_is_fake) GTEST_SKIP() << "the driver's pools are those of CUDA's runtime";
  if (p_ == 1) GTEST_SKIP() << "nobody else reads the image";
  const Format format{Scalar::float16, 4, false};
  Compositor on_host(MPI_COMM_WORLD);
  Compositor on_device(MPI_COMM_WORLD);
  const Scene scene(p_, format, size, random_, false);
  const Composition composition = composition_for(format, Op::over);
  const ImageView mine = testing::image_of(scene, rank_);
  std::optional<DeviceImage> image;
  {
    const Setting pool("SORTLAST_FAKE_CUDA_POOL", rank_ % 2 == 0);
    image.emplace(0, format, size);
  }
  image->draw(mine.pixels);
  const auto right = on_host.gather(on_host.composite(mine, composition), 0);
  const auto found = on_device.gather(on_device.composite(image->view(), composition), 0);
  EXPECT_EQ(on_device.explain().find("copied once on the GPU") != std::string::npos, rank_ % 2 == 0)
      << on_device.explain();
  if (found)
    scene.expect_same_bits(image->read(found->pixels, size.pixels()).view(), right->pixels.view(),
                           size.pixels());
}

// Frames of which nobody waits for the end: streams order them.
TEST_F(DeviceFrames, FollowEachOtherInOrder) {
  const Format format{Scalar::float32, 4, false};
  Compositor on_host(MPI_COMM_WORLD);
  Compositor on_device(MPI_COMM_WORLD);
  constexpr int frames = 20;
  const Scene first(p_, format, size, random_, false);
  const Scene second(p_, format, size, random_, false);
  DeviceImage images[] = {{0, format, size}, {0, format, size}};
  std::vector<std::optional<Frame>> right;
  std::vector<std::optional<Frame>> found;
  for (int i = 0; i < frames; ++i) {
    const Composition composition = composition_for(format, Op::over);
    const ImageView mine = testing::image_of(i % 3 == 0 ? first : second, rank_);
    DeviceImage& image = images[i % 2];
    image.draw(mine.pixels);  // into the image of the frame before last
    right.push_back(on_host.gather(on_host.composite(mine, composition), i % p_));
    found.push_back(on_device.gather(on_device.composite(image.view(), composition), i % p_));
  }
  for (int i = 0; i < frames; ++i) {
    SCOPED_TRACE(i);
    if (found[static_cast<std::size_t>(i)])
      first.expect_same_bits(
          images[i % 2].read(found[static_cast<std::size_t>(i)]->pixels, size.pixels()).view(),
          right[static_cast<std::size_t>(i)]->pixels.view(), size.pixels());
  }
}

// A rank may still have to wait for the streams of those whose compositors are gone.
TEST_F(DeviceFrames, OfCompositorsThatEndAtOnce) {
  const Format format{Scalar::float32, 4, false};
  const Scene scene(p_, format, size, random_, false);
  const Composition composition = composition_for(format, Op::over);
  DeviceImage image(gpu_of(rank_), format, size);
  image.draw(testing::image_of(scene, rank_).pixels);
  PixelBuffer first;
  for (int i = 0; i < 20; ++i) {
    Compositor compositor(MPI_COMM_WORLD, {.algorithm = "direct-send"});
    const Tile tile = compositor.composite(image.view(), composition);
    if (rank_ == i % p_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::int64_t n = tile.range().size();
    const PixelBuffer found = image.read(tile.pixels(), n);
    if (i == 0) first = found;
    scene.expect_same_bits(found.view(), first.view(), n);
  }
}

TEST_F(DeviceFrames, RefuseWrongMemoryOnEveryRank) {
  const Format format{Scalar::float32, 4, false};
  const Scene scene(p_, format, size, random_, false);
  Compositor compositor(MPI_COMM_WORLD);
  ImageView mine = testing::image_of(scene, rank_);
  const ImageView good = mine;
  DeviceImage image(0, format, size);
  image.draw(mine.pixels);
  if (rank_ == 0) mine.memory = MemoryKind::device;
  EXPECT_NE(message_of([&] { compositor.composite(mine); }).find("memory of the host"), std::string::npos);
  std::vector<std::byte> host(PixelBuffer::bytes(format, size.pixels()));
  const PixelBuffer out(Memory(host.data(), [](auto*) {}), format, size.pixels());
  EXPECT_NE(message_of([&] {
              compositor.composite(rank_ == 0 ? image.view() : good, {}, out);
            }).find("expected the memory of the image"),
            std::string::npos);
  compositor.composite(good);

  // Contents that are not composited on GPUs.
  const BoxImage box{rank_ == 0 ? image.view() : good, rank_};
  EXPECT_NE(message_of([&] { compositor.composite({&box, 1}, size); }).find("only one image per rank"),
            std::string::npos);
  const ImageView with_channels = rank_ == 0 ? image.view() : good;
  const std::vector<float> values(static_cast<std::size_t>(size.pixels()));
  const std::vector<Channel> channels{
      {.name = "value", .type = ChannelType::float32, .width = 1, .values = values.data()}};
  EXPECT_NE(
      message_of([&] { compositor.composite(with_channels, {}, channels); }).find("only one image per rank"),
      std::string::npos);
}

}  // namespace
}  // namespace sortlast
