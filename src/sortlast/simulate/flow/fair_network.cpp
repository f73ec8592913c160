// Max-min fair rates, computed anew where flows come and go.
//
// A rate allocation is max-min fair if no flow's rate can be raised without lowering that of a flow which has
// no more. It is unique, and progressive filling finds it (Bertsekas and Gallager, "Data Networks", 1992,
// section 6.5.2): all rates rise together until a channel is full; its flows keep what they have, and the
// others rise on. So the channel with the least to give to each of its flows settles them, is taken out with
// what they use elsewhere, and the next one follows. Shares only grow on the way, which is why a heap with
// shares that are out of date will do: a channel that comes to the top with too low a share goes back.
//
// Flows that share no channel, nor are linked by others that do, cannot feel each other. Hence only the
// connected components are computed in which a flow has come or gone. A channel with one flow limits it to
// the capacity and nothing else, links nothing, and stays out of both the component and the heap: traffic
// without contention costs a visit of its channels. Where capacities differ, a channel of less than the
// greatest may limit even a single flow, and is filled like those that are shared.
//
// A channel that carries parts of flows gives each of them free / (sum of the parts) in the same way: the
// rate is that of the whole flow.
//
// Rejected: rates as fractions of whole numbers. They are exact, but their denominators grow with every
// channel that settles. With floating point equal flows may get rates that differ in the last bit; their ends
// are taken together by the simulator's precision. A rate that changes by less than rounding is kept.
#include "sortlast/simulate/flow/fair_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast::simulate {
namespace {

constexpr double rounding = 1e-12;

}  // namespace

std::int32_t ChannelMembers::take_block(std::size_t length) {
  if (length < free_.size() && !free_[length].empty()) {
    const std::int32_t first = free_[length].back();
    free_[length].pop_back();
    return first;
  }
  if (entries_.size() + length > static_cast<std::size_t>(INT32_MAX)) {
    throw Error("the paths of the flows that are under way at once have more than 2^31 channels");
  }
  entries_.resize(entries_.size() + length);
  return static_cast<std::int32_t>(entries_.size() - length);
}

void ChannelMembers::add(std::int32_t flow, std::span<const fabric::Channel> path,
                         std::span<const double> shares) {
  const auto at = static_cast<std::size_t>(flow);
  if (at >= blocks_.size()) blocks_.resize(at + 1);
  std::int32_t e = take_block(path.size());
  if (split() || !shares.empty()) {
    shares_.resize(entries_.size(), 1);
    for (std::size_t i = 0; i < path.size(); ++i) {
      shares_[static_cast<std::size_t>(e) + i] = shares.empty() ? 1 : shares[i];
    }
  }
  blocks_[at] = {e, static_cast<std::int32_t>(path.size())};
  for (const fabric::Channel c : path) {
    std::int32_t& head = head_[static_cast<std::size_t>(c)];
    entries_[static_cast<std::size_t>(e)] = {c, flow, head, -1};
    if (head >= 0) entries_[static_cast<std::size_t>(head)].previous = e;
    head = e++;
    ++count_[static_cast<std::size_t>(c)];
  }
}

void ChannelMembers::remove(std::int32_t flow) {
  const Block block = blocks_[static_cast<std::size_t>(flow)];
  for (const Entry& entry : path(flow)) {
    const auto c = static_cast<std::size_t>(entry.channel);
    if (entry.next >= 0) entries_[static_cast<std::size_t>(entry.next)].previous = entry.previous;
    if (entry.previous >= 0) {
      entries_[static_cast<std::size_t>(entry.previous)].next = entry.next;
    } else {
      head_[c] = entry.next;
    }
    --count_[c];
  }
  const auto length = static_cast<std::size_t>(block.length);
  if (length >= free_.size()) free_.resize(length + 1);
  free_[length].push_back(block.first);
}

double ChannelMembers::shares_on(fabric::Channel c) const {
  if (!split()) return count(c);
  double sum = 0;
  for (std::int32_t e = head_[static_cast<std::size_t>(c)]; e >= 0;
       e = entries_[static_cast<std::size_t>(e)].next) {
    sum += shares_[static_cast<std::size_t>(e)];
  }
  return sum;
}

std::int64_t ChannelMembers::bytes() const {
  std::size_t sum = (head_.capacity() + count_.capacity()) * sizeof(std::int32_t) +
                    blocks_.capacity() * sizeof(Block) + entries_.capacity() * sizeof(Entry) +
                    shares_.capacity() * sizeof(double);
  for (const auto& blocks : free_) sum += blocks.capacity() * sizeof(std::int32_t);
  return static_cast<std::int64_t>(sum);
}

FairNetwork::FairNetwork(fabric::Channel channels, double capacity)
    : capacity_(capacity),
      members_(channels),
      seen_(static_cast<std::size_t>(channels), false),
      free_(seen_.size()),
      unsettled_(seen_.size()) {}

FairNetwork::FairNetwork(std::vector<double> capacities)
    : FairNetwork(static_cast<fabric::Channel>(capacities.size()),
                  *std::max_element(capacities.begin(), capacities.end())) {
  capacities_ = std::move(capacities);
}

