#include "sortlast/simulate/compositing/rank_causes.hpp"

#include <algorithm>
#include <utility>

namespace sortlast::simulate {
namespace {

std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

RankCauses::RankCauses(const RankPlan& plan, Message first, std::vector<Message> received)
    : plan_(plan),
      received_(std::move(received)),
      first_part_(first),
      first_step_(first_part_ + static_cast<Message>(plan.parts().size())),
      first_gate_(first_step_ + static_cast<Message>(plan.steps().size())),
      arrival_(plan.program().values.size(), -1),
      writers_(arrival_.size()) {
  for (std::size_t i = 0; i < received_.size(); ++i) {
    arrival_[index(plan.program().receives[i].value)] = static_cast<std::int32_t>(i);
  }
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    writers_[index(plan.steps()[i].target)].push_back(static_cast<std::int32_t>(i));
  }
}

std::size_t RankCauses::place(std::int32_t stage) const {
  return static_cast<std::size_t>(std::lower_bound(plan_.stages().begin(), plan_.stages().end(), stage) -
                                  plan_.stages().begin());
}

void RankCauses::need(Value value, Range pixels, std::vector<Message>& causes) const {
  const std::int32_t receive = arrival_[index(value)];
  if (receive >= 0) {
    const Range whole = plan_.program().values[index(value)].pixels;
    causes.push_back(received_[index(receive)] +
                     static_cast<Message>(plan_.cell(pixels.begin) - plan_.cell(whole.begin)));
  }
  const std::vector<std::int32_t>& writers = writers_[index(value)];
  const auto last = std::find_if(writers.rbegin(), writers.rend(), [&](std::int32_t i) {
    return !intersection(plan_.steps()[index(i)].pixels, pixels).empty();
  });
  if (last != writers.rend()) causes.push_back(step(index(*last)));
}

void RankCauses::blended_before(std::int32_t stage, std::vector<Message>& causes) const {
  const auto& steps = plan_.steps();
  const auto later =
      std::lower_bound(steps.begin(), steps.end(), stage,
                       [](const RankPlan::Step& one, std::int32_t s) { return one.stage < s; });
  if (later != steps.begin()) causes.push_back(step(static_cast<std::size_t>(later - steps.begin()) - 1));
}

void RankCauses::transfers_of(std::int32_t stage, std::vector<Message>& causes) const {
  const auto& parts = plan_.parts();
  auto part = std::lower_bound(parts.begin(), parts.end(), stage,
                               [](const RankPlan::Part& one, std::int32_t s) { return one.stage < s; });
  for (; part != parts.end() && part->stage == stage; ++part) {
    causes.push_back(first_part_ + static_cast<Message>(part - parts.begin()));
  }
  const auto& receives = plan_.program().receives;
  auto receive = std::lower_bound(receives.begin(), receives.end(), stage,
                                  [](const Receive& one, std::int32_t s) { return one.stage < s; });
  for (; receive != receives.end() && receive->stage == stage; ++receive) {
    const Message first = received_[static_cast<std::size_t>(receive - receives.begin())];
    const std::int64_t count = plan_.cells(plan_.program().values[index(receive->value)].pixels);
    for (Message i = 0; i < count; ++i) causes.push_back(first + i);
  }
}

}  // namespace sortlast::simulate
