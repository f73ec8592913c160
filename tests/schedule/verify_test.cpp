// verify() finds each kind of fault in a schedule that was right.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "sortlast/error.hpp"
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {
namespace {

// A schedule whose programs were changed by hand.
class Changed final : public Algorithm {
 public:
  Changed(const Schedule& schedule, const std::function<void(std::vector<Program>&)>& change)
      : schedule_(schedule) {
    for (std::int32_t rank = 0; rank < schedule.p(); ++rank) programs_.push_back(schedule.program(rank));
    change(programs_);
  }
  Program program(std::int32_t rank) const override { return programs_[static_cast<std::size_t>(rank)]; }
  Range piece(std::int32_t rank) const override { return schedule_.piece(rank); }
  std::int32_t stages() const override { return schedule_.stages(); }

 private:
  Schedule schedule_;
  std::vector<Program> programs_;
};

std::string fault(const std::function<void(std::vector<Program>&)>& change) {
  const Schedule right = make_schedule("binary-swap", {4, 400, {}, {}, false});
  const Schedule wrong("wrong", std::make_shared<const Setting>(right.setting()),
                       std::make_shared<Changed>(right, change));
  try {
    wrong.verify();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Verify, FindsFaults) {
  using Programs = std::vector<Program>;
  EXPECT_EQ(fault([](Programs&) {}), "none");
  const std::map<std::string, std::function<void(Programs&)>> changes{
      {"nobody receives", [](Programs& all) { all[1].sends[0].pixels.end -= 1; }},
      {"nobody sends", [](Programs& all) { all[2].sends.pop_back(); }},
      {"do not touch", [](Programs& all) { all[0].merges[0].inputs[1].front = true; }},
      {"depends on stage", [](Programs& all) { all[0].sends[1].stage = 1; }},
      {"too early", [](Programs& all) { std::swap(all[0].merges[0], all[0].merges[1]); }},
      {"twice", [](Programs& all) { all[0].merges.push_back(all[0].merges[1]); }},
      {"sends to rank", [](Programs& all) { all[3].sends[0].peer = 3; }},
      {"receives from rank", [](Programs& all) { all[3].receives[0].peer = 4; }},
      {"which it does not have", [](Programs& all) { all[3].sends[0].value = 99; }},
      {"sends no pixels", [](Programs& all) { all[3].sends[0].pixels = {5, 5}; }},
      {"ends with pixels", [](Programs& all) { all[1].result = -1; }},
      {"not its own image", [](Programs& all) { all[1].values[0].depth = {0, 1}; }},
      {"order of stages", [](Programs& all) { std::swap(all[1].sends[0], all[1].sends[1]); }},
      {"merges nothing", [](Programs& all) { all[1].merges[0].inputs.clear(); }},
      {"merges depth [1, 2) into value", [](Programs& all) { all[1].merges[0].inputs.pop_back(); }},
  };
  for (const auto& [message, change] : changes) {
    EXPECT_NE(fault(change).find(message), std::string::npos)
        << "expected '" << message << "', got '" << fault(change) << "'";
  }
}

}  // namespace
}  // namespace sortlast
