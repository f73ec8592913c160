// Merge plan.
//
// The problem: a rank receives k fragments of the same pixels at different depth positions, in an order
// that is known in advance only roughly. Blending should begin with the first two that touch and never
// wait for a fragment that it does not need, as both papers ask; and it must give the same bits however
// late a message comes, so the association has to be fixed beforehand.
//
// The plan replays the expected arrivals. Fragments that touch form runs. A run is a chain: it starts
// with one fragment and every later one joins at its front or its back. An arrival that touches no run
// starts one; an arrival that touches two joins the longer one, and the shorter one becomes a link of
// the longer chain. In the common cases (neighbours first; a group in depth order) there is one chain,
// and an executor that finds all of it arrived blends it in a single pass over memory.
//
// Rejected: one chain from front to back. It blends nothing until the frontmost image is there, which
// for the last rank of a shift is the last stage but one.
#include "sortlast/schedule/merge_plan.hpp"

#include <map>
#include <utility>

namespace sortlast {
namespace {

// A run of touching fragments: the chain that joins them.
struct Run {
  Range depth;
  std::vector<Merge::Input> chain;
};

class Plan {
 public:
  Plan(Program& program, Range pixels, std::int64_t circle)
      : program_(program), pixels_(pixels), circle_(circle) {}

  void add(const Arrival& arrival) {
    const Run single{arrival.depth, {{arrival.value, false}}};
    insert(join_back(join_front(single)));
  }

  void finish(Value target) {
    Run& whole = runs_.begin()->second;
    program_.merges.push_back({target, pixels_, std::move(whole.chain)});
  }

 private:
  using Runs = std::map<std::int64_t, Run>;  // by the first depth position

  std::int64_t wrap(std::int64_t position) const { return circle_ > 0 ? position % circle_ : position; }

  void insert(Run run) {
    run.depth = {wrap(run.depth.begin), wrap(run.depth.begin) + run.depth.size()};
    const std::int64_t first = run.depth.begin;
    by_end_[wrap(run.depth.end)] = first;
    runs_.emplace(first, std::move(run));
  }

  Run take(Runs::iterator position) {
    Run run = std::move(position->second);
    by_end_.erase(wrap(run.depth.end));
    runs_.erase(position);
    return run;
  }

  // Join `run` with the run that ends where it begins, if there is one.
  Run join_front(Run run) {
    const auto found = by_end_.find(wrap(run.depth.begin));
    if (found == by_end_.end()) return run;
    return join(take(runs_.find(found->second)), std::move(run), true);
  }

  Run join_back(Run run) {
    const auto found = runs_.find(wrap(run.depth.end));
    if (found == runs_.end()) return run;
    return join(std::move(run), take(found), false);
  }

  // The longer chain goes on, the shorter one becomes its link; of two as long the older one goes on, so that
  // a chain starts with what the rank holds itself.
  Run join(Run front, Run back, bool front_is_older) {
    const Range depth{front.depth.begin, front.depth.begin + front.depth.size() + back.depth.size()};
    const bool longer = front.chain.size() > back.chain.size();
    const bool onto_front = longer || (front_is_older && front.chain.size() == back.chain.size());
    Run& kept = onto_front ? front : back;
    Run& link = onto_front ? back : front;
    kept.chain.push_back({close(link), !onto_front});
    kept.depth = depth;
    return std::move(kept);
  }

  // The value that holds a run: its only fragment, or a new value that its chain fills.
  Value close(Run& run) {
    if (run.chain.size() == 1) return run.chain.front().value;
    const auto value = static_cast<Value>(program_.values.size());
    const std::int64_t first = wrap(run.depth.begin);
    program_.values.push_back({pixels_, {first, first + run.depth.size()}});
    program_.merges.push_back({value, pixels_, std::move(run.chain)});
    return value;
  }

  Program& program_;
  Range pixels_;
  std::int64_t circle_;
  Runs runs_;
  std::map<std::int64_t, std::int64_t> by_end_;  // depth end -> depth begin
};

}  // namespace

void plan_merges(Program& program, Value target, Range pixels, const std::vector<Arrival>& arrivals,
                 std::int64_t circle) {
  Plan plan(program, pixels, circle);
  for (const Arrival& arrival : arrivals) plan.add(arrival);
  plan.finish(target);
}

std::vector<std::int64_t> nearest_first(Range range, std::int64_t centre) {
  std::vector<std::int64_t> order;
  order.reserve(static_cast<std::size_t>(range.size()));
  for (std::int64_t distance = 0; static_cast<std::int64_t>(order.size()) < range.size(); ++distance) {
    const std::int64_t front = centre - distance;
    const std::int64_t back = centre + distance;
    if (front >= range.begin && front < range.end) order.push_back(front);
    if (distance > 0 && back >= range.begin && back < range.end) order.push_back(back);
  }
  return order;
}

}  // namespace sortlast
