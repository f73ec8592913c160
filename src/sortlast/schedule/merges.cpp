// Merges: the order, and the number of chains, in which fragments of the same pixels are joined.
//
// The problem: a rank receives k fragments of the same pixels at different depth positions, in an order that
// is only roughly known in advance. Blending should begin with the first two adjacent fragments and never
// wait for a fragment that it does not need, as both papers require. It must also give the same bits however
// late a message arrives, so the association has to be fixed in advance.
//
// append_merges() replays the expected arrivals. Adjacent fragments form chains. A chain starts with one
// fragment, and every later one joins at its front or its back. An arrival that touches no chain starts a new
// one. An arrival that touches two joins the longer one, and the shorter one becomes a link of it. In the
// common cases (neighbours first; a group in depth order) there is one chain. An executor that starts after
// all fragments have arrived blends it in a single pass over memory.
//
// Rejected: one chain from front to back. It blends nothing until the frontmost image has arrived, which for
// the last rank of a shift is the last stage but one.
#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {
namespace {

// Adjacent fragments, and how they are joined.
struct Chain {
  Range depth;
  std::vector<Merge::Input> links;
};

class Chains {
 public:
  Chains(Program& program, Range pixels, std::int64_t circle)
      : program_(program), pixels_(pixels), circle_(circle) {}

  void add(const Arrival& arrival) {
    const Chain single{arrival.depth, {{arrival.value, false}}};
    insert(join_back(join_front(single)));
  }

  void finish(Value target) {
    Chain& whole = chains_.begin()->second;
    program_.merges.push_back({target, pixels_, std::move(whole.links)});
  }

 private:
  using ByBegin = std::map<std::int64_t, Chain>;  // keyed by the first depth position

  std::int64_t wrap(std::int64_t position) const { return circle_ > 0 ? position % circle_ : position; }

  void insert(Chain chain) {
    chain.depth = {wrap(chain.depth.begin), wrap(chain.depth.begin) + chain.depth.size()};
    const std::int64_t first = chain.depth.begin;
    by_end_[wrap(chain.depth.end)] = first;
    chains_.emplace(first, std::move(chain));
  }

  Chain take(ByBegin::iterator position) {
    Chain chain = std::move(position->second);
    by_end_.erase(wrap(chain.depth.end));
    chains_.erase(position);
    return chain;
  }

  // Join `chain` with the chain that ends where it begins, if it exists.
  Chain join_front(Chain chain) {
    const auto found = by_end_.find(wrap(chain.depth.begin));
    if (found == by_end_.end()) return chain;
    return join(take(chains_.find(found->second)), std::move(chain), true);
  }

  Chain join_back(Chain chain) {
    const auto found = chains_.find(wrap(chain.depth.end));
    if (found == chains_.end()) return chain;
    return join(std::move(chain), take(found), false);
  }

  // The longer chain continues, and the shorter one becomes its link. If they have equal length, the older
  // one continues, so that a chain starts with the rank's own image.
  Chain join(Chain front, Chain back, bool front_is_older) {
    const Range depth{front.depth.begin, front.depth.begin + front.depth.size() + back.depth.size()};
    const bool longer = front.links.size() > back.links.size();
    const bool onto_front = longer || (front_is_older && front.links.size() == back.links.size());
    Chain& kept = onto_front ? front : back;
    Chain& link = onto_front ? back : front;
    kept.links.push_back({close(link), !onto_front});
    kept.depth = depth;
    return std::move(kept);
  }

  // The value that holds a chain: its only fragment, or a new value that its links fill.
  Value close(Chain& chain) {
    if (chain.links.size() == 1) return chain.links.front().value;
    const auto value = static_cast<Value>(program_.values.size());
    const std::int64_t first = wrap(chain.depth.begin);
    program_.values.push_back({pixels_, {first, first + chain.depth.size()}});
    program_.merges.push_back({value, pixels_, std::move(chain.links)});
    return value;
  }

  Program& program_;
  Range pixels_;
  std::int64_t circle_;
  ByBegin chains_;
  std::map<std::int64_t, std::int64_t> by_end_;  // depth end -> depth begin
};

// The value that holds the arrivals, given in depth order: the only arrival, or the merge of their halves.
// The merge writes `target`, or a new value if target < 0.
Value join_halves(Program& program, Value target, Range pixels, std::span<const Arrival> arrivals) {
  if (arrivals.size() == 1) return arrivals.front().value;
  const std::size_t half = arrivals.size() / 2;
  const Value front = join_halves(program, -1, pixels, arrivals.first(half));
  const Value back = join_halves(program, -1, pixels, arrivals.subspan(half));
  if (target < 0) {
    target = static_cast<Value>(program.values.size());
    program.values.push_back({pixels, {arrivals.front().depth.begin, arrivals.back().depth.end}});
  }
  program.merges.push_back({target, pixels, {{front, false}, {back, false}}});
  return target;
}

}  // namespace

void append_merges(Program& program, Value target, Range pixels, const std::vector<Arrival>& arrivals,
                   std::int64_t circle) {
  Chains chains(program, pixels, circle);
  for (const Arrival& arrival : arrivals) chains.add(arrival);
  chains.finish(target);
}

void append_pairs(Program& program, Value target, Range pixels, std::vector<Arrival> arrivals) {
  std::sort(arrivals.begin(), arrivals.end(),
            [](const Arrival& a, const Arrival& b) { return a.depth.begin < b.depth.begin; });
  join_halves(program, target, pixels, arrivals);
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
