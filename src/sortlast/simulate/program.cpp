#include "sortlast/simulate/program.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/program/graph.hpp"

namespace sortlast::simulate {
namespace {

using Kind = Program::Kind;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Throws ArgumentError if the arrays do not fit together.
void check_arrays(const Program& program) {
  const auto count = static_cast<std::int64_t>(program.actions.size());
  const auto fail = [&](const std::string& what) { throw ArgumentError(program.name + ": " + what); };
  if (program.ranks < 1) fail(std::to_string(program.ranks) + " ranks; expected 1 or more");
  if (program.first.size() != at(program.ranks) + 1 || program.first.front() != 0 ||
      program.first.back() != count || !std::is_sorted(program.first.begin(), program.first.end())) {
    fail("first does not split the actions among the ranks");
  }
  if (program.first_requirement.size() != at(count) + 1 || program.first_requirement.front() != 0 ||
      program.first_requirement.back() != static_cast<std::int64_t>(program.requirements.size()) ||
      !std::is_sorted(program.first_requirement.begin(), program.first_requirement.end())) {
    fail("first_requirement does not split the requirements among the actions");
  }
}

void check_actions(const Program& program) {
  for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
    const std::int32_t begin = program.first[at(rank)], end = program.first[at(rank) + 1];
    for (std::int32_t a = begin; a < end; ++a) {
      const auto fail = [&](const std::string& what) {
        throw ArgumentError(program.name + ": action " + std::to_string(a) + " of rank " +
                            std::to_string(rank) + " " + what);
      };
      const Program::Action& action = program.actions[at(a)];
      const bool receives = action.kind == Kind::receive;
      const bool from_any = receives && action.peer == Program::any;
      if (!from_any && (action.peer < 0 || action.peer >= program.ranks)) {
        fail("has the peer " + std::to_string(action.peer) + " of " + std::to_string(program.ranks));
      }
      if ((action.peer == rank) != (action.kind == Kind::compute)) {
        fail(action.kind == Kind::compute ? "computes and has another rank as its peer"
                                          : "sends to or receives from itself");
      }
      if (action.tag < 0 && !(receives && action.tag == Program::any)) {
        fail("has the tag " + std::to_string(action.tag));
      }
      if (action.size < 0) fail("has the size " + std::to_string(action.size));
      for (const std::int32_t unit : {action.cpu, action.nic}) {
        if (unit < 0 || unit >= Program::most_units) fail("uses CPU or NIC " + std::to_string(unit));
      }
      for (std::int64_t i = program.first_requirement[at(a)]; i < program.first_requirement[at(a) + 1]; ++i) {
        const std::int32_t required = program.requirements[at(i)].action;
        if (required < begin || required >= end) {
          fail("requires action " + std::to_string(required) + ", which is not of its rank");
        }
      }
    }
  }
}

}  // namespace

std::vector<std::int32_t> ranks_of(const Program& program) {
  std::vector<std::int32_t> ranks(program.actions.size());
  for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
    std::fill(ranks.begin() + program.first[at(rank)], ranks.begin() + program.first[at(rank) + 1], rank);
  }
  return ranks;
}

Requirers::Requirers(const Program& program)
    : first_(program.actions.size() + 1), requirers_(program.requirements.size()) {
  for (const Program::Requirement& required : program.requirements) ++first_[at(required.action) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t a = 0; a < program.actions.size(); ++a) {
    for (std::int64_t i = program.first_requirement[a]; i < program.first_requirement[a + 1]; ++i) {
      const Program::Requirement& required = program.requirements[at(i)];
      requirers_[at(next[at(required.action)]++)] = {static_cast<std::int32_t>(a), required.start_only};
    }
  }
}

// Repeatedly removes actions without remaining requirements.
std::vector<std::int32_t> in_order(const Program& program) {
  const std::size_t count = program.actions.size();
  const Requirers requirers(program);
  std::vector<std::int64_t> open(count);
  std::vector<std::int32_t> order;
  for (std::size_t a = 0; a < count; ++a) {
    open[a] = program.first_requirement[a + 1] - program.first_requirement[a];
    if (open[a] == 0) order.push_back(static_cast<std::int32_t>(a));
  }
  for (std::size_t done = 0; done < order.size(); ++done) {
    for (const Program::Requirement& dependent : requirers.of(order[done])) {
      if (--open[at(dependent.action)] == 0) order.push_back(dependent.action);
    }
  }
  if (order.size() == count) return order;
  const auto stuck = std::find_if(open.begin(), open.end(), [](std::int64_t left) { return left > 0; });
  throw Error(program.name + ": labels of rank " +
              std::to_string(ranks_of(program)[at(stuck - open.begin())]) +
              " require each other in a circle");
}

