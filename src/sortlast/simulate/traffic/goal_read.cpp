// GOAL is a graph a rank: labelled sends, receives and computations, and which requires which.
//
// Sends and computations become messages; a receive is its message. What a receive requires itself is passed
// on to those that require it, and what an action requires to those that need only its start (irequires). A
// chain of n such actions would pass on n^2 / 2 requirements: where one would pass on more than a few, a
// computation of no time stands between, which waits for them all. So time and memory grow as the file does.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/scan.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {
namespace {

constexpr std::int64_t most_ranks = 1 << 20;
constexpr std::size_t most_passed_on = 8;

enum class Kind : std::uint8_t { send, receive, compute };

struct Requirement {
  std::int32_t node = 0;
  bool start_only = false;  // irequires: the other need only have started
};

struct Node {
  Kind kind = Kind::send;
  std::int32_t rank = 0, peer = 0;
  std::int64_t size = 0, tag = 0;
  Traffic::Message message = -1;
  std::vector<Requirement> requires_ = {};
  std::vector<std::int32_t> causes = {};  // nodes that have to be over for it to start
};

using Words = std::vector<std::string_view>;

// The text with blanks in the place of comments between /* and */, so that lines keep their numbers.
std::string without_comments(std::string_view text, const std::string& name) {
  std::string plain(text);
  std::size_t at = 0;
  while ((at = plain.find('/', at)) < plain.size()) {
    if (plain.compare(at, 2, "//") == 0) {
      at = std::min(plain.find('\n', at), plain.size());
    } else if (plain.compare(at, 2, "/*") == 0) {
      const std::size_t end = plain.find("*/", at + 2);
      if (end == std::string::npos) {
        const auto line =
            1 + std::count(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        throw Error(name + ":" + std::to_string(line) + ": the comment that begins with /* does not end");
      }
      for (; at < end + 2; ++at) {
        if (plain[at] != '\n') plain[at] = ' ';
      }
    } else {
      ++at;
    }
  }
  return plain;
}

// The text, as nodes in its order.
class GoalText {
 public:
  GoalText(std::string_view text, const std::string& name) : scan_(text, name) {}

  void read() {
    Words words;
    if (!next(words) || words.size() != 2 || words[0] != "num_ranks") scan_.fail("expected 'num_ranks N'");
    ranks = static_cast<std::int32_t>(scan_.number(words[1], "", most_ranks));
    if (ranks < 1) scan_.fail("there are no ranks");
    seen_.resize(static_cast<std::size_t>(ranks));
    while (next(words)) read_rank(words);
  }

  std::int32_t ranks = 0;
  std::vector<Node> nodes;

 private:
  bool next(Words& words) { return scan_.next_words(words, "//"); }
  std::int32_t rank_of(std::string_view word) const {
    return static_cast<std::int32_t>(scan_.number(word, "", most_ranks));
  }

  void read_rank(Words& words) {
    if (words.size() != 3 || words[0] != "rank" || words[2] != "{") scan_.fail("expected 'rank R {'");
    const std::int32_t rank = rank_of(words[1]);
    const std::string name = "rank " + std::to_string(rank);
    if (rank >= ranks) scan_.fail(name + " of " + std::to_string(ranks));
    if (seen_[static_cast<std::size_t>(rank)]) scan_.fail(name + " is there twice");
    seen_[static_cast<std::size_t>(rank)] = true;
    labels_.clear();
    while (next(words)) {
      if (words[0] == "}") return;
      if (words.size() == 3 && (words[1] == "requires" || words[1] == "irequires")) {
        const Requirement required{node_of(words[2]), words[1] == "irequires"};
        nodes[static_cast<std::size_t>(node_of(words[0]))].requires_.push_back(required);
      } else {
        read_action(words, rank);
      }
    }
    scan_.fail("the block of " + name + " does not end");
  }

  std::int32_t node_of(std::string_view label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end()) scan_.fail("no action has the label '" + excerpt(label) + "'");
    return found->second;
  }

  // [label:] send|recv|calc ...
  void read_action(Words& words, std::int32_t rank) {
    if (words[0].back() == ':') {
      const std::string_view label = words[0].substr(0, words[0].size() - 1);
      if (!labels_.emplace(label, static_cast<std::int32_t>(nodes.size())).second) {
        scan_.fail("the label '" + excerpt(label) + "' is there twice");
      }
      words.erase(words.begin());
    }
    if (words.empty()) scan_.fail("a label without an action");
    Node node{.rank = rank, .peer = rank};
    std::size_t options = 2;
    if (words[0] == "calc" && words.size() >= 2) {
      node.kind = Kind::compute;
      node.size = scan_.number(words[1]);
    } else {
      read_message(words, node);
      options = 4;
    }
    for (; options < words.size(); options += 2) {
      if (options + 1 == words.size()) scan_.fail("'" + excerpt(words[options]) + "' has no value");
      const std::int64_t value = scan_.number(words[options + 1]);
      if (words[options] == "tag") {
        node.tag = value;
      } else if (words[options] != "cpu" && words[options] != "nic") {
        scan_.fail("'" + excerpt(words[options]) + "' is none of tag, cpu, nic");
      }
    }
    nodes.push_back(std::move(node));
  }

  void read_message(const Words& words, Node& node) const {
    const bool sends = words[0] == "send";
    if ((!sends && words[0] != "recv") || words.size() < 4 || words[2] != (sends ? "to" : "from")) {
      scan_.fail("expected 'send BYTESb to R', 'recv BYTESb from R', 'calc NS' or 'A requires B'");
    }
    node.kind = sends ? Kind::send : Kind::receive;
    node.size = scan_.number(words[1], "b");
    node.peer = rank_of(words[3]);
    if (node.peer >= ranks) scan_.fail("there is no rank " + std::to_string(node.peer));
    if (node.peer == node.rank) {
      scan_.fail("rank " + std::to_string(node.rank) + " sends to or receives from itself");
    }
  }

  Scanner scan_;
  std::vector<bool> seen_;                                     // by rank
  std::unordered_map<std::string_view, std::int32_t> labels_;  // of the present rank
};

// The nodes, as traffic.
class Graph {
 public:
  Graph(std::vector<Node> nodes, std::int32_t ranks, std::string name)
      : nodes_(std::move(nodes)), ranks_(ranks), name_(std::move(name)) {}

