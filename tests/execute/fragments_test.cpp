// Fragment lists through every algorithm, in one thread, against the reference and by their strings.
#include "sortlast/fragments.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sanitized.hpp"
#include "sortlast/content/fragments/fragment_codec.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// How a scene's depths are drawn.
enum class Depths { random, ties, apart, special };

struct Scene {
  Size size{13, 9};
  int most = 5;        // fragments of a rank in a pixel
  double empty = 0.3;  // share of pixels without any
  Depths depths = Depths::random;
  double opaque = 0;  // share of fragments of alpha 1
  bool surface = false;
  Scalar scalar = Scalar::float32;
  bool intervals = false;
  bool channels = false;
};

// One rank's fragments and surface.
struct Rank {
  Fragments fragments;
  std::vector<float> surface;
  std::vector<float> surface_depth;
  std::vector<std::uint8_t> surface_uint8;
  std::vector<std::uint32_t> id;
  std::vector<float> normal;
  std::vector<Channel> channels;  // in no order of their names

  FragmentsView view() const {
    FragmentsView view = fragments.view();
    view.channels = channels;
    const bool bytes = fragments.scalar == Scalar::uint8;
    if (!surface_depth.empty())
      view.surface = {bytes ? reinterpret_cast<const std::byte*>(surface_uint8.data())
                            : reinterpret_cast<const std::byte*>(surface.data()),
                      surface_depth.data()};
    return view;
  }
};

float depth_of(Depths depths, int rank, std::mt19937& random) {
  constexpr float special[] = {-infinity, -1, -0.0F, 0, 1e-40F, 1, infinity, nan};
  const float any = std::uniform_real_distribution<float>(-10, 10)(random);
  switch (depths) {
    case Depths::ties:
      return static_cast<float>(random() % 3);
    case Depths::apart:
      return 100 * static_cast<float>(rank) + any;
    case Depths::special:
      return special[random() % std::size(special)];
    default:
      return any;
  }
}

// Colours as parts of 255, to the nearest.
std::vector<std::uint8_t> rounded(const std::vector<float>& colours) {
  std::vector<std::uint8_t> bytes;
  for (const float value : colours)
    bytes.push_back(static_cast<std::uint8_t>(std::nearbyint(std::clamp(255.0F * value, 0.0F, 255.0F))));
  return bytes;
}

Rank random_rank(const Scene& scene, int rank, std::uint32_t seed) {
  std::mt19937 random(seed * 1000 + static_cast<std::uint32_t>(rank));
  std::uniform_real_distribution<float> share(0, 1);
  Rank made;
  made.fragments.size = scene.size;
  made.fragments.intervals = scene.intervals;
  const auto add_colour = [&](std::vector<float>& to, bool opaque) {
    const float alpha = opaque ? 1 : share(random);
    for (int channel = 0; channel < 3; ++channel) to.push_back(alpha * share(random));
    to.push_back(alpha);
  };
  for (std::int64_t pixel = 0; pixel < scene.size.pixels(); ++pixel) {
    const bool empty = share(random) < scene.empty;
    const auto count = empty ? 0 : static_cast<int>(random() % static_cast<unsigned>(scene.most + 1));
    made.fragments.counts.push_back(count);
    for (int i = 0; i < count; ++i) {
      add_colour(made.fragments.colour, share(random) < scene.opaque);
      const float depth = depth_of(scene.depths, rank, random);
      made.fragments.depth.push_back(depth);
      const bool thick = std::isfinite(depth) && random() % 3 > 0;
      if (scene.intervals)
        made.fragments.depth_back.push_back(thick ? depth + static_cast<float>(1 + random() % 4) / 2 : depth);
      made.id.push_back(static_cast<std::uint32_t>(random()));
      for (int axis = 0; axis < 3; ++axis) made.normal.push_back(share(random));
    }
    if (!scene.surface) continue;
    add_colour(made.surface, false);
    made.surface_depth.push_back(share(random) < 0.5 ? infinity : depth_of(scene.depths, rank, random));
  }
  if (scene.channels)
    made.channels = {channel<float>("normal", made.normal, 3), channel<std::uint32_t>("id", made.id)};
  if (scene.scalar == Scalar::uint8) {
    made.fragments.scalar = Scalar::uint8;
    made.fragments.colour_uint8 = rounded(made.fragments.colour);
    made.surface_uint8 = rounded(made.surface);
    made.fragments.colour.clear();
    made.surface.clear();
  }
  return made;
}

