// GOAL is a graph a rank: labelled sends, receives and computations, and which requires which. Sends and
// computations become messages; a receive is its message, and whatever it requires itself is passed on to
// those that require it.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "sortlast/simulate/traffic.hpp"
#include "sortlast/simulate/traffic/lines.hpp"

namespace sortlast::simulate {
namespace {

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
  std::vector<Requirement> requires_;
};

using Words = std::vector<std::string_view>;

class GoalReader {
 public:
  GoalReader(std::string_view text, std::string name) : lines_(text, name), name_(std::move(name)) {}

  Traffic read() {
    Words words;
    if (!next(words) || words.size() != 2 || words[0] != "num_ranks") lines_.fail("expected 'num_ranks N'");
    ranks_ = lines_.small_number(words[1]);
    if (ranks_ < 1) lines_.fail("there are no ranks");
    read_.resize(static_cast<std::size_t>(ranks_));
    while (next(words)) read_rank(words);
    return traffic();
  }

 private:
  bool next(Words& words) { return lines_.next(words, "//"); }

  void read_rank(Words& words) {
    if (words.size() != 3 || words[0] != "rank" || words[2] != "{") lines_.fail("expected 'rank R {'");
    const std::int32_t rank = lines_.small_number(words[1]);
    if (rank >= ranks_) lines_.fail("rank " + std::to_string(rank) + " of " + std::to_string(ranks_));
    if (read_[static_cast<std::size_t>(rank)])
      lines_.fail("rank " + std::to_string(rank) + " is there twice");
    read_[static_cast<std::size_t>(rank)] = true;
    labels_.clear();
    for (;;) {
      if (!next(words)) lines_.fail("the block of rank " + std::to_string(rank) + " does not end");
      if (words[0] == "}") return;
      if (words.size() == 3 && (words[1] == "requires" || words[1] == "irequires")) {
        const Requirement required{node_of(words[2]), words[1] == "irequires"};
        nodes_[static_cast<std::size_t>(node_of(words[0]))].requires_.push_back(required);
      } else {
        read_action(words, rank);
      }
    }
  }

  std::int32_t node_of(std::string_view label) const {
    const auto found = labels_.find(std::string(label));
    if (found == labels_.end()) lines_.fail("no action has the label '" + std::string(label) + "'");
    return found->second;
  }

  // [label:] send|recv|calc ...
  void read_action(const Words& line, std::int32_t rank) {
    std::size_t at = 0;
    if (line[0].back() == ':') {
      const std::string label(line[0].substr(0, line[0].size() - 1));
      if (!labels_.emplace(label, static_cast<std::int32_t>(nodes_.size())).second) {
        lines_.fail("the label '" + label + "' is there twice");
      }
      at = 1;
    }
    const Words words(line.begin() + static_cast<std::ptrdiff_t>(at), line.end());
    if (words.empty()) lines_.fail("a label without an action");
    Node node;
    node.rank = node.peer = rank;
    std::size_t options = 2;
    if (words[0] == "calc" && words.size() >= 2) {
      node.kind = Kind::compute;
      node.size = lines_.number(words[1]);
    } else {
      const bool sends = words[0] == "send";
      if ((!sends && words[0] != "recv") || words.size() < 4 || words[2] != (sends ? "to" : "from")) {
        lines_.fail("expected 'send BYTESb to R', 'recv BYTESb from R', 'calc NS' or 'A requires B'");
      }
      node.kind = sends ? Kind::send : Kind::receive;
      node.size = lines_.number(words[1], "b");
      node.peer = lines_.small_number(words[3]);
      if (node.peer >= ranks_) lines_.fail("there is no rank " + std::to_string(node.peer));
      if (node.peer == rank)
        lines_.fail("rank " + std::to_string(rank) + " sends to or receives from itself");
      options = 4;
    }
    for (; options < words.size(); options += 2) {
      if (options + 1 == words.size()) lines_.fail("'" + std::string(words[options]) + "' has no value");
      const std::int64_t value = lines_.number(words[options + 1]);
      if (words[options] == "tag")
        node.tag = value;
      else if (words[options] != "cpu" && words[options] != "nic") {
        lines_.fail("'" + std::string(words[options]) + "' is none of tag, cpu, nic");
      }
    }
    nodes_.push_back(std::move(node));
  }

