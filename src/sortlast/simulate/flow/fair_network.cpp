// Max-min fair rates, recomputed where flows start and end.
//
// A rate allocation is max-min fair if no flow's rate can be raised without lowering the rate of a flow that
// has no more. It is unique, and progressive filling finds it (Bertsekas and Gallager, "Data Networks", 1992,
// section 6.5.2): all rates rise together until a channel is full; its flows keep their rates, and the others
// continue to rise. The channel with the lowest share per flow therefore settles its flows, is removed along
// with the rates that they use elsewhere, and the next one follows. Shares only grow in this process, so an
// order by outdated shares suffices: a channel that reaches the top with too low a share goes back.
//
// Flows that share no channel, and are not connected through others that do, cannot affect each other. Hence
// only the connected components in which a flow has started or ended are recomputed. A channel with one flow
// limits it to the capacity and nothing else, connects nothing, and stays out of both the component and the
// order: traffic without contention costs one visit to each of its channels. If capacities differ, a channel
// below the maximum may limit even a single flow, and is filled like a shared one.
//
// A channel that carries parts of flows gives each of them free / (sum of the parts) in the same way; the
// rate is the rate of the whole flow.
//
// Rejected: rates as fractions of integers. They are exact, but their denominators grow with every channel
// that settles. In floating point equal flows may get rates that differ in the last bit; the simulator's
// precision merges their ends. A rate that changes by less than the rounding error is kept.
#include "sortlast/simulate/flow/fair_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sortlast::simulate {
namespace {

constexpr double rounding = 1e-12;
constexpr std::size_t ahead = 4;  // prefetch distance

}  // namespace

FairNetwork::FairNetwork(fabric::Channel channels, double capacity)
    : capacity_(capacity),
      members_(channels),
      channels_(static_cast<std::size_t>(channels) + 1),
      filling_(static_cast<std::size_t>(channels)) {}

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
  if (f >= flows_.size()) {
    flows_.resize(f + 1);
    open_.resize(f + 1);
  }
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

// Collects the flows that share channels with the flows that started or ended, transitively, and the channels
// that may limit them.
void FairNetwork::find_component() {
  if (members_.split() && open_shares_.empty()) {  // the first split flow
    open_shares_.resize(filling_.size());
    for (Filling& filling : filling_) filling.limits = true;
  }
  for (const fabric::Channel c : touched_) filling_[static_cast<std::size_t>(c)].limits = limits(c);
  limiting_ = 0;
  component_.clear();
  for (const fabric::Channel c : touched_) find_flows(c);
  for (std::size_t i = 0; i < limiting_; ++i) {
    if (i + ahead < limiting_) members_.fetch(channels_[i + ahead]);
    find_flows(channels_[i]);
  }
}

// Stops when all flows of the channel have been found, many of them through other channels.
void FairNetwork::find_flows(fabric::Channel c) {
  const Filling& filling = filling_[static_cast<std::size_t>(c)];
  const auto members = members_.members(c);
  const auto all = static_cast<std::int32_t>(members.size());
  for (std::size_t i = 0; filling.unsettled < all; ++i) {
    const std::int32_t flow = members[i].flow;
    std::uint8_t& open = open_[static_cast<std::size_t>(flow)];
    if (open) continue;
    if (i + ahead < members.size()) members_.fetch(members[i + ahead]);
    open = true;
    component_.push_back(flow);
    std::size_t limiting = limiting_;  // no branch for new channels: it would be unpredictable
    for (const ChannelMembers::Entry& entry : members_.path(flow)) {
      Filling& each = filling_[static_cast<std::size_t>(entry.channel)];
      channels_[limiting] = entry.channel;
      limiting += (each.unsettled++ == 0) & each.limits;
    }
    limiting_ = limiting;
  }
}

// Gives every flow of the component its rate.
void FairNetwork::fill() {
  // Open the channels that may limit flows.
  levels_.clear();
  for (std::size_t i = 0; i < limiting_; ++i) {
    const fabric::Channel c = channels_[i];
    const auto at = static_cast<std::size_t>(c);
    filling_[at].free = capacity(c);
    if (members_.split()) open_shares_[at] = members_.shares_on(c);
    levels_.add({share_of(c), c});
  }
  levels_.sort();

  // Settle the flows of the channel with the lowest share, repeatedly.
  double level = 0;
  while (!levels_.empty()) {
    const fabric::Channel c = levels_.pop().channel;
    if (filling_[static_cast<std::size_t>(c)].unsettled == 0) continue;
    const double share = share_of(c);
    if (share > levels_.lowest()) {
      levels_.put_back({share, c});
    } else {
      level = std::max(level, share);  // rounding must not lower it
      settle(c, level);
    }
  }

  // Flows that no channel limits get the maximum capacity.
  for (const std::int32_t flow : component_) {
    std::uint8_t& open = open_[static_cast<std::size_t>(flow)];
    if (!open) continue;
    open = false;
    flows_[static_cast<std::size_t>(flow)].fair = capacity_;
    for (const ChannelMembers::Entry& entry : members_.path(flow)) {
      filling_[static_cast<std::size_t>(entry.channel)].unsettled = 0;
    }
  }
}

double FairNetwork::share_of(fabric::Channel c) const {
  const auto at = static_cast<std::size_t>(c);
  return filling_[at].free / (members_.split() ? open_shares_[at] : filling_[at].unsettled);
}

void FairNetwork::settle(fabric::Channel c, double share) {
  const Filling& filling = filling_[static_cast<std::size_t>(c)];
  const auto members = members_.members(c);
  for (std::size_t i = 0; filling.unsettled > 0; ++i) {
    const auto flow = static_cast<std::size_t>(members[i].flow);
    if (!open_[flow]) continue;
    if (i + ahead < members.size()) members_.fetch(members[i + ahead]);
    open_[flow] = false;
    flows_[flow].fair = share;
    for (const ChannelMembers::Entry& entry : members_.path(members[i].flow)) {
      const auto at = static_cast<std::size_t>(entry.channel);
      --filling_[at].unsettled;
      if (members_.split()) {
        filling_[at].free -= share * members_.share(entry);
        open_shares_[at] -= members_.share(entry);
      } else {
        filling_[at].free -= share;
      }
    }
  }
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
         size(component_) + size(open_) + size(filling_) + size(open_shares_) + levels_.bytes() +
         size(capacities_);
}

}  // namespace sortlast::simulate
