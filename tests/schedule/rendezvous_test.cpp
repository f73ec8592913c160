// No schedule deadlocks where sends wait for their receives: verify() at every p to 199, and the stages
// played.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "sanitized.hpp"
#include "sortlast/error.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {
namespace {

// One rank on the strictest of executors: it opens a stage when all transfers of the stages before have
// ended, and a transfer ends only if both ends have opened its stage and the sender has all of what it sends.
class Rank {
 public:
  explicit Rank(Program program)
      : program_(std::move(program)),
        sent_(program_.sends.size(), false),
        missing_(program_.values.size(), 0),
        readers_(program_.values.size()) {
    for (const Send& send : program_.sends) ++left_[send.stage];
    for (const Receive& receive : program_.receives) {
      ++left_[receive.stage];
      ++missing_[static_cast<std::size_t>(receive.value)];
    }
    for (const Merge& merge : program_.merges) {
      for (const Merge::Input& input : merge.inputs) {
        readers_[static_cast<std::size_t>(input.value)].push_back(static_cast<std::size_t>(merge.value));
        ++missing_[static_cast<std::size_t>(merge.value)];
      }
    }
    pass_on(0);  // the rank's own image
  }

  const Program& program() const { return program_; }
  bool done() const { return left_.empty(); }
  bool has_opened(std::int32_t stage) const { return left_.empty() || stage <= left_.begin()->first; }
  bool can_send(std::size_t i) const {
    const Send& send = program_.sends[i];
    return !sent_[i] && has_opened(send.stage) && missing_[static_cast<std::size_t>(send.value)] == 0;
  }
  void end_send(std::size_t i) {
    sent_[i] = true;
    end_one(program_.sends[i].stage);
  }
  void end_receive(std::size_t i) {
    end_one(program_.receives[i].stage);
    const auto value = static_cast<std::size_t>(program_.receives[i].value);
    if (--missing_[value] == 0) pass_on(value);
  }
  // Sends of stages that are over need not be looked at again.
  std::size_t first_open_send() {
    while (first_ < sent_.size() && sent_[first_]) ++first_;
    return first_;
  }

 private:
  void end_one(std::int32_t stage) {
    if (--left_[stage] == 0) left_.erase(stage);
  }

  // A value is complete: so may be what it is merged into.
  void pass_on(std::size_t value) {
    for (const std::size_t reader : readers_[value])
      if (--missing_[reader] == 0) pass_on(reader);
  }

  Program program_;
  std::map<std::int32_t, int> left_;  // transfers by stage
  std::vector<bool> sent_;
  std::vector<int> missing_;                       // by value: receives and inputs that it waits for
  std::vector<std::vector<std::size_t>> readers_;  // by value: what it is merged into
  std::size_t first_ = 0;
};

// By sender and number of the send: the receive that it meets. Both ends of a pair list them in one order.
std::vector<std::vector<std::size_t>> matches(const std::vector<Program>& programs) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> expected;  // from, to
  for (const Program& program : programs)
    for (std::size_t i = program.receives.size(); i-- > 0;)
      expected[{program.receives[i].peer, program.rank}].push_back(i);
  std::vector<std::vector<std::size_t>> found;
  for (const Program& program : programs) {
    found.emplace_back();
    for (const Send& send : program.sends) {
      auto& left = expected.at({program.rank, send.peer});
      found.back().push_back(left.back());
      left.pop_back();
    }
  }
  return found;
}

// Whether all transfers come to their end.
bool ends(const std::vector<Program>& programs) {
  const auto receive_of = matches(programs);
  std::vector<Rank> ranks(programs.begin(), programs.end());
  for (bool moves = true; moves;) {
    moves = false;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const auto& sends = ranks[r].program().sends;
      for (std::size_t i = ranks[r].first_open_send(); i < sends.size(); ++i) {
        if (!ranks[r].has_opened(sends[i].stage)) break;
        Rank& peer = ranks[static_cast<std::size_t>(sends[i].peer)];
        const std::size_t receive = receive_of[r][i];
        if (!ranks[r].can_send(i) || !peer.has_opened(peer.program().receives[receive].stage)) continue;
        ranks[r].end_send(i);
        peer.end_receive(receive);
        moves = true;
      }
    }
  }
  return std::all_of(ranks.begin(), ranks.end(), [](const Rank& rank) { return rank.done(); });
}