  // Number the messages by rank, in the order of the text, and give each receive its message.
  void number(Traffic& made) {
    std::vector<std::vector<std::int32_t>> by_rank(static_cast<std::size_t>(ranks_));
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      by_rank[static_cast<std::size_t>(nodes_[i].rank)].push_back(static_cast<std::int32_t>(i));
    }
    std::map<std::tuple<std::int32_t, std::int32_t, std::int64_t>, std::vector<std::int32_t>> sends;
    for (const std::vector<std::int32_t>& nodes : by_rank) {
      made.first.push_back(made.messages());
      for (const std::int32_t i : nodes) {
        Node& node = nodes_[static_cast<std::size_t>(i)];
        if (node.kind == Kind::receive) continue;
        node.message = made.messages();
        made.destination.push_back(node.peer);
        made.size.push_back(node.size);
        ends_.push_back(i);
        if (node.kind == Kind::send) sends[{node.rank, node.peer, node.tag}].push_back(i);
      }
    }
    made.first.push_back(made.messages());
    std::map<std::tuple<std::int32_t, std::int32_t, std::int64_t>, std::size_t> taken;
    for (Node& node : nodes_) {
      if (node.kind != Kind::receive) continue;
      const std::tuple key(node.peer, node.rank, node.tag);
      const std::size_t k = taken[key]++;
      const auto found = sends.find(key);
      const std::string pair = "rank " + std::to_string(node.rank) + " from rank " +
                               std::to_string(node.peer) + " (tag " + std::to_string(node.tag) + ")";
      if (found == sends.end() || k >= found->second.size()) {
        throw Error(name_ + ": a receive of " + pair + " has no send");
      }
      const Node& send = nodes_[static_cast<std::size_t>(found->second[k])];
      if (send.size != node.size) {
        throw Error(name_ + ": a receive of " + pair + " expects " + std::to_string(node.size) +
                    " bytes, and is sent " + std::to_string(send.size));
      }
      node.message = send.message;
    }
    for (const auto& [key, list] : sends) {
      if (taken[key] == list.size()) continue;
      throw Error(name_ + ": rank " + std::to_string(std::get<0>(key)) + " sends " +
                  std::to_string(list.size()) + " messages to rank " + std::to_string(std::get<1>(key)) +
                  " with tag " + std::to_string(std::get<2>(key)) + ", which receives " +
                  std::to_string(taken[key]));
    }
  }

  // Takes away, again and again, what requires nothing that is left.
  void refuse_circles() const {
    std::vector<std::vector<std::int32_t>> required_by(nodes_.size());
    std::vector<std::size_t> open(nodes_.size());
    std::vector<std::int32_t> free;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      open[i] = nodes_[i].requires_.size();
      if (open[i] == 0) free.push_back(static_cast<std::int32_t>(i));
      for (const Requirement& requirement : nodes_[i].requires_) {
        required_by[static_cast<std::size_t>(requirement.node)].push_back(static_cast<std::int32_t>(i));
      }
    }
    for (std::size_t at = 0; at < free.size(); ++at) {
      for (const std::int32_t i : required_by[static_cast<std::size_t>(free[at])]) {
        if (--open[static_cast<std::size_t>(i)] == 0) free.push_back(i);
      }
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (open[i] == 0) continue;
      throw Error(name_ + ": labels of rank " + std::to_string(nodes_[i].rank) +
                  " require each other in a circle");
    }
  }

  // What has to be over for a node to start: follows receives, and what need only have started, backwards.
  std::vector<Traffic::Message> causes_of(std::int32_t start) const {
    std::vector<Traffic::Message> causes;
    std::vector<std::int32_t> open{start}, seen{start};
    while (!open.empty()) {
      const Node& node = nodes_[static_cast<std::size_t>(open.back())];
      open.pop_back();
      for (const Requirement& requirement : node.requires_) {
        const Node& required = nodes_[static_cast<std::size_t>(requirement.node)];
        if (!requirement.start_only) causes.push_back(required.message);
        const bool passes_on = required.kind == Kind::receive || requirement.start_only;
        if (!passes_on || std::find(seen.begin(), seen.end(), requirement.node) != seen.end()) continue;
        seen.push_back(requirement.node);
        open.push_back(requirement.node);
      }
    }
    std::sort(causes.begin(), causes.end());
    causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
    return causes;
  }

  Traffic traffic() {
    Traffic made;
    made.name = name_;
    made.tasks = ranks_;
    made.in_order = false;
    number(made);
    refuse_circles();
    made.first_cause.push_back(0);
    for (const std::int32_t node : ends_) {
      const std::vector<Traffic::Message> causes = causes_of(node);
      made.causes.insert(made.causes.end(), causes.begin(), causes.end());
      made.first_cause.push_back(static_cast<std::int64_t>(made.causes.size()));
    }
    return made;
  }

  Lines lines_;
  std::string name_;
  std::int32_t ranks_ = 0;
  std::vector<bool> read_;  // by rank
  std::unordered_map<std::string, std::int32_t> labels_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> ends_;  // by message: its node
};

}  // namespace

Traffic read_goal(std::string_view text, std::string name) {
  return GoalReader(text, std::move(name)).read();
}

}  // namespace sortlast::simulate
