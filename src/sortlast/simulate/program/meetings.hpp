// Meetings: waiting messages and receives of a running program, and their matches.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "sortlast/simulate/program.hpp"
#include "sortlast/simulate/program/graph.hpp"

namespace sortlast::simulate {

// A receive takes the message that has waited longest among its matches, and a message the receive that has
// waited longest. A message waits in the channel of its sender, receiver and tag and, if its receiver accepts
// messages from any rank or with any tag, also in the channels of those receives; it is `taken` in all of
// them at once.
class Meetings {
 public:
  explicit Meetings(const Program& program)
      : program_(program), channel_(channels_of(program)), order_(program.actions.size()) {
    std::int32_t channels = 0;
    for (const std::int32_t channel : channel_) channels = std::max(channels, channel + 1);
    channels_.resize(at(channels));
    if (receives_any(program)) find_others();
    next_.resize(slots() * program.actions.size(), -1);
    taken_.resize(others_.size());
  }

  // The action that waits for this one, and is removed from its channels; -1: none.
  std::int32_t take(std::int32_t a) {
    if (receives(a)) return take_message(channels_[at(channel_[at(a)])]);
    Channel* oldest = nullptr;
    for (std::size_t slot = 0; slot < slots(); ++slot) {
      const std::int32_t number = channel(a, slot);
      if (number < 0 || channels_[at(number)].first < 0 || !channels_[at(number)].receives) continue;
      Channel& here = channels_[at(number)];
      if (oldest == nullptr || order_[action(here.first)] < order_[action(oldest->first)]) oldest = &here;
    }
    return oldest == nullptr ? -1 : pop(*oldest);
  }

  void wait(std::int32_t a) {
    order_[at(a)] = ++waited_;
    for (std::size_t slot = 0; slot < (receives(a) ? 1 : slots()); ++slot) {
      const std::int32_t number = channel(a, slot);
      if (number < 0) continue;
      Channel& here = channels_[at(number)];
      const auto entry = static_cast<std::int64_t>(at(a) * slots() + slot);
      next_[at(entry)] = -1;
      (here.first < 0 ? here.first : next_[at(here.last)]) = entry;
      here.last = entry;
      here.receives = receives(a);
    }
  }

  // An action waiting in the first channel that is not empty; -1: nothing waits.
  std::int32_t waiting() {
    for (Channel& here : channels_) {
      drop_taken(here);
      if (here.first >= 0) return static_cast<std::int32_t>(action(here.first));
    }
    return -1;
  }

 private:
  struct Channel {
    std::int64_t first = -1, last = -1;  // entries, linked by next_
    bool receives = false;               // kind of the waiting actions; a channel never holds both
  };

  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  bool receives(std::int32_t a) const { return program_.actions[at(a)].kind == Program::Kind::receive; }
  std::size_t slots() const { return others_.empty() ? 1 : 4; }
  std::size_t action(std::int64_t entry) const { return at(entry) / slots(); }
  std::int32_t channel(std::int32_t a, std::size_t slot) const {
    return slot == 0 ? channel_[at(a)] : others_[at(a)][slot - 1];
  }

  // The channels of receives from any rank, with any tag, or both, for each send that they match.
  void find_others() {
    constexpr std::int32_t any = Program::any;
    using Key = std::tuple<std::int32_t, std::int32_t, std::int64_t>;  // sender, receiver, tag
    const std::vector<std::int32_t> rank = ranks_of(program_);
    std::map<Key, std::int32_t> known;
    for (std::size_t a = 0; a < program_.actions.size(); ++a) {
      const Program::Action& action = program_.actions[a];
      if (action.kind != Program::Kind::receive || (action.peer != any && action.tag != any)) continue;
      known.emplace(Key{action.peer, rank[a], action.tag}, channel_[a]);
    }
    others_.resize(program_.actions.size(), {-1, -1, -1});
    for (std::size_t a = 0; a < program_.actions.size(); ++a) {
      const Program::Action& action = program_.actions[a];
      if (action.kind != Program::Kind::send) continue;
      const std::array<Key, 3> keys{Key{any, action.peer, action.tag}, Key{rank[a], action.peer, any},
                                    Key{any, action.peer, any}};
      for (std::size_t k = 0; k < keys.size(); ++k) {
        if (const auto found = known.find(keys[k]); found != known.end()) others_[a][k] = found->second;
      }
    }
  }

  std::int32_t take_message(Channel& here) {
    drop_taken(here);
    return here.first < 0 || here.receives ? -1 : pop(here);
  }

  void drop_taken(Channel& here) {
    if (taken_.empty()) return;
    while (here.first >= 0 && taken_[action(here.first)]) here.first = next_[at(here.first)];
  }

  std::int32_t pop(Channel& here) {
    const std::size_t a = action(here.first);
    here.first = next_[at(here.first)];
    if (!taken_.empty()) taken_[a] = true;
    return static_cast<std::int32_t>(a);
  }

  const Program& program_;
  std::vector<std::int32_t> channel_;                // by action
  std::vector<std::array<std::int32_t, 3>> others_;  // by action; empty: no receive takes any
  std::vector<Channel> channels_;
  std::vector<std::int64_t> next_;   // by entry: action times slots plus slot
  std::vector<std::int64_t> order_;  // by action: when it started to wait
  std::vector<bool> taken_;          // by action
  std::int64_t waited_ = 0;
};

}  // namespace sortlast::simulate
