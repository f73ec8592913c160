// Several images a rank as contents: every algorithm, operator and format against the oracle; what is blended
// early; damaged strings.
#include "sortlast/content/layers/image_codec.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "many_boxes.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/schedule/algorithm.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using testing::expect_near;
using testing::many_boxes;
using testing::ManyBoxes;

constexpr Size size{61, 40};

std::shared_ptr<const BoxTable> table_of(const ManyBoxes& scene, std::int32_t p) {
  std::vector<PlacedBox> placed;
  std::vector<std::int32_t> next(static_cast<std::size_t>(p), 0);
  for (std::size_t i = 0; i < scene.images.size(); ++i) {
    const std::int32_t rank = scene.ranks[i];
    placed.push_back({scene.images[i].position, box_of(scene.images[i], scene.size), rank,
                      next[static_cast<std::size_t>(rank)]++});
  }
  return std::make_shared<const BoxTable>(placed, scene.size);
}

std::vector<std::unique_ptr<ImageCodec>> contents_of(const ManyBoxes& scene, const ImageFrame& frame,
                                                     std::int32_t p) {
  std::vector<std::unique_ptr<ImageCodec>> contents;
  for (std::int32_t rank = 0; rank < p; ++rank) {
    std::vector<ConstPixels> pixels;
    for (const BoxImage& image : scene.of(rank)) pixels.push_back(image.image.pixels);
    contents.push_back(std::make_unique<ImageCodec>(frame, rank, pixels));
  }
  return contents;
}

// Composite by an algorithm and compare with the oracle.
void expect_right(const ManyBoxes& scene, std::int32_t p, const std::string& algorithm, Op op, bool sparse,
                  const std::vector<float>& background = {}) {
  ImageFrame frame = frame_of_boxes(table_of(scene, p), op, scene.format, sparse);
  if (!background.empty()) frame.background.emplace(op, scene.format, background);
  const auto contents = contents_of(scene, frame, p);
  std::vector<const StringCodec*> all;
  for (const auto& content : contents) all.push_back(content.get());
  const std::int64_t n = scene.size.pixels();
  const Schedule schedule = make_schedule(algorithm, {p, n, {}, {}, true, {}});
  const StringFrame found = execute_serial(schedule, all, scene.format, 1, 500);
  const Frame expected = composite_serial(scene.images, scene.size, scene.format, op, background);
  expect_near(scene.format, found.pixels.view(), expected.pixels.view(), n, scene.images.size());

  // Messages in another order change no bit.
  const StringFrame again = execute_serial(schedule, all, scene.format, 2, 500);
  EXPECT_TRUE(
      std::equal(found.pixels.view().colour,
                 found.pixels.view().colour + static_cast<std::size_t>(n) * scene.format.colour_bytes(),
                 again.pixels.view().colour));
}

TEST(BoxImages, EveryAlgorithm) {
  for (const AlgorithmEntry& algorithm : algorithms()) {
    for (const std::int32_t p : {1, 2, 3, 4, 6, 8}) {
      for (const Op op : {Op::over, Op::closest}) {
        SCOPED_TRACE(algorithm.name + ", p = " + std::to_string(p) + ", " + std::string(op_name(op)));
        const Format format{Scalar::float32, 4, op == Op::closest};
        expect_right(many_boxes(size, format, p, 10 * p, 30, 7), p, algorithm.name, op, true);
      }
    }
  }
}

TEST(BoxImages, EveryOperatorAndFormat) {
  for (const Op op : {Op::over, Op::closest, Op::add, Op::max, Op::min}) {
    for (const Scalar scalar : {Scalar::float32, Scalar::float16, Scalar::uint8}) {
      for (const bool depth : {false, true}) {
        for (const int channels : {3, 4}) {
          if ((op == Op::over && channels == 3) || (op == Op::closest && !depth)) continue;
          const Format format{scalar, channels, depth};
          SCOPED_TRACE(format_name(format) + ", " + std::string(op_name(op)));
          const std::vector<float> background(static_cast<std::size_t>(channels), 0.25F);
          for (const std::uint32_t seed : {3U, 4U, 5U, 6U, 7U, 8U}) {
            const ManyBoxes scene = many_boxes(size, format, 3, 60, 40, seed);
            expect_right(scene, 3, "direct-send", op, seed % 2 == 0, background);
            expect_right(scene, 3, "radix-k", op, seed % 2 == 1);
            expect_right(testing::apart(scene), 3, "direct-send", op, seed % 2 == 0);
            expect_right(testing::apart(scene), 3, "radix-k", op, seed % 2 == 1);
          }
        }
      }
    }
  }
}

TEST(BoxImages, FewAndMany) {
  const Format format{Scalar::float32, 4, false};
  for (const std::int32_t count : {0, 1, 2, 5, 400})
    expect_right(many_boxes(size, format, 3, count, 12, 11), 3, "direct-send", Op::over, true);
}