std::vector<float> floats(const std::byte* from, std::size_t count) {
  std::vector<float> values(count);
  if (count > 0) std::memcpy(values.data(), from, count * sizeof(float));
  return values;
}

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> found(values.size());
  if (!values.empty()) std::memcpy(found.data(), values.data(), values.size() * sizeof(float));
  return found;
}

void expect_same(const Fragments& found, const Fragments& expected, const std::string& what) {
  EXPECT_EQ(found.counts, expected.counts) << what;
  EXPECT_EQ(bits(found.colour), bits(expected.colour)) << what;
  EXPECT_EQ(found.colour_uint8, expected.colour_uint8) << what;
  EXPECT_EQ(bits(found.depth), bits(expected.depth)) << what;
  EXPECT_EQ(found.intervals, expected.intervals) << what;
  EXPECT_EQ(bits(found.depth_back), bits(expected.depth_back)) << what;
  ASSERT_EQ(found.channels.size(), expected.channels.size()) << what;
  for (std::size_t i = 0; i < found.channels.size(); ++i) {
    EXPECT_EQ(found.channels[i].name, expected.channels[i].name) << what;
    ASSERT_EQ(found.channels[i].bytes(), expected.channels[i].bytes()) << what;
    EXPECT_EQ(std::memcmp(found.channels[i].memory.get(), expected.channels[i].memory.get(),
                          found.channels[i].bytes()),
              0)
        << what;
  }
}

Fragments lists_of(const std::vector<LayerString>& strings, const OwnFragments& own, int p) {
  const Scalar scalar = own.layout().scalar;
  Fragments found;
  found.size = own.size();
  found.counts.resize(static_cast<std::size_t>(own.size().pixels()));
  std::vector<std::byte> extras;
  for (const LayerString& string : strings) {
    if (string.bytes.empty()) continue;
    std::vector<CountRun> runs;
    const FragmentLists lists = read_fragments(string.bytes, string.pixels.size(), p, own.layout(), runs);
    auto to = found.counts.begin() + string.pixels.begin;
    for (const CountRun& run : runs) to = std::fill_n(to, run.pixels, static_cast<std::int32_t>(run.count));
    const std::vector<float> depth = floats(lists.depth, lists.size);
    if (scalar == Scalar::uint8) {
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(lists.colour);
      found.colour_uint8.insert(found.colour_uint8.end(), bytes, bytes + 4 * lists.size);
    } else {
      const std::vector<float> colour = floats(lists.colour, 4 * lists.size);
      found.colour.insert(found.colour.end(), colour.begin(), colour.end());
    }
    found.depth.insert(found.depth.end(), depth.begin(), depth.end());
    extras.insert(extras.end(), lists.extras, lists.extras + lists.size * lists.extra_bytes);
  }
  ExtraPlanes(found, own.layout().intervals, own.extras().planes(), found.depth.size())
      .add(extras.data(), found.depth.size());
  return found;
}

// The fragments of the ranks of a node, those of every second rank copied.
class ViewedFragments : public PeerSpans {
 public:
  ViewedFragments(const std::vector<FragmentsView>& views, const std::vector<std::int32_t>& nodes,
                  std::size_t reader)
      : views_(views), nodes_(nodes), reader_(reader) {}