std::vector<Program> programs_of(const Schedule& schedule) {
  std::vector<Program> programs;
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) programs.push_back(schedule.program(rank));
  return programs;
}

std::vector<std::string> names() {
  std::vector<std::string> found{"direct-send:pairs", "binary-swap:fold", "multi-step:4",
                                 "multi-step:3,3",    "two-level:shift",  "two-level:multi-step"};
  for (const AlgorithmEntry& entry : algorithms()) found.push_back(entry.name);
  return found;
}

// A depth order, and nodes of up to five ranks.
Setting setting(std::int32_t p, bool commutes, std::mt19937& random) {
  Setting made{p, 4096, {}, {}, commutes};
  made.order.resize(static_cast<std::size_t>(p));
  std::iota(made.order.begin(), made.order.end(), 0);
  std::shuffle(made.order.begin(), made.order.end(), random);
  for (std::int32_t rank = 0; rank < p; ++rank) made.nodes.push_back(rank / 5);
  return made;
}

TEST(Rendezvous, EveryScheduleIsVerifiedAndEnds) {
  std::mt19937 random(91);
  for (std::int32_t p = 1; p <= 199; p = testing::next_number(p)) {
    for (const std::string& name : names()) {
      SCOPED_TRACE(name + " p=" + std::to_string(p));
      const Schedule schedule = make_schedule(name, setting(p, p % 2 == 0, random));
      ASSERT_NO_THROW(schedule.verify());
      if (p > 48 && p < 197) continue;
      ASSERT_TRUE(ends(programs_of(schedule)));
    }
  }
}

// ---- Broken ones are found --------------------------------------------------------------------------

class Fixed final : public Algorithm {
 public:
  explicit Fixed(std::vector<Program> programs) : programs_(std::move(programs)) {}
  Program program(std::int32_t rank) const override { return programs_[static_cast<std::size_t>(rank)]; }
  Range piece(std::int32_t rank) const override {
    const Program& own = programs_[static_cast<std::size_t>(rank)];
    return own.result < 0 ? Range{} : own.values[static_cast<std::size_t>(own.result)].pixels;
  }
  std::int32_t stages() const override { return 3; }

 private:
  std::vector<Program> programs_;
};

std::string fault(const std::vector<Program>& programs) {
  const auto p = static_cast<std::int32_t>(programs.size());
  const Schedule schedule("fixed",
                          std::make_shared<const Setting>(Setting{p, programs[0].values[0].pixels.end}),
                          std::make_shared<Fixed>(programs));
  try {
    schedule.verify();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

// Each sends what it can merge only when it has received what the other merges from that.
TEST(Rendezvous, WaitsInACircleAreFound) {
  std::vector<Program> programs = programs_of(make_schedule("binary-swap", {2, 400}));
  EXPECT_EQ(fault(programs), "none");
  EXPECT_TRUE(ends(programs));
  for (Program& program : programs) program.sends[0].value = program.result;
  for (Program& program : programs) program.sends[0].pixels = program.values[2].pixels;
  EXPECT_NE(fault(programs), "none");
  EXPECT_FALSE(ends(programs));
}

// Three ranks, each of which first sends to the next one, which first wants to send.
TEST(Rendezvous, StagesThatDifferAreFound) {
  std::vector<Program> programs = programs_of(make_schedule("shift", {3, 300}));
  EXPECT_TRUE(ends(programs));
  for (Program& program : programs) {
    program.sends[1].stage = 3;
    program.receives[0].stage = 2;
    program.receives[1].stage = 2;
  }
  EXPECT_NE(fault(programs).find("nobody"), std::string::npos) << fault(programs);
  EXPECT_FALSE(ends(programs));
}

}  // namespace
}  // namespace sortlast
