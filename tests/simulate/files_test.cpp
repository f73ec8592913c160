// Traffic in files: what is written is read again as the same traffic, and what is wrong is refused by line.
#include "sortlast/simulate/traffic.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {
namespace {

std::string goal(const Traffic& traffic) {
  std::ostringstream out;
  write_goal(traffic, out);
  return out.str();
}

std::string trace(const Traffic& traffic) {
  std::ostringstream out;
  write_fsin(traffic, out);
  return out.str();
}

template <class Read>
std::string refusal(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const char* const example = R"(num_ranks 3
rank 0 {
a: calc 100
b: send 1000b to 1 tag 7   // comment
b requires a
}
rank 1 {
l1: recv 1000b from 0 tag 7 cpu 0
l2: calc 50 cpu 1
l3: send 10b to 2
l2 requires l1
l3 requires l2
l4: recv 20b from 2
l5: send 5b to 0 nic 0
l5 requires l4
l5 irequires l3
}
rank 2 {
x: recv 10b from 1
y: send 20b to 1
y requires x
}
)";

TEST(Goal, BecomesAGraphOfMessages) {
  std::string text = example;
  const auto at = text.find("a: calc");
  text.insert(at, "r: recv 5b from 1\n");
  const Traffic made = read_goal(text);
  check(made);
  EXPECT_FALSE(made.in_order);
  EXPECT_EQ(made.first, (std::vector<std::int32_t>{0, 2, 5, 6}));
  EXPECT_EQ(made.destination, (std::vector<std::int32_t>{0, 1, 1, 2, 0, 1}));
  EXPECT_EQ(made.size, (std::vector<std::int64_t>{100, 1000, 50, 10, 5, 20}));
  // b after a; l2 after b's arrival; l3 after l2; l5 after y's arrival, and when l3 may start: after l2; y
  // after l3.
  EXPECT_EQ(made.first_cause, (std::vector<std::int64_t>{0, 0, 1, 2, 3, 5, 6}));
  EXPECT_EQ(made.causes, (std::vector<std::int32_t>{0, 1, 2, 2, 5, 3}));
}

TEST(Goal, CommentsMeanNothing) {
  std::string plain = example;
  plain.insert(plain.find("a: calc"), "r: recv 5b from 1\n");
  std::string text = plain;
  text.insert(text.find("rank 1 {"), "/* of\n rank 1, } */ // and /* this\n");
  text.insert(text.find("calc 100"), "/**/ /* calc 7");
  text.insert(text.find("calc 100"), " // */ ");
  EXPECT_EQ(read_goal(text), read_goal(plain));
  EXPECT_EQ(refusal([] { (void)read_goal("num_ranks 1\n// /*\nrank 0 {\n/* a\n}\n", "f"); }),
            "f:4: the comment that begins with /* does not end");
}

TEST(Goal, AReceivePassesOnWhatItRequires) {
  const Traffic made = read_goal(
      "num_ranks 2\nrank 0 {\na: calc 9\nb: recv 1b from 1\nc: send 2b to 1\nb requires a\nc requires b\n}\n"
      "rank 1 {\nd: send 1b to 0\ne: recv 2b from 0\n}\n");
  EXPECT_EQ(made.causes, (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(made.first_cause, (std::vector<std::int64_t>{0, 0, 2, 2}));
}

TEST(Goal, IsReadAsItWasWritten) {
  for (const char* const name : {"BU", "BT", "2M", "2W"}) {
    const Traffic traffic = pattern(name, 16, 1000);
    const Traffic read = read_goal(goal(traffic), traffic.name);
    EXPECT_EQ(read.first, traffic.first);
    EXPECT_EQ(read.destination, traffic.destination);
    EXPECT_EQ(read.size, traffic.size);
    EXPECT_EQ(read_goal(goal(read), traffic.name), read);  // not in order: nothing to add
  }
}

// Written out or repeated, in order by itself or by what it requires: a network sees the same.
TEST(Goal, SimulatesLikeTheTrafficThatItWasWrittenFrom) {
  const fabric::Topology topology = fabric::make_topology("thin-tree:4,1,2");
  PacketOptions options;
  options.arbitration = Arbitration::round_robin;
  for (const char* const name : {"BU", "BT", "2M", "2W", "WF"}) {
    const Traffic traffic = pattern(name, 16, 1000);
    const fabric::Placement placement = consecutive_hosts(topology, 16);
    const PacketResult direct = simulate_packets(topology, traffic, placement, options);
    const PacketResult read = simulate_packets(topology, read_goal(goal(traffic)), placement, options);
    EXPECT_EQ(direct.cycles, read.cycles) << name;
    EXPECT_EQ(direct.link_loads, read.link_loads) << name;
  }
}

TEST(Goal, RefusesByLine) {
  const auto said = [](const std::string& text) { return refusal([&] { (void)read_goal(text, "f.goal"); }); };
  const std::string head = "num_ranks 2\nrank 0 {\n";
  EXPECT_EQ(said("hello\n"), "f.goal:1: expected 'num_ranks N'");
  EXPECT_NE(said("").find("expected 'num_ranks N'"), std::string::npos);
  EXPECT_EQ(said("num_ranks 2\nrank 2 {\n}\n"), "f.goal:2: rank 2 of 2");
  EXPECT_EQ(said("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n"), "f.goal:4: rank 0 is there twice");
  EXPECT_EQ(said(head), "f.goal:2: the block of rank 0 does not end");
  EXPECT_EQ(said(head + "a: send 10 to 1\n}\n"), "f.goal:3: '10' is no whole number followed by 'b'");
  EXPECT_EQ(said(head + "a: send 99999999999999999999b to 1\n}\n"),
            "f.goal:3: '99999999999999999999b' is no whole number followed by 'b'");
  EXPECT_EQ(said(head + "a: send 10b to 2\n}\n"), "f.goal:3: there is no rank 2");
  EXPECT_EQ(said(head + "a: calc 1\na: calc 2\n}\n"), "f.goal:4: the label 'a' is there twice");
  EXPECT_EQ(said(head + "a: calc 1\na requires b\n}\n"), "f.goal:4: no action has the label 'b'");
  EXPECT_EQ(said(head + "a: send 1b to 1 tag\n}\n"), "f.goal:3: 'tag' has no value");
  EXPECT_EQ(said(head + "a: send 1b to 1 speed 3\n}\n"), "f.goal:3: 'speed' is none of tag, cpu, nic");
  EXPECT_NE(said(head + "a: jump 1\n}\n").find(":3: expected 'send BYTESb to R'"), std::string::npos);
  EXPECT_NE(said(head + "a: recv 1b from 1\n}\n").find("has no send"), std::string::npos);
  EXPECT_NE(said(head + "a: send 1b to 1\n}\n").find("which receives 0"), std::string::npos);
  EXPECT_NE(said(head + "a: send 1b to 1\n}\nrank 1 {\nb: recv 2b from 0\n}\n").find("expects 2 bytes"),
            std::string::npos);
  EXPECT_NE(said(head + "a: calc 1\nb: calc 1\na requires b\nb requires a\n}\n").find("in a circle"),
            std::string::npos);
}

// n receives of rank 0, each of which requires the one before, and a send that requires each of them.
std::string chain(std::int32_t n) {
  std::ostringstream out, peer;
  out << "num_ranks 2\nrank 0 {\n";
  for (std::int32_t i = 0; i < n; ++i) {
    out << "r" << i << ": recv 1b from 1\ns" << i << ": send 1b to 1\ns" << i << " requires r" << i << "\n";
    if (i > 0) out << "r" << i << " requires r" << i - 1 << "\n";
    peer << "send 1b to 0\nrecv 1b from 0\n";
  }
  out << "}\nrank 1 {\n" << peer.str() << "}\n";
  return out.str();
}

TEST(Goal, AChainOfReceivesCostsAsMuchAsItsText) {
  const auto causes_a_receive = [](std::int32_t n) {
    const Traffic made = read_goal(chain(n));
    check(made);
    return static_cast<double>(made.causes.size()) / n;
  };
  EXPECT_NEAR(causes_a_receive(30000), causes_a_receive(3000), 0.1);
}

// Send number i may go once the receives 0 .. i are over, by whatever way the file says so.
TEST(Goal, AChainOfReceivesIsWaitedForWhole) {
  constexpr std::int32_t n = 40;
  const Traffic made = read_goal(chain(n));
  const std::vector<std::int32_t> source = sources(made);
  const auto range = [&](std::int32_t m) {
    const auto at = static_cast<std::size_t>(m);
    return std::vector(made.causes.begin() + made.first_cause[at],
                       made.causes.begin() + made.first_cause[at + 1]);
  };
  for (std::int32_t send = 0; send < n; ++send) {
    std::set<std::int32_t> received;
    std::vector<std::int32_t> open = range(send);
    while (!open.empty()) {
      const std::int32_t m = open.back();
      open.pop_back();
      if (source[static_cast<std::size_t>(m)] == 1) {
        received.insert(m);
      } else {
        EXPECT_EQ(made.destination[static_cast<std::size_t>(m)], 0);  // a computation ...
        EXPECT_EQ(made.size[static_cast<std::size_t>(m)], 0);         // ... of no time
        for (const std::int32_t further : range(m)) open.push_back(further);
      }
    }
    EXPECT_EQ(received.size(), static_cast<std::size_t>(send) + 1);
    EXPECT_EQ(*received.rbegin() - *received.begin(), send);
  }
}

TEST(Fsin, IsReadAsItWasWritten) {
  for (const PatternEntry& entry : patterns()) {
    if (entry.name == "WF") continue;
    const Traffic traffic = pattern(entry.name, 64, 777);
    EXPECT_EQ(read_fsin(trace(traffic), traffic.name), traffic) << entry.name;
  }
}

TEST(Fsin, WritesRepetitionsOut) {
  const Traffic traffic = pattern("WF", 16, 1000);
  const Traffic read = read_fsin(trace(traffic));
  EXPECT_EQ(read.repeats, 1);
  EXPECT_EQ(totals(read).messages, totals(traffic).messages);
  EXPECT_EQ(totals(read).bytes, totals(traffic).bytes);
}

TEST(Fsin, KeepsTheOrderOfEachTask) {
  const Traffic made =
      read_fsin("# trace\nc 0 100\ns 0 1 3 500\nr 0 1 3 500\ns 1 1 0 10\ns 1 2 0 20\nr 1 2 0 20\n");
  check(made);
  EXPECT_EQ(made.tasks, 3);
  EXPECT_EQ(made.destination, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(made.size, (std::vector<std::int64_t>{100, 500, 20}));
  EXPECT_EQ(made.causes, (std::vector<std::int32_t>{1}));
  EXPECT_TRUE(made.in_order);
}

TEST(Fsin, RefusesByLine) {
  const auto said = [](const std::string& text) { return refusal([&] { (void)read_fsin(text, "t"); }); };
  EXPECT_EQ(said("x 1 2\n"), "t:1: 'x' is none of s, r, c");
  EXPECT_EQ(said("\ns 1 2 3\n"), "t:2: expected 's FROM TO TAG BYTES'");
  EXPECT_EQ(said("s 0 1 0 -5\n"), "t:1: '-5' is no whole number");
  EXPECT_EQ(said("s 0 99999999 0 5\n"), "t:1: '99999999' is too large; expected at most 1048575");
  EXPECT_EQ(said("c 0\n"), "t:1: expected 'c TASK NANOSECONDS'");
  EXPECT_NE(said("r 0 1 0 5\n").find("task 1 receives more from task 0"), std::string::npos);
  EXPECT_THROW((void)trace(read_goal(example + std::string("\n"))), Error);
}

}  // namespace
}  // namespace sortlast::simulate