  std::size_t count(std::int32_t rank) const override {
    const auto of = static_cast<std::size_t>(rank);
    const FragmentsView& view = views_[of];
    const bool readable = nodes_[of] == nodes_[reader_] && view.surface.depth == nullptr && !view.intervals &&
                          view.channels.empty();
    return readable ? 2 : 0;
  }
  std::size_t bytes(std::int32_t rank, std::size_t span) const override {
    const FragmentsView& view = views_[static_cast<std::size_t>(rank)];
    return view.depth.size() * (span == 0 ? colour_bytes(view.scalar) : sizeof(float));
  }
  const std::byte* in_place(std::int32_t rank, std::size_t span) const override {
    return rank % 2 == 1 ? nullptr : plane(rank, span);
  }
  void copy(std::int32_t rank, std::span<const Copy> copies) const override {
    for (const Copy& part : copies)
      if (part.bytes > 0) std::memcpy(part.to, plane(rank, part.span) + part.first, part.bytes);
  }

 private:
  const std::byte* plane(std::int32_t rank, std::size_t span) const {
    const FragmentsView& view = views_[static_cast<std::size_t>(rank)];
    return span == 0 ? fragment_colours(view) : reinterpret_cast<const std::byte*>(view.depth.data());
  }

  const std::vector<FragmentsView>& views_;
  const std::vector<std::int32_t>& nodes_;
  std::size_t reader_;
};

// Composite a scene by an algorithm, with and without the lists, and compare with the reference. Returns the
// bytes of all ranks' strings, without the lists and with them. `node_ranks`: how many ranks read each
// other's fragments where they lie.
std::pair<std::size_t, std::size_t> check(const std::string& algorithm, int p, const Scene& scene,
                                          std::uint32_t seed, std::int64_t block = 32, int node_ranks = 1) {
  std::vector<std::int32_t> nodes;
  for (int rank = 0; rank < p; ++rank) nodes.push_back(rank / node_ranks);
  const Schedule schedule = make_schedule(algorithm, {p, scene.size.pixels(), {}, {}, true, nodes});
  const std::string what = schedule.name() + ", p = " + std::to_string(p) + ", seed " + std::to_string(seed);
  std::vector<Rank> ranks;
  for (int rank = 0; rank < p; ++rank) ranks.push_back(random_rank(scene, rank, seed));
  std::vector<FragmentsView> views;
  for (const Rank& rank : ranks) views.push_back(rank.view());
  const DepthTiles tiles(scene.size);
  std::vector<DepthInterval> intervals;
  for (int rank = 0; rank < p; ++rank) {
    const OwnFragments own(views[static_cast<std::size_t>(rank)], static_cast<std::uint32_t>(rank));
    const std::vector<DepthInterval> some = own.intervals(tiles);
    intervals.insert(intervals.end(), some.begin(), some.end());
  }

  std::pair<std::size_t, std::size_t> sizes;
  const std::vector<float> background =
      seed % 2 == 0 ? std::vector<float>{0.1F, 0.2F, 0.3F, 0.5F} : std::vector<float>{};
  const std::vector<float> expected = flatten_fragments_serial(views, background);
  const Fragments merged = merge_fragments_serial(views);
  for (const bool keep_lists : {true, false}) {
    std::vector<OwnFragments> own;
    for (int rank = 0; rank < p; ++rank) {
      FragmentsView& view = views[static_cast<std::size_t>(rank)];
      if (!keep_lists) view.channels = {};
      own.emplace_back(view, static_cast<std::uint32_t>(rank));
    }
    std::vector<std::unique_ptr<FragmentCodec>> kept;
    std::vector<const StringCodec*> contents;
    for (std::size_t rank = 0; rank < own.size(); ++rank) {
      kept.push_back(std::make_unique<FragmentCodec>(
          own[rank], static_cast<std::uint32_t>(rank), p, FragmentComposition{background, keep_lists},
          DepthLimits(tiles, intervals, rank), std::make_unique<ViewedFragments>(views, nodes, rank)));
      contents.push_back(kept.back().get());
      Bytes string;
      kept.back()->encode_own({0, scene.size.pixels()}, string);
      (keep_lists ? sizes.second : sizes.first) += string.size();
    }
    const Format format{scene.scalar, 4, false};
    const StringFrame frame = execute_serial(schedule, contents, format, seed, block);
    const std::byte* const colour = frame.pixels.view().colour;
    if (scene.scalar == Scalar::uint8) {
      const auto* const found = reinterpret_cast<const std::uint8_t*>(colour);
      EXPECT_EQ(std::vector<std::uint8_t>(found, found + expected.size()), rounded(expected)) << what;
    } else {
      EXPECT_EQ(bits(floats(colour, expected.size())), bits(expected)) << what;
    }
    if (keep_lists) expect_same(lists_of(frame.joined, own[0], p), merged, what);
  }
  return sizes;
}

