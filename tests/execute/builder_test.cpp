// Schedules made with a ScheduleBuilder: the same transfers as the algorithms that they rebuild, right images
// for random ones, and errors for calls that make no sense.
#include "sortlast/schedule_builder.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "scene.hpp"
#include "sortlast/cost.hpp"
#include "sortlast/error.hpp"
#include "sortlast/machine.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using sortlast::testing::shuffled;

// Every rank owns the piece of its place in the ring, and receives it from all others, nearest in depth
// first.
void direct_send(ScheduleBuilder& b) {
  for (std::int32_t j = 0; j < b.p(); ++j) {
    const std::int32_t owner = b.ring()[static_cast<std::size_t>(j)];
    const auto place = std::find(b.order().begin(), b.order().end(), owner) - b.order().begin();
    std::vector<Part> parts{b.cut(b.image(owner), piece_of(b.n(), b.p(), j))};
    for (std::int64_t distance = 1; distance < b.p(); ++distance) {
      for (const std::int64_t other : {place - distance, place + distance}) {
        if (other < 0 || other >= b.p()) continue;
        const Part image = b.image(b.order()[static_cast<std::size_t>(other)]);
        parts.push_back(b.send(b.cut(image, parts.front().pixels), owner));
      }
    }
    b.finish(b.merge(parts));
  }
}

// Each piece is merged along a random tree: two parts that are adjacent in depth meet on the rank of either,
// or on any other, until one is left.
void random_trees(ScheduleBuilder& b, std::mt19937& random) {
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  const auto at_rank = [&](const Part& part, std::int32_t rank) {
    return part.rank == rank ? part : b.send(part, rank, random() % 2 == 0 ? 0 : part.stage + 2);
  };
  const auto pieces = static_cast<std::int64_t>(1 + below(static_cast<std::size_t>(b.p())));
  const auto owners = shuffled(b.p(), random);
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    std::vector<Part> parts;
    for (const std::int32_t rank : b.order())
      parts.push_back(b.cut(b.image(rank), piece_of(b.n(), pieces, piece)));
    while (parts.size() > 1) {
      const std::size_t first = below(parts.size() - 1);
      const std::size_t last = first + 2 + below(std::min<std::size_t>(3, parts.size() - first - 1));
      std::vector<Part> joined(parts.begin() + static_cast<std::ptrdiff_t>(first),
                               parts.begin() + static_cast<std::ptrdiff_t>(last));
      const std::int32_t rank =
          random() % 4 == 0 ? b.order()[below(b.order().size())] : joined[below(joined.size())].rank;
      for (Part& part : joined) part = at_rank(part, rank);
      std::shuffle(joined.begin(), joined.end(), random);
      parts[first] = b.merge(joined);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(first + 1),
                  parts.begin() + static_cast<std::ptrdiff_t>(last));
    }
    b.finish(at_rank(parts.front(), owners[static_cast<std::size_t>(piece)]));
  }
}

TEST(Builder, RebuildsDirectSend) {
  register_algorithm("rebuilt-direct-send", "", direct_send);
  std::mt19937 random(1);
  for (std::int32_t p = 1; p <= 33; ++p) {
    for (const std::int64_t n : {0, 1, p - 1, 1000}) {
      const auto order = shuffled(p, random);
      const auto ring = shuffled(p, random);
      const Schedule rebuilt = make_schedule("rebuilt-direct-send", {p, n, order, ring});
      const Schedule known = make_schedule("direct-send", {p, n, order, ring});
      EXPECT_EQ(rebuilt.name(), "rebuilt-direct-send");
      EXPECT_DOUBLE_EQ(price(rebuilt, {}).total, price(known, {}).total);
      for (std::int32_t rank = 0; rank < p; ++rank) EXPECT_EQ(rebuilt.piece(rank), known.piece(rank));
      const auto sorted = [](const Schedule& schedule) {
        std::vector<Transfer> all = schedule.transfers();
        std::sort(all.begin(), all.end(), [](const Transfer& a, const Transfer& b) {
          return std::pair(a.source, a.destination) < std::pair(b.source, b.destination);
        });
        return all;
      };
      EXPECT_TRUE(sorted(rebuilt) == sorted(known)) << "p=" << p << " n=" << n;
    }
  }
}