std::vector<std::int32_t> channels_of(const Program& program) {
  const std::vector<std::int32_t> rank = ranks_of(program);
  const auto key = [&](std::int32_t a) {
    const Program::Action& action = program.actions[at(a)];
    const bool sends = action.kind == Kind::send;
    return std::tuple(sends ? rank[at(a)] : action.peer, sends ? action.peer : rank[at(a)], action.tag);
  };
  std::vector<std::int32_t> order;
  for (std::size_t a = 0; a < program.actions.size(); ++a) {
    if (program.actions[a].kind != Kind::compute) order.push_back(static_cast<std::int32_t>(a));
  }
  std::ranges::sort(order, {}, key);
  std::vector<std::int32_t> channel(program.actions.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int32_t before = i == 0 ? -1 : channel[at(order[i - 1])];
    channel[at(order[i])] = i > 0 && key(order[i - 1]) == key(order[i]) ? before : before + 1;
  }
  return channel;
}

bool receives_any(const Program& program) {
  return std::ranges::any_of(program.actions, [](const Program::Action& action) {
    return action.kind == Kind::receive && (action.peer == Program::any || action.tag == Program::any);
  });
}

namespace {

// By rank, whether one of its receives accepts any message. Throws Error if such a rank is sent another
// number of messages than it receives.
std::vector<bool> ranks_that_receive_any(const Program& program, const std::vector<std::int32_t>& rank) {
  std::vector<bool> any(at(program.ranks));
  std::vector<std::int64_t> sent(any.size()), received(any.size());
  for (std::size_t a = 0; a < program.actions.size(); ++a) {
    const Program::Action& action = program.actions[a];
    if (action.kind == Kind::send) ++sent[at(action.peer)];
    if (action.kind != Kind::receive) continue;
    ++received[at(rank[a])];
    if (action.peer == Program::any || action.tag == Program::any) any[at(rank[a])] = true;
  }
  for (std::size_t r = 0; r < any.size(); ++r) {
    if (!any[r] || sent[r] == received[r]) continue;
    throw Error(program.name + ": rank " + std::to_string(r) + " is sent " + std::to_string(sent[r]) +
                " messages and receives " + std::to_string(received[r]));
  }
  return any;
}

// matching_sends() by the order of the program, without ranks that receive any.
std::vector<std::int32_t> matches_in_order(const Program& program) {
  const std::vector<std::int32_t> rank = ranks_of(program), channel = channels_of(program);
  const std::vector<bool> any = ranks_that_receive_any(program, rank);
  const auto channels =
      static_cast<std::size_t>(channel.empty() ? 0 : 1 + *std::max_element(channel.begin(), channel.end()));

  // The sends of each channel, in the order of the program, as a list.
  std::vector<std::int32_t> first(channels, -1), last(channels, -1), next(program.actions.size(), -1);
  for (std::size_t a = 0; a < program.actions.size(); ++a) {
    if (program.actions[a].kind != Kind::send || any[at(program.actions[a].peer)]) continue;
    std::int32_t& end = last[at(channel[a])];
    (end < 0 ? first[at(channel[a])] : next[at(end)]) = static_cast<std::int32_t>(a);
    end = static_cast<std::int32_t>(a);
  }

  // Give each receive the next send of its channel.
  std::vector<std::int32_t> match(program.actions.size(), -1);
  for (std::size_t a = 0; a < program.actions.size(); ++a) {
    const Program::Action& action = program.actions[a];
    if (action.kind != Kind::receive || any[at(rank[a])]) continue;
    std::int32_t& send = first[at(channel[a])];
    const auto fail = [&](const std::string& what) {
      throw Error(program.name + ": a receive of rank " + std::to_string(rank[a]) + " from rank " +
                  std::to_string(action.peer) + " (tag " + std::to_string(action.tag) + ") " + what);
    };
    if (send < 0) fail("has no send");
    match[a] = std::exchange(send, next[at(send)]);
    const std::int64_t sent = program.actions[at(match[a])].size;
    if (sent != action.size) {
      fail("expects " + std::to_string(action.size) + " bytes, and is sent " + std::to_string(sent));
    }
  }
  for (const std::int32_t left : first) {
    if (left < 0) continue;
    const Program::Action& send = program.actions[at(left)];
    std::int64_t sent = 0, received = 0;
    for (std::size_t a = 0; a < program.actions.size(); ++a) {
      if (channel[a] != channel[at(left)]) continue;
      ++(program.actions[a].kind == Kind::send ? sent : received);
    }
    throw Error(program.name + ": rank " + std::to_string(rank[at(left)]) + " sends " + std::to_string(sent) +
                " messages to rank " + std::to_string(send.peer) + " with tag " + std::to_string(send.tag) +
                ", which receives " + std::to_string(received));
  }
  return match;
}

}  // namespace

std::vector<std::int32_t> matching_sends(const Program& program) {
  std::vector<std::int32_t> match = matches_in_order(program);
  return receives_any(program) ? matches_in_time(program) : match;
}

void check(const Program& program) {
  check_arrays(program);
  check_actions(program);
  (void)in_order(program);
  (void)matches_in_order(program);
}

}  // namespace sortlast::simulate