TEST(Fragments, EveryAlgorithmGivesTheBitsOfTheReference) {
  for (const AlgorithmEntry& algorithm : algorithms())
    for (int p = 1; p <= 16; p = testing::next_number(p))
      for (const Depths depths : {Depths::random, Depths::ties, Depths::apart, Depths::special})
        check(algorithm.name, p, {.depths = depths}, static_cast<std::uint32_t>(p));
}

TEST(Fragments, RanksOfANodeReadThemWhereTheyLie) {
  for (const AlgorithmEntry& algorithm : algorithms())
    for (const auto& [p, node_ranks] : {std::pair{2, 2}, {3, 3}, {7, 3}, {8, 4}, {8, 8}})
      for (std::uint32_t seed = 1; seed <= (testing::sanitized ? 1U : 4U); ++seed) {
        const Depths depths = seed % 2 == 0 ? Depths::ties : Depths::special;
        check(algorithm.name, p, {.depths = depths, .opaque = 0.1}, seed, 32, node_ranks);
        check(algorithm.name, p, {.size = {70, 40}, .empty = 0.9, .surface = seed == 3}, seed, 1000,
              node_ranks);
      }
}

// The definition's float32, rounded once.
TEST(Fragments, ColoursOfUint8AreRoundedOnce) {
  for (const AlgorithmEntry& algorithm : algorithms())
    for (int p = 1; p <= 16; p = testing::next_number(p)) {
      const auto seed = static_cast<std::uint32_t>(p);
      const Depths depths = p % 2 == 0 ? Depths::ties : Depths::special;
      check(algorithm.name, p, {.depths = depths, .scalar = Scalar::uint8}, seed);
      check(algorithm.name, p, {.most = 20, .opaque = 0.1, .surface = true, .scalar = Scalar::uint8}, seed);
      check(algorithm.name, p, {.depths = depths, .opaque = 0.1, .scalar = Scalar::uint8}, seed, 32, 3);
    }
}

TEST(Fragments, IntervalsAreMixedTheSameWayByAll) {
  for (const AlgorithmEntry& algorithm : algorithms())
    for (int p = 1; p <= 16; p = testing::next_number(p)) {
      const auto seed = static_cast<std::uint32_t>(p);
      const Depths depths = p % 2 == 0 ? Depths::ties : Depths::special;
      check(algorithm.name, p, {.depths = depths, .opaque = 0.1, .intervals = true}, seed);
      check(algorithm.name, p, {.surface = true, .scalar = Scalar::uint8, .intervals = true}, seed, 32, 2);
    }
}

TEST(Fragments, ChannelsAreKeptWithTheLists) {
  for (const AlgorithmEntry& algorithm : algorithms())
    for (int p = 1; p <= 16; p = testing::next_number(p)) {
      const auto seed = static_cast<std::uint32_t>(p);
      check(algorithm.name, p, {.depths = Depths::ties, .opaque = 0.1, .channels = true}, seed, 32, 2);
      check(algorithm.name, p, {.surface = true, .intervals = true, .channels = true}, seed);
    }
}

TEST(Fragments, UpTo64OfAPixelAndNone) {
  for (const AlgorithmEntry& algorithm : algorithms()) {
    check(algorithm.name, 3, {.most = 64, .empty = 0, .depths = Depths::ties}, 1);
    check(algorithm.name, 5, {.most = 64, .empty = 0.9}, 2);
    check(algorithm.name, 4, {.most = 0}, 3);
    check(algorithm.name, 4, {.size = {0, 0}}, 4);
    check(algorithm.name, 7, {.size = {2, 1}}, 5);
  }
}