TEST(BoxImages, FrameWithoutPixels) {
  const Format format{Scalar::float32, 4, false};
  expect_right(many_boxes({0, 5}, format, 2, 3, 4, 1), 2, "direct-send", Op::over, true);
}

// ---- What is blended early ------------------------------------------------------------------------

// Boxes at positions 0, 1, ... of the ranks, each with opaque pixels all over.
ManyBoxes scene_of(const std::vector<Rectangle>& boxes, const std::vector<std::int32_t>& ranks,
                   const Format& format) {
  ManyBoxes scene{{16, 4}, format, {}, {}, ranks};
  for (const Rectangle& box : boxes) {
    const Size extent{box.x1 - box.x0, box.y1 - box.y0};
    testing::TestImage image;
    image.colour.assign(static_cast<std::size_t>(extent.pixels()) * format.colour_bytes(), std::byte{0x3e});
    scene.pixels.push_back(image);
    scene.images.push_back({{scene.pixels.back().view(), extent, format, {}},
                            static_cast<std::int64_t>(scene.images.size()),
                            box});
  }
  return scene;
}

std::size_t own_bytes(const ManyBoxes& scene, std::int32_t rank) {
  const auto contents =
      contents_of(scene, frame_of_boxes(table_of(scene, 2), Op::over, scene.format, true), 2);
  Bytes out;
  contents[static_cast<std::size_t>(rank)]->encode_own({0, 64}, out);
  return out.size();
}

constexpr Format rgba{Scalar::float32, 4, false};
constexpr std::size_t header = 40;            // bytes
constexpr std::size_t blended = header + 32;  // with its rectangle
constexpr std::size_t row_of_8 = std::size_t{8} * 16;

TEST(BoxImages, NeighboursInDepthBecomeOne) {
  const Rectangle box{0, 0, 8, 1};
  EXPECT_EQ(own_bytes(scene_of({box, box, box}, {0, 0, 0}, rgba), 0), blended + row_of_8);
}

TEST(BoxImages, ImagesWithAnotherBetweenThemStayApart) {
  const Rectangle box{0, 0, 8, 1};
  EXPECT_EQ(own_bytes(scene_of({box, box, box}, {0, 1, 0}, rgba), 0), 2 * (header + row_of_8));
}

TEST(BoxImages, ABoxElsewhereIsNoObstacle) {
  const Rectangle box{0, 0, 8, 1};
  EXPECT_EQ(own_bytes(scene_of({box, {8, 0, 16, 4}, box}, {0, 1, 0}, rgba), 0), blended + row_of_8);
  EXPECT_EQ(own_bytes(scene_of({box, {7, 0, 16, 4}, box}, {0, 1, 0}, rgba), 0), 2 * (header + row_of_8));
}

TEST(BoxImages, ABoxThatMeetsOnlyOneOfTwoIsAnObstacle) {
  EXPECT_EQ(own_bytes(scene_of({{0, 0, 8, 1}, {8, 0, 9, 1}, {4, 0, 12, 1}}, {0, 1, 0}, rgba), 0),
            2 * (header + row_of_8));
}

TEST(BoxImages, ImagesOfUint8TravelAsTheyAreWhereThatTakesLess) {
  const Format bytes{Scalar::uint8, 4, false};
  const Rectangle box{0, 0, 8, 1};
  EXPECT_EQ(own_bytes(scene_of({box, box}, {0, 0}, bytes), 0), 2 * (header + std::size_t{8} * 4));
  EXPECT_EQ(own_bytes(scene_of({box, box, box, box}, {0, 0, 0, 0}, bytes), 0), blended + row_of_8);
}

TEST(BoxImages, AnImageCostsItsBox) {
  const ManyBoxes scene = many_boxes({4096, 2048}, rgba, 1, 1, 10, 5);
  Bytes out;
  contents_of(scene, frame_of_boxes(table_of(scene, 1), Op::over, rgba, true), 1)
      .front()
      ->encode_own({0, scene.size.pixels()}, out);
  EXPECT_LE(out.size(), header + std::size_t{10} * 10 * 16);
}

// ---- Errors ---------------------------------------------------------------------------------------

TEST(BoxTable, NamesTheRanksOfAPositionThatIsThereTwice) {
  const Rectangle box{0, 0, 1, 1};
  try {
    const BoxTable table({{5, box, 2, 0}, {-3, box, 1, 0}, {5, box, 0, 4}}, size);
    FAIL() << "no error";
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(),
                 "position 5 is that of an image of rank 0 and one of rank 2; expected positions that no two "
                 "images of all ranks share");
  }
}

