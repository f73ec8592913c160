// A program as traffic, and traffic as a program.
//
// Sends and computations become messages; a receive is its message. The requirements of a receive are passed
// on to the actions that require it, and the requirements of an action to actions that need only its start. A
// chain of n such actions would pass on n^2 / 2 requirements; if one would pass on more than a few, an empty
// computation is inserted that waits for all of them. Time and memory therefore grow linearly with the
// program.
#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/program.hpp"
#include "sortlast/simulate/program/graph.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {
namespace {

using Kind = Program::Kind;

constexpr std::size_t most_passed_on = 8;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class Graph {
 public:
  explicit Graph(const Program& program) : program_(program), rank_(ranks_of(program)) {
    for (const Program::Action& action : program.actions) nodes_.push_back({action.kind});
  }

  Traffic traffic() {
    find_causes(in_order(program_));
    Traffic made;
    made.name = program_.name;
    made.tasks = program_.ranks;
    made.in_order = false;
    const std::vector<std::int32_t> node_of_message = number(made);
    const std::vector<std::int32_t> send = matching_sends(program_);
    for (std::size_t a = 0; a < send.size(); ++a) {
      if (send[a] >= 0) nodes_[a].message = nodes_[at(send[a])].message;
    }
    made.first_cause.push_back(0);
    for (const std::int32_t i : node_of_message) {
      const auto begin = static_cast<std::ptrdiff_t>(made.causes.size());
      for (const std::int32_t cause : nodes_[at(i)].causes) made.causes.push_back(nodes_[at(cause)].message);
      std::sort(made.causes.begin() + begin, made.causes.end());
      made.causes.erase(std::unique(made.causes.begin() + begin, made.causes.end()), made.causes.end());
      made.first_cause.push_back(static_cast<std::int64_t>(made.causes.size()));
    }
    return made;
  }

 private:
  struct Node {  // an action of the program, or after these an empty computation
    Kind kind = Kind::compute;
    Traffic::Message message = -1;
    std::vector<std::int32_t> causes = {};  // nodes that must have ended before it may start
  };

  // Whether the requirements of a node are passed on to a node that requires it.
  bool passes_on(const Program::Requirement& requirement) const {
    return requirement.start_only || nodes_[at(requirement.action)].kind == Kind::receive;
  }

  template <class Use>
  void for_requirements(std::int32_t action, const Use& use) const {
    const std::int64_t* const first = program_.first_requirement.data() + action;
    for (std::int64_t i = first[0]; i < first[1]; ++i) use(program_.requirements[at(i)]);
  }

  void find_causes(const std::vector<std::int32_t>& order) {
    // Mark the nodes with causes that are passed on to a message.
    std::vector<bool> passes(nodes_.size());
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
      if (nodes_[at(*i)].kind == Kind::receive && !passes[at(*i)]) continue;
      for_requirements(*i, [&](const Program::Requirement& requirement) {
        if (passes_on(requirement)) passes[at(requirement.action)] = true;
      });
    }

    for (const std::int32_t i : order) {
      std::vector<std::int32_t> causes;
      for_requirements(i, [&](const Program::Requirement& requirement) {
        if (!requirement.start_only) causes.push_back(requirement.action);
        if (!passes_on(requirement)) return;
        const std::vector<std::int32_t>& passed = nodes_[at(requirement.action)].causes;
        causes.insert(causes.end(), passed.begin(), passed.end());
      });
      std::sort(causes.begin(), causes.end());
      causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
      if (passes[at(i)] && causes.size() > most_passed_on) causes = {join(rank_[at(i)], causes)};
      nodes_[at(i)].causes = std::move(causes);
    }
  }

  // An empty computation at the rank.
  std::int32_t join(std::int32_t rank, std::vector<std::int32_t>& causes) {
    nodes_.push_back({.causes = std::move(causes)});
    rank_.push_back(rank);
    return static_cast<std::int32_t>(nodes_.size()) - 1;
  }

