// Bracket lists, OpenSM's order of adapters, and traffic.
#include <gtest/gtest.h>

#include <random>

#include "canonical.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"

namespace sortlast::fabric {
namespace {

using testing::refusal;
using Names = std::vector<std::string>;

TEST(NodeList, ExpandsBrackets) {
  EXPECT_EQ(read_node_list("a[1-3,7]b[01-02],c", "list"),
            (Names{"a1b01", "a1b02", "a2b01", "a2b02", "a3b01", "a3b02", "a7b01", "a7b02", "c"}));
  EXPECT_EQ(read_node_list("n[098-101]", "list"), (Names{"n098", "n099", "n100", "n101"}));
  EXPECT_EQ(read_node_list("n[9-11],n[9-10]-ib", "list"), (Names{"n9", "n10", "n11", "n9-ib", "n10-ib"}));
  EXPECT_EQ(read_node_list("[1-2],x", "list"), (Names{"1", "2", "x"}));
  EXPECT_EQ(read_node_list("", "list"), Names());
  EXPECT_EQ(read_node_list("a,,b,", "list"), (Names{"a", "b"}));  // as Slurm does
}

TEST(NodeList, MayLieOverSeveralLines) {
  EXPECT_EQ(read_node_list("# job 17\na[1-2],\r\nb\n\n  c, d  # the last two\ne", "list"),
            (Names{"a1", "a2", "b", "c", "d", "e"}));
}

TEST(NodeList, HoldsNamesWithBlanksInQuotationMarks) {
  EXPECT_EQ(read_node_list("\"n1 mlx5_0\",\"n[1-2] x\", a[1-2] \"b\"\n\"c d\",e", "list"),
            (Names{"n1 mlx5_0", "n1 x", "n2 x", "a1", "a2", "b", "c d", "e"}));
}

TEST(NodeList, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"a[1-", "list:1: expected a number of up to 18 digits in 'a[1-', found its end"},
      {"x\na[1", "list:2: expected ',', '-' or ']' in a bracket in 'a[1', found its end"},
      {"a[]", "list:1: expected a number of up to 18 digits in 'a[]', found ']'"},
      {"a[b]", "list:1: expected a number of up to 18 digits in 'a[b]', found 'b]'"},
      {"a]", "list:1: expected ',' or the end of the list in 'a]', found ']'"},
      {"a[3-1]", "list:1: expected a range that counts up, found '3-1'"},
      {"a[1-2000000000]",
       "list:1: expected at most 1048576 names of 32 MiB together, found more in 'a[1-2000000000]'"},
      {"a[0-999999999999999999]", "list:1: expected at most 1048576 names"},
      {"a[1-9999999999999999999]", "list:1: expected a number of up to 18 digits"},
      {"a \"b c", "list:1: expected a name in double quotes, found '\"b c'"},
      {"a,\"b c\"", "list:1: expected a blank before the first quotation mark of 'a,\"b'"},
      {"a[1-2000][1-2000]", "list:1: expected at most 1048576 names"},
      {"a[1-1000000],b[1-1000000]", "list:1: expected at most 1048576 names"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal([&wrong = text] { (void)read_node_list(wrong, "list"); });
    EXPECT_TRUE(message.starts_with(expected)) << message;
  }
}

// A short text must not stand for gigabytes.
TEST(NodeList, BoundsWhatItWritesOut) {
  std::string many_brackets = "n[0-500000]";
  for (int i = 0; i < 100; ++i) many_brackets += "[1]";
  std::string many_lists;
  for (int i = 0; i < 10; ++i) many_lists += std::string(1000, 'x') + "[1-4000]\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {std::string(1000, 'x') + "[1-40000]", "list:1: expected at most 1048576 names of 32 MiB together"},
      {many_brackets, "list:1: expected at most 1048576 names of 32 MiB together"},
      {many_lists, "list:9: expected at most 1048576 names of 32 MiB together"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal([&wrong = text] { (void)read_node_list(wrong, "list"); });
    EXPECT_TRUE(message.starts_with(expected)) << message;
  }
  EXPECT_EQ(read_node_list(std::string(1000, 'x') + "[1-30000]", "list").size(), 30000U);
}

TEST(NodeList, FoldsNeighboursThatCountUp) {
  EXPECT_EQ(fold_node_list({"node001", "node002", "node003", "node004", "login"}), "node[001-004],login");
  EXPECT_EQ(fold_node_list({"n1", "n2", "n4", "n9", "n10"}), "n[1-2,4,9-10]");
  EXPECT_EQ(fold_node_list({"n2", "n1"}), "n[2,1]");
  EXPECT_EQ(fold_node_list({"n09", "n10", "n011"}), "n[09-10,011]");
  EXPECT_EQ(fold_node_list({"n1"}), "n1");
  EXPECT_EQ(fold_node_list({"7", "8"}), "[7-8]");
  EXPECT_EQ(fold_node_list({}), "");
  EXPECT_EQ(fold_node_list({"n99999999999999999999"}), "n99999999999999999999");
  EXPECT_NE(refusal([] { (void)fold_node_list({"host00000 HCA-1"}); }).find("cannot stand in a list"),
            std::string::npos);
}

TEST(NodeList, ComesBackTheSame) {
  std::mt19937 random(1);
  const auto pick = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random()) % n; };
  for (int round = 0; round < 500; ++round) {
    Names names;
    for (std::uint32_t i = pick(12); i > 0; --i) {
      std::string digits = std::to_string(pick(5) == 0 ? pick(2000) : 95 + pick(12));
      if (pick(3) == 0) digits.insert(0, pick(4), '0');
      names.push_back((pick(2) != 0 ? "a" : "rack2-n") + (pick(8) == 0 ? "" : digits) +
                      (pick(9) == 0 ? "x" : ""));
    }
    EXPECT_EQ(read_node_list(fold_node_list(names), "list"), names) << fold_node_list(names);
  }
}

