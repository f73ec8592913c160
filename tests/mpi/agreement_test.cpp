// Agreement on arguments of any length: what differs is told, wherever it lies.
#include "sortlast/execute/mpi/rendezvous.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <sstream>

#include "mpi/ranks.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"

namespace sortlast {
namespace {

using testing::expect_contains;

class LongArguments : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();

  bool is_odd() const { return rank_ == p_ - 1; }

  std::string text_of(const Arguments& arguments, const std::string& problem = "") const {
    const Communicator comm = duplicate(MPI_COMM_WORLD, 20, "test");
    const Alarm alarm(comm, 20, {});
    const std::string text =
        testing::error_of<MismatchError>([&] { agree(comm, alarm, arguments, problem); });
    testing::expect_same_on_all_ranks(text);
    return text;
  }

  // What is told of orders that differ in two neighbouring places.
  std::string text_of_orders(std::size_t length, std::size_t place) const {
    std::vector<std::int32_t> order(length);
    std::iota(order.begin(), order.end(), 0);
    if (is_odd()) std::swap(order[place], order[place + 1]);
    Arguments arguments("test");
    arguments.add("order", order);
    arguments.add("size", "4x4");
    return text_of(arguments);
  }

  void SetUp() override {
    if (p_ == 1) GTEST_SKIP() << "one rank agrees with itself";
  }
};

TEST_F(LongArguments, OrdersOfManyRanks) {
  const std::string odd = " on rank " + std::to_string(p_ - 1);
  for (const std::size_t length : {100U, 300U, 20000U}) {
    for (const std::size_t place : {std::size_t{1}, length / 2, length - 2}) {
      const std::string text = text_of_orders(length, place);
      std::ostringstream here;
      here << "order: alike before entry " << place << " (the first is 0), " << place << "," << place + 1;
      expect_contains(text, here.str());
      std::ostringstream there;
      there << "; " << place + 1 << "," << place;
      expect_contains(text, there.str());
      expect_contains(text, odd);
      EXPECT_EQ(text.find("size"), std::string::npos) << text;
      EXPECT_LT(text.size(), 500U);
    }
  }
  expect_contains(text_of_orders(8, 3), "order: [0,1,2,3,4,5,6,7] on rank");  // short ones as they are
}

TEST_F(LongArguments, OneLongerThanTheOther) {
  std::vector<std::int32_t> order(is_odd() ? 500 : 400);
  std::iota(order.begin(), order.end(), 0);
  Arguments arguments("test");
  arguments.add("order", order);
  const std::string text = text_of(arguments);
  expect_contains(text, "alike before entry 399 (the first is 0), 399] on rank");
  expect_contains(text, "399,400,401");
}

TEST_F(LongArguments, WithoutEntries) {
  Arguments arguments("test");
  arguments.add("text", std::string(5000, 'a') + (is_odd() ? "b" : "c"));
  expect_contains(text_of(arguments), "alike before character 4960, " + std::string(40, 'a') + "c on rank");
}

TEST_F(LongArguments, LongProblems) {
  const std::string problem = is_odd() ? std::string(3000, 'x') + " is too long" : "";
  expect_contains(text_of(Arguments("test"), problem), "wrong argument on rank " + std::to_string(p_ - 1) +
                                                           ": " + std::string(3000, 'x') + " is too long");
}

// Also where frames are not checked.
TEST(AgreementByName, FindsTheFlagOfAnyRankAndWhatDiffers) {
  const int p = testing::world_size();
  const int rank = testing::world_rank();
  for (const bool check : {true, false}) {
    for (const int node_ranks : {0, 1, 2}) {
      SCOPED_TRACE(std::to_string(node_ranks) + (check ? " ranks a node" : " ranks a node, unchecked"));
      Compositor compositor(MPI_COMM_WORLD, {.node_ranks = node_ranks, .check = check});
      const auto agree = [&](const std::string& value, bool flag) {
        return detail::CompositorAccess::agree(compositor, "test", {{"value", value}}, "", flag);
      };
      for (int flagged = 0; flagged < p; ++flagged) EXPECT_TRUE(agree("a", rank == flagged));
      EXPECT_FALSE(agree("a", false));
      if (p == 1) continue;
      expect_contains(testing::error_of<MismatchError>([&] { agree(rank == 0 ? "b" : "a", false); }),
                      "value: b on rank 0");
      EXPECT_TRUE(agree("a", true));
    }
  }
}

}  // namespace
}  // namespace sortlast
