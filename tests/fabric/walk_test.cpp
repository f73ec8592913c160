// Following tables from host to host, and what is wrong with those that lead nowhere.
#include <gtest/gtest.h>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/routing.hpp"

namespace sortlast::fabric {
namespace {

// Hosts x and y on switches a and b, which share one cable; port 1 of a has none.
class Walk : public testing::Test {
 protected:
  Walk() {
    TopologyBuilder builder("two switches");
    for (const char* name : {"a", "b"}) builder.add_switch({.name = name, .ports = 4});
    for (const char* name : {"x", "y"}) builder.add_host({.name = name});
    builder.connect_host(0, 0, 2);
    builder.connect_host(1, 1, 3);
    builder.connect(0, 4, 1, 1);
    topology_ = std::make_shared<const Topology>(std::move(builder).finish());
    tables_ = std::make_shared<Tables>(*topology_);
    tables_->set(0, 0, 2);
    tables_->set(0, 1, 4);
    tables_->set(1, 0, 1);
    tables_->set(1, 1, 3);
  }

  Routes routes() const { return {topology_, tables_, "test", "test", ""}; }
  std::string error() const {
    try {
      walk(routes(), 0, 1);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::shared_ptr<const Topology> topology_;
  std::shared_ptr<Tables> tables_;
};

TEST_F(Walk, ListsTheChannelsInOrder) {
  const std::vector<Channel> there = walk(routes(), 0, 1);
  EXPECT_EQ(there, (std::vector<Channel>{0, topology_->channel(0, 4), topology_->channel(1, 3)}));
  EXPECT_TRUE(walk(routes(), 1, 1).empty());
  EXPECT_EQ(describe_channels(*topology_, there), "x [1] -> [2] a\na [4] -> [1] b\nb [3] -> [1] y\n");
  EXPECT_EQ(describe_channels(*topology_, {topology_->channel(0, 1)}), "a [1] -> nothing\n");
}

TEST_F(Walk, RefusesHostsThatDoNotExist) {
  EXPECT_THROW(walk(routes(), 2, 0), ArgumentError);
  EXPECT_THROW(walk(routes(), 0, -1), ArgumentError);
}

TEST_F(Walk, SaysWhereTablesEnd) {
  tables_->set(1, 1, Forwarding::unreachable);
  EXPECT_EQ(error(), "from 'x' to 'y': switch 'b' knows no port (routes of test)");
  tables_->set(1, 1, 0);
  EXPECT_EQ(error(), "from 'x' to 'y': switch 'b' knows no port (routes of test)");
  tables_->set(1, 1, 9);
  EXPECT_EQ(error(), "from 'x' to 'y': switch 'b' knows no port (routes of test)");
}

// Each cable of an adapter of a GFT is a host, and its own plane of switches.
TEST(WalkApart, SaysThatNoCablesLeadThere) {
  const auto rails = std::make_shared<const Topology>(xgft({2}, {2}));
  try {
    walk(route(rails, "minhop"), 0, 1);
    FAIL() << "it found a way";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "no cables lead from 'host00000 HCA-1 (0x0000000010000001)' port 1 to "
        "'host00000 HCA-1 (0x0000000010000002)' port 2: the fabric is in separate parts; name hosts of "
        "one of them");
  }
}

TEST_F(Walk, SaysWhereTablesGoWrong) {
  tables_->set(0, 1, 1);
  EXPECT_EQ(error(), "from 'x' to 'y': switch 'a' uses port 1, which has no cable (routes of test)");
  tables_->set(0, 1, 2);
  EXPECT_EQ(error(), "from 'x' to 'y': switch 'a' leads to 'x' (routes of test)");
  tables_->set(0, 1, 4);
  tables_->set(1, 1, 1);
  EXPECT_NE(error().find("lies on a circle"), std::string::npos);
}

}  // namespace
}  // namespace sortlast::fabric
