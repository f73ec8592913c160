// Contents of varying size through every algorithm, in one thread.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "layer_pairs.hpp"
#include "sortlast/content/strings/string_content.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {
namespace {

std::vector<Pair> pairs_of(const std::vector<LayerString>& strings) {
  std::vector<Pair> pairs;
  for (const LayerString& string : strings) {
    const std::vector<Pair> some = PairCodec::decoded(string.bytes, string.pixels);
    pairs.insert(pairs.end(), some.begin(), some.end());
  }
  return pairs;
}

// Composite random pairs of p ranks by an algorithm, and compare with all pairs at once.
void check(const std::string& algorithm, Setting setting, int most, std::uint32_t seed, std::int64_t block) {
  setting.commutes = true;
  const Schedule schedule = make_schedule(algorithm, setting);
  std::vector<std::unique_ptr<PairCodec>> kept;
  std::vector<const StringCodec*> contents;
  for (int rank = 0; rank < setting.p; ++rank) {
    kept.push_back(std::make_unique<PairCodec>(random_pairs(setting.n, rank, most, seed)));
    contents.push_back(kept.back().get());
  }
  const StringFrame frame = execute_serial(schedule, contents, PairCodec::format, seed, block);

  const std::vector<Pair> all = all_pairs(setting.n, setting.p, most, seed);
  std::vector<std::byte> expected(static_cast<std::size_t>(setting.n) * 4);
  PairCodec::flatten(all, {0, setting.n}, expected.data());
  const std::vector<std::byte> colour(frame.pixels.view().colour,
                                      frame.pixels.view().colour + expected.size());
  const std::string what =
      schedule.name() + ", p = " + std::to_string(setting.p) + ", seed " + std::to_string(seed);
  EXPECT_EQ(colour, expected) << what;
  EXPECT_EQ(pairs_of(frame.joined), all) << what;
}

TEST(Layers, EveryAlgorithmAndOrderOfArrivalGivesTheSame) {
  for (const AlgorithmEntry& algorithm : algorithms())
    for (int p = 1; p <= 16; ++p)
      for (std::uint32_t seed = 1; seed <= 4; ++seed)
        check(algorithm.name, {p, 97}, 3, seed, seed % 2 == 0 ? 7 : 4096);
}

TEST(Layers, ManyRanks) {
  for (const AlgorithmEntry& algorithm : algorithms())
    for (const int p : {23, 64, 100}) check(algorithm.name, {p, 501}, 2, 9, 50);
}

TEST(Layers, FewerPixelsThanRanksAndNone) {
  for (const AlgorithmEntry& algorithm : algorithms())
    for (const std::int64_t n : {0, 1, 5}) check(algorithm.name, {8, n}, 4, 3, 4096);
}

TEST(Layers, RanksOfNodesAndARing) {
  for (const AlgorithmEntry& algorithm : algorithms()) {
    check(algorithm.name, {6, 120, {}, {5, 3, 1, 0, 2, 4}, true, {0, 0, 1, 1, 2, 2}}, 3, 5, 16);
    check(algorithm.name, {5, 120, {}, {}, true, {0, 1, 0, 1, 0}}, 3, 6, 16);
  }
}

TEST(Layers, RanksWithoutAnything) {
  for (const AlgorithmEntry& algorithm : algorithms()) check(algorithm.name, {7, 64}, 0, 1, 8);
}

TEST(Layers, RefusesASettingThatTheyDoNotFit) {
  const PairCodec content({});
  const std::vector<const StringCodec*> contents{&content, &content};
  EXPECT_THROW(execute_serial(make_schedule("shift", {2, 9}), contents, PairCodec::format, 1, 8),
               ArgumentError);
  EXPECT_THROW(
      execute_serial(make_schedule("shift", {3, 9, {}, {}, true}), contents, PairCodec::format, 1, 8),
      ArgumentError);
}

// Messages of other ranks that were damaged on the way.
TEST(Layers, DamagedMessagesAreErrors) {
  const Schedule schedule = make_schedule("direct-send", {2, 40, {}, {}, true});
  const IndexedProgram sender(schedule, 0);
  const IndexedProgram receiver(schedule, 1);
  Pool pool;
  Team team;
  const PairCodec content(random_pairs(40, 0, 3, 1));
  StringContent from(sender, 8, pool, team);
  from.begin_frame(content);
  Engine engine(sender, from);
  engine.begin_frame();
  engine.start();
  const Outgoing message = from.outgoing(*engine.next_send());

  const auto deliver = [&](const std::vector<std::byte>& bytes) {
    StringContent to(receiver, 8, pool, team);
    to.begin_frame(content);
    Engine other(receiver, to);
    other.begin_frame();
    other.start();
    other.arrived({0, 0}, {0, bytes, nullptr});
    EXPECT_TRUE(to.merged());
    to.place(take_pixels(pool, PairCodec::format, 20), PairCodec::format);
    to.take_result();
  };
  const auto bytes_sent = message.planes[0].subspan(string_head_bytes);
  const std::vector<std::byte> whole(bytes_sent.begin(), bytes_sent.end());
  EXPECT_NO_THROW(deliver(whole));
  // Cut short anywhere.
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(deliver({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), Error) << size;
  // Any byte of the list set to something else.
  for (std::size_t i = 0; i < 8 + 3 * 24; ++i) {
    std::vector<std::byte> bytes = whole;
    bytes[i] ^= std::byte{0x81};
    EXPECT_THROW(deliver(bytes), Error) << i;
  }
}

}  // namespace
}  // namespace sortlast