TEST(BoxTable, FindsRanksThatInterleave) {
  const Rectangle box{0, 0, 1, 1};
  EXPECT_EQ(BoxTable({{4, box, 2, 0}, {5, box, 2, 1}, {-1, box, 0, 0}}, size).order_of_ranks(4),
            (std::vector<std::int32_t>{0, 2, 1, 3}));
  EXPECT_TRUE(BoxTable({{4, box, 2, 0}, {6, box, 2, 1}, {5, box, 0, 0}}, size).order_of_ranks(4).empty());
}

// The plain test of a pixel at a time.
TEST(BoxTable, FindsTheImagesOfPixels) {
  const ManyBoxes scene = many_boxes(size, rgba, 1, 30, 20, 9);
  const auto table = table_of(scene, 1);
  std::mt19937 random(4);
  for (int i = 0; i < 300; ++i) {
    const auto begin = static_cast<std::int64_t>(random() % 2440U);
    const Range pixels{begin,
                       std::min<std::int64_t>(2440, begin + static_cast<std::int64_t>(random() % 200U))};
    std::vector<BoxTable::Place> expected;
    for (BoxTable::Place place = 0; place < table->size(); ++place) {
      const Rectangle& box = table->at(place).box;
      bool meets = false;
      for (std::int64_t pixel = pixels.begin; pixel < pixels.end && !meets; ++pixel) {
        const std::int64_t x = pixel % size.width;
        const std::int64_t y = pixel / size.width;
        meets = x >= box.x0 && x < box.x1 && y >= box.y0 && y < box.y1;
      }
      if (meets) expected.push_back(place);
    }
    ASSERT_EQ(table->meeting(pixels), expected);
  }
}

TEST(BoxImages, RefusesDamagedStrings) {
  const ManyBoxes scene = many_boxes(size, {Scalar::uint8, 4, true}, 2, 12, 30, 2);
  const auto contents =
      contents_of(scene, frame_of_boxes(table_of(scene, 2), Op::over, scene.format, true), 2);
  const Range pixels{0, size.pixels()};
  Bytes whole;
  contents[0]->encode_own(pixels, whole);
  ASSERT_GT(whole.size(), 100U);
  std::vector<std::byte> result(static_cast<std::size_t>(size.pixels()) * 4);
  std::vector<float> depth(static_cast<std::size_t>(size.pixels()));
  std::mt19937 random(8);
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    Bytes damaged;
    damaged.append(whole.view().first(random() % 3 == 0 ? random() % whole.size() : whole.size()));
    for (int k = 0; k < 4 && damaged.size() > 0; ++k)
      damaged.data()[random() % std::min<std::size_t>(damaged.size(), 64)] = static_cast<std::byte>(random());
    if (damaged.size() == 0) continue;
    const std::array strings{damaged.view()};
    try {
      contents[1]->finish(strings, true, pixels, {result.data(), depth.data()}, nullptr);
      Bytes out;
      contents[1]->cut(damaged.view(), pixels, {10, 700}, out);
    } catch (const Error& error) {
      ++refused;
      EXPECT_NE(std::string(error.what()).find("corrupt pixels"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, 100);
}

// ---- The oracle -----------------------------------------------------------------------------------

TEST(BoxSerial, WholeFramesAreImagesInOrder) {
  const Format format{Scalar::float32, 4, true};
  for (const Op op : {Op::over, Op::closest, Op::add, Op::max, Op::min}) {
    std::mt19937 random(1);
    std::vector<testing::TestImage> pixels;
    std::vector<ConstPixels> views;
    std::vector<BoxImage> images;
    for (int i = 0; i < 4; ++i) pixels.push_back(testing::random_image(format, size.pixels(), random));
    for (const std::size_t i : {2U, 0U, 3U, 1U}) {
      images.push_back({{pixels[i].view(), size, format, {}}, static_cast<std::int64_t>(i) * 3, {}});
    }
    for (const auto& each : pixels) views.push_back(each.view());
    const Frame found = composite_serial(images, size, format, op);
    const Frame expected = composite_serial(views, size, format, op);
    const auto bytes = static_cast<std::size_t>(size.pixels()) * 16;
    EXPECT_TRUE(std::equal(found.pixels.view().colour, found.pixels.view().colour + bytes,
                           expected.pixels.view().colour));
  }
}

TEST(BoxSerial, RefusesImagesThatAreNotOfTheirBox) {
  const std::vector<float> colour(16, 0.5F);
  const ImageView image{{reinterpret_cast<const std::byte*>(colour.data()), nullptr}, {2, 2}, rgba, {}};
  const auto text = [&](const Rectangle& box) -> std::string {
    const std::array images{BoxImage{image, 0, box}};
    try {
      composite_serial(images, size, rgba, Op::over);
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(text({60, 3, 62, 5}),
            "the box of image 0 is x 60 to 62, y 3 to 5; expected a rectangle within the frame of 61x40 "
            "pixels");
  EXPECT_EQ(text({3, 3, 6, 5}), "image 0 is 2x2; expected 3x2, as its box is x 3 to 6, y 3 to 5");
}

}  // namespace
}  // namespace sortlast
