// Values that lie between two merges and go nowhere else.
#include "sortlast/schedule/between.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "scene.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {
namespace {

std::int64_t count(const char* algorithm, std::int32_t p) {
  const std::vector<Between> values = values_between(make_schedule(algorithm, {p, 4096}).program(0));
  return std::count_if(values.begin(), values.end(),
                       [](const Between& v) { return v.maker != Between::none; });
}

TEST(Between, AreAllInnerValuesOfATreeOfPairs) {
  for (const std::int32_t p : {2, 3, 7, 16}) EXPECT_EQ(count("direct-send:pairs", p), p - 2) << p;
}

TEST(Between, AreNotThoseThatAreSent) {
  for (const char* const algorithm : {"binary-swap", "radix-k:4,4", "parallel-pipeline"})
    EXPECT_EQ(count(algorithm, 16), 0) << algorithm;
}

TEST(Between, AreMadeOnceAndReadOnce) {
  std::mt19937 random(31);
  for (const std::string& name : testing::algorithm_names()) {
    for (const std::int32_t p : {5, 12}) {
      SCOPED_TRACE(name + " p=" + std::to_string(p));
      const Schedule schedule = make_schedule(name, {p, 960, testing::shuffled(p, random)});
      for (std::int32_t rank = 0; rank < p; ++rank) {
        const Program program = schedule.program(rank);
        const std::vector<Between> values = values_between(program);
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (values[i].maker == Between::none) continue;
          const auto value = static_cast<Value>(i);
          EXPECT_NE(value, program.result);
          std::size_t uses = 0;
          for (const Send& send : program.sends) uses += send.value == value;
          for (const Merge& merge : program.merges) {
            uses += merge.value == value;
            for (const Merge::Input& input : merge.inputs) uses += input.value == value;
          }
          EXPECT_EQ(uses, 2U);  // one merge makes it, and one reads it
          const Merge& maker = program.merges[values[i].maker];
          const Merge& reader = program.merges[values[i].reader];
          EXPECT_EQ(maker.value, value);
          EXPECT_EQ(reader.inputs[values[i].input].value, value);
          EXPECT_EQ(maker.pixels, reader.pixels);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sortlast
