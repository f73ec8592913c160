#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/program.hpp"

namespace sortlast::simulate {
namespace {

std::vector<std::int64_t> ends(const LogGopsResult& result) {
  std::vector<std::int64_t> all;
  for (const LogGopsRank& rank : result.ranks) all.push_back(rank.end);
  return all;
}

std::vector<std::int64_t> ends(const std::string& goal, const LogGops& parameters = {}) {
  return ends(simulate_loggops(read_program(goal), parameters));
}

// `blocks`: what stands between the braces of each rank.
std::string goal(const std::vector<std::string>& blocks) {
  std::string text = "num_ranks " + std::to_string(blocks.size()) + "\n";
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    text += "rank " + std::to_string(rank) + " {\n" + blocks[rank] + "\n}\n";
  }
  return text;
}

constexpr LogGops simple{.L = 1000, .o = 100, .g = 10, .G = 2, .O = 0, .S = 50};

TEST(LogGops, OneMessage) {
  // The sender is done after o; the first byte arrives at o + L, and the receiver needs o and G for each
  // other.
  EXPECT_EQ(ends(goal({"send 11b to 1", "recv 11b from 0"}), simple),
            (std::vector<std::int64_t>{100, 1100 + 100 + 20}));
  EXPECT_EQ(ends(goal({"send 0b to 1", "recv 0b from 0"}), simple), (std::vector<std::int64_t>{100, 1200}));
}

TEST(LogGops, OverheadOfEachByteKeepsBothCpusBusy) {
  LogGops parameters = simple;
  parameters.O = 5;
  EXPECT_EQ(ends(goal({"send 11b to 1", "recv 11b from 0"}), parameters),
            (std::vector<std::int64_t>{100 + 50, 1100 + 100 + 50}));
}

// The example of LogGOPSim's own documentation: a binomial reduction of 1,024 bytes to rank 0 of 8, with its
// standard parameters, and the times that it prints there.
TEST(LogGops, GivesTheTimesOfLogGopsimsExample) {
  const auto inner = [](const std::string& from, const std::string& to) {
    return "a: recv 1024b from " + from + "\nc: send 1024b to " + to + "\nc requires a";
  };
  const std::string root = "recv 1024b from 4\nrecv 1024b from 2\nrecv 1024b from 1";
  const std::string first = inner("5", "0") + "\nb: recv 1024b from 3\nc requires b";
  const std::string leaf = "send 1024b to ";
  EXPECT_EQ(ends(goal({root, first, inner("6", "0"), inner("7", "1"), leaf + "0", leaf + "1", leaf + "2",
                       leaf + "3"})),
            (std::vector<std::int64_t>{34914, 24776, 13138, 13138, 1500, 1500, 1500, 1500}));
}

TEST(LogGops, AGapHoldsTheNextMessageOfANic) {
  LogGops parameters = simple;
  parameters.g = 500;
  const std::string sends = "a: send 1b to 1\nb: send 1b to 2\nb requires a";
  EXPECT_EQ(ends(goal({sends, "recv 1b from 0", "recv 1b from 0"}), parameters),
            (std::vector<std::int64_t>{600, 1200, 1700}));
  // Another NIC need not wait.
  EXPECT_EQ(ends(goal({sends + "\nc: calc 0", "recv 1b from 0", "recv 1b from 0"}), simple)[2], 1300);
  EXPECT_EQ(ends(goal({"a: send 1b to 1\nb: send 1b to 2 nic 1\nb requires a", "recv 1b from 0",
                       "recv 1b from 0 nic 1"}),
                 parameters)[2],
            1300);
}

TEST(LogGops, ALongMessageWaitsForItsReceive) {
  const auto sender = [](std::int64_t bytes) {
    const std::string size = std::to_string(bytes);
    return ends(goal({"a: send " + size + "b to 1\nb: calc 7\nb requires a",
                      "c: calc 5000\nd: recv " + size + "b from 0\nd requires c"}),
                simple)[0];
  };
  EXPECT_EQ(sender(50), 107);
  EXPECT_EQ(sender(51), 5000 + 7);  // the message met it when the computation was over
}

TEST(LogGops, WhatNeedsOnlyAStartDoesNotWait) {
  const auto last = [](const std::string& word) {
    return ends(goal({"a: recv 1b from 1\nb: calc 5\nb " + word + " a",
                      "c: calc 10000\nd: send 1b to 0\n"
                      "d requires c"}),
                simple);
  };
  EXPECT_EQ(last("requires")[0], 10000 + 100 + 1000 + 100 + 5);
  EXPECT_EQ(last("irequires")[0], 10000 + 100 + 1000 + 100);
}

TEST(LogGops, ComputationsOfOneCpuFollowEachOther) {
  EXPECT_EQ(ends(goal({"calc 5\ncalc 6\ncalc 7"})), (std::vector<std::int64_t>{18}));
  EXPECT_EQ(ends(goal({"calc 5\ncalc 6 cpu 1\ncalc 7 cpu 2"})), (std::vector<std::int64_t>{7}));
  // What is required on another CPU is waited for.
  EXPECT_EQ(ends(goal({"a: calc 5\nb: calc 6 cpu 1\nb requires a"})), (std::vector<std::int64_t>{11}));
}

TEST(LogGops, MessagesMeetReceivesInTheOrderOfTheirTimes) {
  // The second receive of the text is the first that waits, and the first message is its.
  const auto all = ends(goal({"a: recv 1b from 1\nb: recv 1b from 1\nc: calc 3\na requires c\nd: calc 5000\n"
                              "d requires b",
                              "e: send 1b to 0\nf: calc 9000\ng: send 1b to 0\nf requires e\ng requires f"}),
                        simple);
  EXPECT_EQ(all[0], 9100 + 100 + 1000 + 100);
}

// -1 is any rank or any tag. The message of rank 2 is the first: rank 1 computes before it sends.
TEST(LogGops, AReceiveOfAnyTakesTheFirstMessageThatMatches) {
  const std::string late = "a: calc 5000\nb: send 8b to 0 tag 7\nb requires a", early = "send 5b to 0 tag 9";
  const auto received = [&](const std::string& first, const std::string& second) {
    const Program program = read_program(
        goal({"a: recv 5b from " + first + "\nb: calc 1000\nb requires a\nc: recv 8b from " + second, late,
              early}));
    std::ostringstream out;
    write_program(program, out);
    EXPECT_EQ(read_program(out.str()), program);
    return std::pair(ends(simulate_loggops(program, simple))[0], traffic_of(program));
  };
  const auto named = received("2 tag 9", "1 tag 7");
  for (const char* first : {"-1 tag -1", "2 tag -1", "-1 tag 9"}) {
    for (const char* second : {"-1 tag -1", "1 tag -1", "-1 tag 7"})
      EXPECT_EQ(received(first, second), named);
  }
  // The second of the two is the late one, for which the computation then waits.
  EXPECT_GT(received("1 tag -1", "-1 tag -1").first, named.first);
}

TEST(LogGops, AMessageTakesTheOldestReceiveThatMatches) {
  const auto first_end = [](const std::string& receives) {
    return ends(goal({receives + "\nx: calc 9000\nx requires a", "send 1b to 0 tag 3\nsend 1b to 0 tag 4"}),
                simple)[0];
  };
  EXPECT_EQ(first_end("a: recv 1b from -1 tag -1\nb: recv 1b from 1 tag -1"),
            first_end("a: recv 1b from 1 tag 3\nb: recv 1b from 1 tag 4"));
  EXPECT_EQ(first_end("b: recv 1b from -1 tag -1\na: recv 1b from 1 tag -1"),
            first_end("b: recv 1b from 1 tag 3\na: recv 1b from 1 tag 4"));
}

TEST(Goal, ReceivesOfAnyMustAddUp) {
  const auto refused = [](const std::vector<std::string>& blocks) {
    try {
      (void)traffic_of(read_program(goal(blocks), "f"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused({"recv 1b from -1", "send 1b to 0\nsend 1b to 0"}),
            "f: rank 0 is sent 2 messages and receives 1");
  EXPECT_EQ(refused({"recv 1b from -1 tag 2", "send 1b to 0"}),
            "f: ranks deadlock: rank 0 receives from rank any (tag 2), which never sends it");
  EXPECT_EQ(refused({"send 1b to -1", "recv 1b from 0"}), "f:3: '-1' is no whole number");
  EXPECT_EQ(refused({"send 1b to 1 tag -1", "recv 1b from 0"}), "f:3: '-1' is no whole number");
}

TEST(LogGops, CountsWhatEachRankDoes) {
  const LogGopsResult run =
      simulate_loggops(read_program(goal({"send 11b to 1\ncalc 30", "recv 11b from 0\ncalc 40"})), simple);
  EXPECT_EQ(run.messages, 1);
  EXPECT_EQ(run.bytes, 11);
  EXPECT_EQ(run.ranks[0].computing, 30);
  EXPECT_EQ(run.ranks[1].computing, 40);
  EXPECT_EQ(run.ranks[0].overhead, 100);
  EXPECT_EQ(run.ranks[1].overhead, 120);
  EXPECT_DOUBLE_EQ(run.seconds, 1.22e-6);
}

TEST(LogGops, NamesWhoWaitsForEver) {
  const std::string each = "a: recv 99b from 1\nb: send 99b to 1\nb requires a";
  const std::string other = "a: recv 99b from 0\nb: send 99b to 0\nb requires a";
  try {
    (void)simulate_loggops(read_program(goal({each, other}), "two"), simple);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "two: ranks deadlock: rank 1 receives from rank 0 (tag 0), which never "
              "sends it");
  }
}

TEST(LogGops, RefusesParametersAndTimesThatNothingCounts) {
  const Program program = read_program(goal({"calc 5"}));
  EXPECT_THROW((void)simulate_loggops(program, {.L = -1}), ArgumentError);
  EXPECT_THROW((void)simulate_loggops(program, {.G = std::nan("")}), ArgumentError);
  EXPECT_THROW((void)simulate_loggops(program, {.o = std::int64_t{1} << 60U}), ArgumentError);
  EXPECT_THROW((void)ends(goal({"calc 9000000000000000000"})), ArgumentError);
  std::string many;
  for (int i = 0; i < 6; ++i) many += "calc 1000000000000000000\n";
  EXPECT_THROW((void)ends(goal({many})), ArgumentError);
  EXPECT_THROW((void)simulate_loggops(program, {}, [](double) { return false; }), Error);
}

TEST(Program, RefusesArraysThatDoNotFit) {
  const Program good = read_program(goal({"a: send 1b to 1\nb: calc 1\nb requires a", "recv 1b from 0"}));
  check(good);
  const auto refused = [&](const auto& change) {
    Program bad = good;
    change(bad);
    EXPECT_THROW(check(bad), ArgumentError);
  };
  refused([](Program& p) { p.ranks = 0; });
  refused([](Program& p) { p.first.pop_back(); });
  refused([](Program& p) { p.first[1] = 7; });
  refused([](Program& p) { p.first_requirement.pop_back(); });
  refused([](Program& p) { p.actions[0].peer = 2; });
  refused([](Program& p) { p.actions[0].peer = 0; });
  refused([](Program& p) { p.actions[1].peer = 1; });
  refused([](Program& p) { p.actions[0].size = -1; });
  refused([](Program& p) { p.actions[0].cpu = -1; });
  refused([](Program& p) { p.requirements[0].action = 2; });
}

TEST(Program, IsReadAsItWasWritten) {
  const Program program =
      read_program(goal({"a: send 5b to 1 tag 4 cpu 1 nic 2\nb: calc 9 cpu 3\nb requires a\nb irequires a",
                         "recv 5b from 0 tag 4"}));
  std::ostringstream out;
  write_program(program, out);
  EXPECT_EQ(read_program(out.str()), program);
}

// Traffic becomes a program that has its messages, and comes back.
TEST(Program, HasAllOfATraffic) {
  for (const char* const name : {"BU", "BT", "2M", "2W", "WF"}) {
    const Traffic traffic = pattern(name, 16, 1000);
    const LogGopsResult run = simulate_loggops(program_of(traffic));
    EXPECT_EQ(run.messages, totals(traffic).messages) << name;
    EXPECT_EQ(run.bytes, totals(traffic).bytes) << name;
    const Traffic back = traffic_of(program_of(traffic));
    EXPECT_EQ(totals(back).messages, totals(traffic).messages) << name;
  }
}

// A ring of messages: each rank sends when it has received; the closed form is that of a chain.
TEST(LogGops, AChainOfRanksTakesTheSumOfItsHops) {
  constexpr std::int32_t ranks = 50;
  std::vector<std::string> blocks{"send 11b to 1"};
  for (std::int32_t rank = 1; rank < ranks; ++rank) {
    std::string block = "a: recv 11b from " + std::to_string(rank - 1);
    if (rank + 1 < ranks) block += "\nb: send 11b to " + std::to_string(rank + 1) + "\nb requires a";
    blocks.push_back(block);
  }
  constexpr std::int64_t hop = 100 + 1000 + 100 + 20;  // o + L + o + 10 G
  EXPECT_EQ(ends(goal(blocks), simple).back(), (ranks - 1) * hop);
}

}  // namespace
}  // namespace sortlast::simulate