  Traffic traffic() {
    find_causes(in_order());
    Traffic made;
    made.name = name_;
    made.tasks = ranks_;
    made.in_order = false;
    const std::vector<std::int32_t> node_of_message = number(made);
    match_receives();
    made.first_cause.push_back(0);
    for (const std::int32_t i : node_of_message) {
      const auto begin = static_cast<std::ptrdiff_t>(made.causes.size());
      for (const std::int32_t cause : at(i).causes) made.causes.push_back(at(cause).message);
      std::sort(made.causes.begin() + begin, made.causes.end());
      made.causes.erase(std::unique(made.causes.begin() + begin, made.causes.end()), made.causes.end());
      made.first_cause.push_back(static_cast<std::int64_t>(made.causes.size()));
    }
    return made;
  }

 private:
  Node& at(std::int32_t i) { return nodes_[static_cast<std::size_t>(i)]; }

  // Whether what a node requires is passed on to one that requires it.
  bool passes_on(const Requirement& requirement) {
    return requirement.start_only || at(requirement.node).kind == Kind::receive;
  }

  // Every node after those that it requires. Takes away, again and again, what requires nothing that is left.
  std::vector<std::int32_t> in_order() const {
    std::vector<std::vector<std::int32_t>> required_by(nodes_.size());
    std::vector<std::size_t> open(nodes_.size());
    std::vector<std::int32_t> order;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      open[i] = nodes_[i].requires_.size();
      if (open[i] == 0) order.push_back(static_cast<std::int32_t>(i));
      for (const Requirement& requirement : nodes_[i].requires_) {
        required_by[static_cast<std::size_t>(requirement.node)].push_back(static_cast<std::int32_t>(i));
      }
    }
    for (std::size_t done = 0; done < order.size(); ++done) {
      for (const std::int32_t i : required_by[static_cast<std::size_t>(order[done])]) {
        if (--open[static_cast<std::size_t>(i)] == 0) order.push_back(i);
      }
    }
    if (order.size() == nodes_.size()) return order;
    const auto stuck = std::find_if(open.begin(), open.end(), [](std::size_t left) { return left > 0; });
    throw Error(name_ + ": labels of rank " +
                std::to_string(nodes_[static_cast<std::size_t>(stuck - open.begin())].rank) +
                " require each other in a circle");
  }