TEST(Builder, RandomTreesGiveTheOraclesImage) {
  std::mt19937 random(2);
  register_algorithm("random-trees", "", [](ScheduleBuilder& b) {
    std::mt19937 seeded(static_cast<std::uint32_t>(std::stoi(b.parameters())));
    random_trees(b, seeded);
  });
  for (std::int32_t p = 1; p <= 17; ++p) {
    for (const auto& [format, op] : sortlast::testing::cases()) {
      const Size size{std::uniform_int_distribution(0, 29)(random),
                      std::uniform_int_distribution(1, 7)(random)};
      const sortlast::testing::Scene scene(p, format, size, random, p % 2 == 0);
      const auto order = shuffled(p, random);
      const std::string name = "random-trees:" + std::to_string(random() % 1000);
      SCOPED_TRACE(name + " p=" + std::to_string(p) + " " + format_name(format) + " " +
                   std::string(op_name(op)));
      const Schedule schedule =
          make_schedule(name, {p, size.pixels(), order, shuffled(p, random), commutes(op)});
      const Frame frame = execute_serial(schedule, scene.views(), size, format, op, 1);
      const Frame oracle = composite_serial(scene.views(), size, format, op, order);
      scene.expect_near(frame, oracle, sortlast::testing::tolerance(format, op, p, false));
      scene.expect_same_bits(execute_serial(schedule, scene.views(), size, format, op, 2), frame);
      ASSERT_FALSE(HasFailure());
    }
  }
}

// With an operator that commutes, depth ranges go round the circle.
TEST(Builder, MergesRoundTheCircle) {
  const Setting setting{5, 10, {}, {3, 1, 4, 0, 2}, true};
  ScheduleBuilder builder(setting, "");
  const auto part = [&](std::size_t place) {
    const Part image = builder.image(builder.order()[place]);
    return place == 0 ? image : builder.send(image, 3);
  };
  const Part behind = builder.merge({part(4), part(0)});
  EXPECT_EQ(behind.depth, (Range{4, 6}));
  const Part more = builder.merge({behind, part(1)});
  EXPECT_EQ(more.depth, (Range{4, 7}));
  EXPECT_EQ(builder.merge({part(3), more, part(2)}).depth, (Range{0, 5}));
}

std::string fault(const std::function<void(ScheduleBuilder&)>& build) {
  const Setting setting{4, 100, {2, 0, 3, 1}};
  ScheduleBuilder builder(setting, "");
  try {
    build(builder);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "none";
}

TEST(Builder, RefusesCallsThatMakeNoSense) {
  using B = ScheduleBuilder;
  const std::map<std::string, std::function<void(B&)>> calls{
      {"rank is 4; expected 0..3", [](B& b) { b.image(4); }},
      {"rank is -1", [](B& b) { b.send(b.image(0), -1); }},
      {"does not have the part yet", [](B& b) { b.send(b.image(2), 2); }},
      {"stage is 1; expected 2 or more", [](B& b) { b.send(b.send(b.image(2), 0), 3, 1); }},
      {"part is of another builder", [](B& b) { b.finish({1, 5, {0, 10}, {0, 1}, 1}); }},
      {"parts is empty", [](B& b) { b.merge({}); }},
      {"parts differ", [](B& b) { b.merge({b.image(2), b.image(0)}); }},
      {"the same pixels", [](B& b) { b.merge({b.image(2), b.send(b.cut(b.image(0), {0, 50}), 2)}); }},
      {"not adjacent in depth", [](B& b) { b.merge({b.image(2), b.send(b.image(1), 2)}); }},
      {"has a result already",
       [](B& b) {
         b.finish(b.image(2));
         b.finish(b.image(2));
       }},
  };
  for (const auto& [message, call] : calls) {
    EXPECT_NE(fault(call).find(message), std::string::npos)
        << "expected '" << message << "', got '" << fault(call) << "'";
  }
}

TEST(Builder, RefusesNamesAndIncompleteSchedules) {
  const auto nothing = [](ScheduleBuilder&) {};
  for (const char* name : {"", "two words", "colon:1", "shift", "auto"})
    EXPECT_THROW(register_algorithm(name, "", nothing), ArgumentError) << name;
  EXPECT_THROW(register_algorithm("no-function", "", {}), ArgumentError);
  EXPECT_THROW(make_schedule("never-registered", {2, 10}), ArgumentError);
  register_algorithm("incomplete", "", nothing);
  EXPECT_THROW(make_schedule("incomplete", {2, 10}), Error);
  EXPECT_THROW(published_cost("incomplete", 2, 10, {}), ArgumentError);
  register_algorithm("incomplete", "", direct_send);  // the last one counts
  EXPECT_NO_THROW(make_schedule("incomplete", {2, 10}));
  EXPECT_EQ(choose({400, 1000}, {}, {}, {"incomplete", "direct-send"}).size(), 2U);  // p too large for walks
}

}  // namespace
}  // namespace sortlast