void FairNetwork::start(std::int32_t flow, std::span<const fabric::Channel> path, double bytes,
                        std::span<const double> shares) {
  members_.add(flow, path, shares);
  ++under_way_;
  const auto f = static_cast<std::size_t>(flow);
  if (f >= flows_.size()) flows_.resize(f + 1);
  flows_[f] = {bytes, 0, 0, 0};
  touched_.insert(touched_.end(), path.begin(), path.end());
}

void FairNetwork::end(std::int32_t flow) {
  for (const ChannelMembers::Entry& entry : members_.path(flow)) touched_.push_back(entry.channel);
  members_.remove(flow);
  --under_way_;
  ends_.remove(flow);
}

void FairNetwork::share(double now) {
  if (touched_.empty()) return;
  find_component();
  fill();
  for (const std::int32_t flow : component_) set_rate(flow, now);
  shares_ += static_cast<std::int64_t>(component_.size());
  touched_.clear();
}

// Collect the flows that share channels with those that came or went, and so on.
void FairNetwork::find_component() {
  channels_.clear();
  component_.clear();
  for (const fabric::Channel c : touched_) {
    if (members_.count(c) > 0) visit(c);
  }
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    members_.for_each(channels_[i], [&](std::int32_t flow) {
      Flow& member = flows_[static_cast<std::size_t>(flow)];
      if (member.fair == open) return;
      member.fair = open;
      component_.push_back(flow);
      for (const ChannelMembers::Entry& entry : members_.path(flow)) {
        if (limits(entry.channel)) visit(entry.channel);
      }
    });
  }
}

void FairNetwork::visit(fabric::Channel c) {
  if (seen_[static_cast<std::size_t>(c)]) return;
  seen_[static_cast<std::size_t>(c)] = true;
  channels_.push_back(c);
}

// Give every flow of the component its rate.
void FairNetwork::fill() {
  // Open the channels that may limit flows.
  if (members_.split()) open_shares_.resize(free_.size());
  levels_.clear();
  for (const fabric::Channel c : channels_) {
    const auto at = static_cast<std::size_t>(c);
    seen_[at] = false;
    free_[at] = capacity(c);
    unsettled_[at] = members_.count(c);
    if (members_.split()) open_shares_[at] = members_.shares_on(c);
    if (limits(c)) levels_.push_back({share_of(c), c});
  }
  const auto later = [](const Level& a, const Level& b) {
    return a.share != b.share ? a.share > b.share : a.channel > b.channel;
  };
  std::make_heap(levels_.begin(), levels_.end(), later);

  // Settle the flows of the channel with the least to give, again and again.
  double level = 0;
  while (!levels_.empty()) {
    std::pop_heap(levels_.begin(), levels_.end(), later);
    Level& last = levels_.back();
    const fabric::Channel c = last.channel;
    if (unsettled_[static_cast<std::size_t>(c)] == 0) {
      levels_.pop_back();
      continue;
    }
    const double share = share_of(c);
    if (levels_.size() > 1 && share > levels_.front().share) {
      last.share = share;
      std::push_heap(levels_.begin(), levels_.end(), later);
      continue;
    }
    levels_.pop_back();
    level = std::max(level, share);  // rounding must not take it down
    settle(c, level);
  }

  // What no channel holds back has the greatest capacity.
  for (const std::int32_t flow : component_) {
    Flow& rest = flows_[static_cast<std::size_t>(flow)];
    if (rest.fair == open) rest.fair = capacity_;
  }
}

double FairNetwork::share_of(fabric::Channel c) const {
  const auto at = static_cast<std::size_t>(c);
  return free_[at] / (members_.split() ? open_shares_[at] : unsettled_[at]);
}

void FairNetwork::settle(fabric::Channel c, double share) {
  members_.for_each(c, [&](std::int32_t flow) {
    Flow& member = flows_[static_cast<std::size_t>(flow)];
    if (member.fair != open) return;
    member.fair = share;
    for (const ChannelMembers::Entry& entry : members_.path(flow)) {
      const auto at = static_cast<std::size_t>(entry.channel);
      --unsettled_[at];
      if (members_.split()) {
        free_[at] -= share * members_.share(entry);
        open_shares_[at] -= members_.share(entry);
      } else {
        free_[at] -= share;
      }
    }
  });
}

void FairNetwork::set_rate(std::int32_t flow, double now) {
  Flow& changed = flows_[static_cast<std::size_t>(flow)];
  if (std::abs(changed.fair - changed.rate) <= rounding * changed.fair) return;
  changed.left = std::max(0.0, changed.left - changed.rate * (now - changed.since));
  changed.since = now;
  changed.rate = changed.fair;
  ends_.set(flow, now + changed.left / changed.rate);
}

std::int64_t FairNetwork::bytes() const {
  const auto size = [](const auto& values) {
    return static_cast<std::int64_t>(values.capacity() * sizeof(values[0]));
  };
  return members_.bytes() + ends_.bytes() + size(flows_) + size(touched_) + size(channels_) +
         size(component_) + static_cast<std::int64_t>(seen_.capacity() / 8) + size(free_) + size(unsettled_) +
         size(open_shares_) + size(levels_) + size(capacities_);
}

}  // namespace sortlast::simulate