TEST(Fragments, WhatIsOpaqueHidesTheRest) {
  for (const AlgorithmEntry& algorithm : algorithms())
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      check(algorithm.name, 6, {.depths = seed % 2 == 0 ? Depths::ties : Depths::random, .opaque = 0.3},
            seed);
      check(algorithm.name, 5, {.depths = seed % 2 == 0 ? Depths::ties : Depths::apart, .surface = true},
            seed);
      check(algorithm.name, 3, {.most = 0, .surface = true}, seed);
    }
}

// Lists too long for the narrow numbers in which fragments are merged.
TEST(Fragments, VeryManyOfOnePixel) {
  check("binary-swap", 3, {.size = {1, 1}, .most = 50000, .empty = 0, .depths = Depths::ties}, 11);
}

TEST(Fragments, RanksApartInDepthSendOneFragmentAPixel) {
  const Scene scene{.size = {40, 40}, .most = 8, .empty = 0, .depths = Depths::apart};
  const auto [early, all] = check("shift", 4, scene, 21);
  EXPECT_LT(early * 3, all);
  // Nothing can be blended early where every depth is between others'.
  const auto [mixed, whole] = check("shift", 4, {.size = {40, 40}, .most = 8, .depths = Depths::random}, 22);
  EXPECT_LT(mixed, whole + 1);
  EXPECT_LT(whole, mixed * 3 / 2);
}

TEST(Fragments, EmptyPixelsCostNextToNothing) {
  Fragments one;
  one.size = {1000, 1000};
  one.counts.resize(1000000);
  one.colour = {1, 1, 1, 1};
  one.depth = {5};
  one.counts[777777] = 1;
  Bytes string;
  OwnFragments(one.view(), 0).encode({0, 1000000}, nullptr, string);
  EXPECT_LT(string.size(), 50U);
  Bytes nothing;
  OwnFragments(one.view(), 0).encode({0, 777777}, nullptr, nothing);
  EXPECT_EQ(nothing.size(), 0U);
}

TEST(Fragments, WrongArgumentsAreRefused) {
  Fragments good;
  good.size = {2, 1};
  good.counts = {1, 1};
  good.colour = {0, 0, 0, 0, 1, 1, 1, 1};
  good.depth = {1, 2};
  EXPECT_NO_THROW(OwnFragments(good.view(), 0));
  Fragments bad = good;
  bad.counts = {-1, 3};
  EXPECT_THROW(OwnFragments(bad.view(), 0), ArgumentError);
  bad.counts = {1, 2};
  EXPECT_THROW(OwnFragments(bad.view(), 0), ArgumentError);
  bad.counts = {2};
  EXPECT_THROW(OwnFragments(bad.view(), 0), ArgumentError);
  bad = good;
  bad.colour.pop_back();
  EXPECT_THROW(OwnFragments(bad.view(), 0), ArgumentError);
  bad = good;
  bad.scalar = Scalar::uint8;
  EXPECT_THROW(OwnFragments(bad.view(), 0), ArgumentError);
  bad.colour_uint8.resize(8);
  EXPECT_THROW(OwnFragments(bad.view(), 0), ArgumentError);
  bad.colour.clear();
  EXPECT_NO_THROW(OwnFragments(bad.view(), 0));
  EXPECT_THROW(merge_fragments_serial(std::vector{good.view(), bad.view()}), ArgumentError);
  bad.scalar = Scalar::float16;
  EXPECT_THROW(OwnFragments(bad.view(), 0), ArgumentError);
  bad = good;
  bad.size = {-1, 1};
  EXPECT_THROW(OwnFragments(bad.view(), 0), ArgumentError);
  EXPECT_THROW(flatten_fragments_serial(std::vector{good.view()}, std::vector<float>{1, 1, 1}),
               ArgumentError);
  // Intervals and channels.
  bad = good;
  bad.depth_back = {1, 2};
  EXPECT_THROW(OwnFragments(bad.view(), 0), ArgumentError);
  bad.intervals = true;
  EXPECT_NO_THROW(OwnFragments(bad.view(), 0));
  EXPECT_THROW(merge_fragments_serial(std::vector{good.view(), bad.view()}), ArgumentError);
  for (const std::vector<float>& backs :
       {std::vector<float>{1}, {1, 1.5F}, {1, infinity}, {1, nan}, {-infinity, 2}}) {
    bad.depth_back = backs;
    EXPECT_THROW(OwnFragments(bad.view(), 0), ArgumentError);
  }
  const std::vector<float> values{1, 2};
  std::vector<Channel> channels{channel<float>("x", values)};
  FragmentsView with = good.view();
  with.channels = channels;
  EXPECT_NO_THROW(OwnFragments(with, 0));
  EXPECT_THROW(merge_fragments_serial(std::vector{good.view(), with}), ArgumentError);
  channels[0].rule = ChannelRule::front;
  EXPECT_THROW(OwnFragments(with, 0), ArgumentError);
  channels = {channel<float>("x", values), channel<float>("x", values)};
  with.channels = channels;
  EXPECT_THROW(OwnFragments(with, 0), ArgumentError);
  channels[1].name = "y";
  channels[1].values = nullptr;
  EXPECT_THROW(OwnFragments(with, 0), ArgumentError);
  bad = good;
  bad.size = {1, 2};
  EXPECT_THROW(merge_fragments_serial(std::vector{good.view(), bad.view()}), ArgumentError);
}