  void find_causes(const std::vector<std::int32_t>& order) {
    // Mark the nodes whose causes are passed on to a message.
    std::vector<bool> passes(nodes_.size());
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
      if (at(*i).kind == Kind::receive && !passes[static_cast<std::size_t>(*i)]) continue;
      for (const Requirement& requirement : at(*i).requires_) {
        if (passes_on(requirement)) passes[static_cast<std::size_t>(requirement.node)] = true;
      }
    }

    for (const std::int32_t i : order) {
      std::vector<std::int32_t> causes;
      for (const Requirement& requirement : at(i).requires_) {
        if (!requirement.start_only) causes.push_back(requirement.node);
        if (!passes_on(requirement)) continue;
        const std::vector<std::int32_t>& passed = at(requirement.node).causes;
        causes.insert(causes.end(), passed.begin(), passed.end());
      }
      std::sort(causes.begin(), causes.end());
      causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
      if (passes[static_cast<std::size_t>(i)] && causes.size() > most_passed_on) causes = {join(i, causes)};
      at(i).causes = std::move(causes);
    }
  }

  // A computation of no time at the rank of node i.
  std::int32_t join(std::int32_t i, std::vector<std::int32_t>& causes) {
    const std::int32_t rank = at(i).rank;
    nodes_.push_back({.kind = Kind::compute, .rank = rank, .peer = rank, .causes = std::move(causes)});
    return static_cast<std::int32_t>(nodes_.size()) - 1;
  }

  // Numbers the messages by rank, in the order of the text. Returns their nodes.
  std::vector<std::int32_t> number(Traffic& made) {
    std::vector<std::int32_t> order;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kind != Kind::receive) order.push_back(static_cast<std::int32_t>(i));
    }
    std::ranges::stable_sort(order, {}, [this](std::int32_t i) { return at(i).rank; });
    for (const std::int32_t i : order) {
      Node& node = at(i);
      made.first.resize(static_cast<std::size_t>(node.rank) + 1, made.messages());
      node.message = made.messages();
      made.destination.push_back(node.peer);
      made.size.push_back(node.size);
    }
    made.first.resize(static_cast<std::size_t>(ranks_) + 1, made.messages());
    return order;
  }

  // Gives the k-th receive of a pair and tag the message of the k-th send.
  void match_receives() {
    struct Messages {
      std::vector<std::int32_t> sends;  // nodes
      std::size_t received = 0;
    };
    std::map<std::tuple<std::int32_t, std::int32_t, std::int64_t>, Messages> all;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      if (node.kind == Kind::send)
        all[{node.rank, node.peer, node.tag}].sends.push_back(static_cast<std::int32_t>(i));
    }
    for (Node& node : nodes_) {
      if (node.kind != Kind::receive) continue;
      Messages& messages = all[{node.peer, node.rank, node.tag}];
      const std::string receive = name_ + ": a receive of rank " + std::to_string(node.rank) + " from rank " +
                                  std::to_string(node.peer) + " (tag " + std::to_string(node.tag) + ")";
      if (messages.received == messages.sends.size()) throw Error(receive + " has no send");
      const Node& send = at(messages.sends[messages.received++]);
      if (send.size != node.size) {
        throw Error(receive + " expects " + std::to_string(node.size) + " bytes, and is sent " +
                    std::to_string(send.size));
      }
      node.message = send.message;
    }
    for (const auto& [key, messages] : all) {
      if (messages.received == messages.sends.size()) continue;
      const auto& [from, to, tag] = key;
      throw Error(name_ + ": rank " + std::to_string(from) + " sends " +
                  std::to_string(messages.sends.size()) + " messages to rank " + std::to_string(to) +
                  " with tag " + std::to_string(tag) + ", which receives " +
                  std::to_string(messages.received));
    }
  }

  std::vector<Node> nodes_;
  std::int32_t ranks_;
  std::string name_;
};

}  // namespace

Traffic read_goal(std::string_view text, std::string name) {
  const bool commented = text.find("/*") != std::string_view::npos;
  const std::string plain = commented ? without_comments(text, name) : std::string();
  GoalText goal(commented ? plain : text, name);
  goal.read();
  return Graph(std::move(goal.nodes), goal.ranks, std::move(name)).traffic();
}

}  // namespace sortlast::simulate