TEST(CaOrder, ReadsHostsAndDummies) {
  const Topology plain = make_topology("crossbar:3");
  const Topology named = assign_lids(plain);
  const std::string text = "0x0002\thost00001 HCA-1\n0xFFFF\tDUMMY\n0x0001\thost00000 HCA-1\n";
  EXPECT_EQ(read_ca_order(named, text, "order"), (Placement{1, -1, 0}));
  EXPECT_EQ(read_ca_order(plain, text, "order"), (Placement{1, -1, 0}));  // by name
  const std::vector<std::pair<std::string, std::string>> cases{
      {"first\n", "order:1: expected a LID in hex, found 'first'"},
      {"0x0001\n", "order:1: expected a host's name, or DUMMY, found the end of the line"},
      {"0x0001\th\n0x0009\tnobody\n", "order:2: no host of crossbar"},
      {"0x0004\tthe switch\n", "order:1: no host of crossbar"},
      {"0xFFFFFFFFFFFF\tfar away\n", "order:1: no host of crossbar"},
      {"0x0001\th\n0x0001\th\n", "order:2: 'host00000 HCA-1' is listed twice"},
  };
  for (const auto& [wrong, expected] : cases) {
    const std::string message = refusal([&, &file = wrong] { (void)read_ca_order(named, file, "order"); });
    EXPECT_TRUE(message.starts_with(expected)) << message;
  }
}

TEST(Traffic, ReadsStages) {
  const auto pattern =
      read_traffic("# stage source destination bytes\n0 0 1 4096\n\n2 3 0   # back\n0 1 2 7\r\n", "t");
  EXPECT_EQ(pattern->participants(), 4);
  ASSERT_EQ(pattern->stages(), 3);
  EXPECT_EQ(pattern->flows(0), (std::vector<Flow>{{0, 1, 4096}, {1, 2, 7}}));
  EXPECT_EQ(pattern->flows(1), std::vector<Flow>());
  EXPECT_EQ(pattern->flows(2), (std::vector<Flow>{{3, 0, 1}}));
}

TEST(Traffic, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "t:1: expected lines 'stage source destination [bytes]', found none"},
      {"0 1\n", "t:1: expected a destination (0 to 1048575), found the end of the line"},
      {"0 1 2 3 4\n", "t:1: expected the end of the line, found '4'"},
      {"-1 1 2\n", "t:1: expected a stage (0 to 1048575), found '-1 1 2'"},
      {"0 0 1\n0 2000000000 1\n", "t:2: expected a source (0 to 1048575)"},
      {"2000000000 0 1\n", "t:1: expected a stage (0 to 1048575)"},
      {"0 0 1 -5\n", "t:1: expected bytes (0 to"},
      {"0 1.5 2\n", "t:1: expected a destination"},
      {"0 3 3\n", "t:1: participant 3 sends to itself; leave the line out"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal([&wrong = text] { (void)read_traffic(wrong, "t"); });
    EXPECT_TRUE(message.starts_with(expected)) << message;
  }
}

}  // namespace
}  // namespace sortlast::fabric