  // Numbers the messages by rank. Returns their nodes.
  std::vector<std::int32_t> number(Traffic& made) {
    std::vector<std::int32_t> order;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kind != Kind::receive) order.push_back(static_cast<std::int32_t>(i));
    }
    std::ranges::stable_sort(order, {}, [this](std::int32_t i) { return rank_[at(i)]; });
    for (const std::int32_t i : order) {
      const std::int32_t rank = rank_[at(i)];
      const bool added = at(i) >= program_.actions.size();
      made.first.resize(at(rank) + 1, made.messages());
      nodes_[at(i)].message = made.messages();
      made.destination.push_back(added ? rank : program_.actions[at(i)].peer);
      made.size.push_back(added ? 0 : program_.actions[at(i)].size);
    }
    made.first.resize(at(program_.ranks) + 1, made.messages());
    return order;
  }

  const Program& program_;
  std::vector<std::int32_t> rank_;  // by node
  std::vector<Node> nodes_;
};

// The actions of traffic: for each task and repetition its receives, then its sends and computations.
class Actions {
 public:
  explicit Actions(const Traffic& traffic)
      : traffic_(traffic), source_(sources(traffic)), received_(at(traffic.tasks)), action_(source_.size()) {
    for (Traffic::Message m = 0; m < traffic.messages(); ++m) {
      if (!computes(m)) received_[at(traffic.destination[at(m)])].push_back(m);
    }
  }

  Program program() {
    made_.name = traffic_.name;
    made_.ranks = traffic_.tasks;
    made_.first.push_back(0);
    made_.first_requirement.push_back(0);
    for (std::int32_t task = 0; task < traffic_.tasks; ++task) {
      before_ = -1;
      for (std::int64_t repeat = 0; repeat < traffic_.repeats; ++repeat) add(task);
      made_.first.push_back(size());
    }
    return std::move(made_);
  }

 private:
  bool computes(Traffic::Message m) const { return traffic_.destination[at(m)] == source_[at(m)]; }
  std::int32_t size() const { return static_cast<std::int32_t>(made_.actions.size()); }

  void add(std::int32_t task) {
    if (made_.actions.size() + received_[at(task)].size() + traffic_.destination.size() > INT32_MAX) {
      throw ArgumentError(traffic_.name + ": more than 2^31 - 1 sends, receives and computations");
    }
    const auto done = [this] {
      made_.first_requirement.push_back(static_cast<std::int64_t>(made_.requirements.size()));
    };
    for (const Traffic::Message m : received_[at(task)]) {
      action_[at(m)] = size();
      made_.actions.push_back({Kind::receive, source_[at(m)], traffic_.size[at(m)], m});
      done();
    }
    // Received messages differ from those sent or computed, so no message has two actions here.
    const Traffic::Message begin = traffic_.first[at(task)], end = traffic_.first[at(task) + 1];
    for (Traffic::Message m = begin; m < end; ++m) action_[at(m)] = size() + (m - begin);
    for (Traffic::Message m = begin; m < end; ++m) {
      const bool sends = !computes(m);
      if (traffic_.in_order && before_ >= 0) made_.requirements.push_back({before_});
      before_ = size();
      made_.actions.push_back({sends ? Kind::send : Kind::compute, traffic_.destination[at(m)],
                               traffic_.size[at(m)], sends ? m : 0});
      for (std::int64_t i = traffic_.first_cause[at(m)]; i < traffic_.first_cause[at(m) + 1]; ++i) {
        made_.requirements.push_back({action_[at(traffic_.causes[at(i)])]});
      }
      done();
    }
  }

  const Traffic& traffic_;
  std::vector<std::int32_t> source_;
  std::vector<std::vector<Traffic::Message>> received_;  // by task
  std::vector<std::int32_t> action_;                     // of the current task and repetition, by message
  std::int32_t before_ = -1;                             // last send or computation of the task
  Program made_;
};

}  // namespace

Traffic traffic_of(const Program& program) { return Graph(program).traffic(); }

Program program_of(const Traffic& traffic) {
  check(traffic);
  return Actions(traffic).program();
}

Traffic read_goal(std::string_view text, std::string name) {
  return traffic_of(read_program(text, std::move(name)));
}

void write_goal(const Traffic& traffic, std::ostream& out) { write_program(program_of(traffic), out); }

}  // namespace sortlast::simulate