// Whatever is done to a string, it is read as lists or refused, and never beyond its end.
void expect_errors_of_damaged(const Scene& scene) {
  const Rank rank = random_rank(scene, 0, 1);
  const OwnFragments own(rank.view(), 0);
  const FragmentCodec content(own, 0, 3, {}, std::nullopt);
  const Range pixels{0, rank.fragments.size.pixels()};
  Bytes first;
  content.encode_own(pixels, first);
  Bytes both;
  const std::vector<StringCodec::String> twice{first.view(), first.view()};
  content.join(twice, pixels, both);
  Bytes reference;
  const std::vector views(3, rank.view());
  const std::vector<std::int32_t> nodes(3, 0);
  const FragmentCodec reader(own, 0, 3, {}, std::nullopt, std::make_unique<ViewedFragments>(views, nodes, 0));
  own.refer(pixels, reference);
  const std::vector<StringCodec::String> referring{reference.view()};
  std::vector<std::byte> flat(static_cast<std::size_t>(pixels.size()) * colour_bytes(Scalar::float32));
  EXPECT_THROW(content.finish(referring, false, pixels, {flat.data(), nullptr}, nullptr), Error);
  std::vector<const Bytes*> readable{&first, &both};
  if (own.layout().extra_bytes() == 0)
    readable.push_back(&reference);
  else  // it does not say where the rest lies
    EXPECT_THROW(reader.finish(referring, false, pixels, {flat.data(), nullptr}, nullptr), Error);
  for (const Bytes* string : readable) {
    const std::vector<std::byte> whole(string->view().begin(), string->view().end());
    const auto read = [&](const std::vector<std::byte>& bytes) {
      std::vector<std::byte> out(static_cast<std::size_t>(pixels.size()) * colour_bytes(Scalar::float32));
      const std::vector<StringCodec::String> strings{bytes};
      reader.finish(strings, true, pixels, {out.data(), nullptr}, nullptr);
      Bytes some;
      reader.cut(bytes, pixels, {3, 50}, some);
    };
    EXPECT_NO_THROW(read(whole));
    for (std::size_t size = 0; size < whole.size(); size += 7)
      EXPECT_THROW(read({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), Error) << size;
    std::mt19937 random(5);
    for (int trial = 0; trial < 3000; ++trial) {
      std::vector<std::byte> bytes = whole;
      // The head and the counts, where damage could lead astray.
      const std::size_t at = trial % 2 == 0 ? random() % 24 : whole.size() - 1 - random() % 60;
      bytes[at] ^= static_cast<std::byte>(1 + random() % 255);
      try {
        read(bytes);
      } catch (const Error&) {  // NOLINT(bugprone-empty-catch): that, or a string that can be read
      }
    }
  }
}

TEST(Fragments, DamagedStringsAreErrors) {
  expect_errors_of_damaged({});
  expect_errors_of_damaged({.intervals = true, .channels = true});
}

}  // namespace
}  // namespace sortlast
