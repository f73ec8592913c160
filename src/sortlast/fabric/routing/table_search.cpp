// The data of a table search: classes of flows, the entries that they may use, and the flows on channels.
//
// The bound of a stage is a count of flows over a cut. A host's own link carries all that the host sends. All
// traffic from below a level of the tree to the rest goes up by the links that lead out, so one of them
// carries at least the number of flows divided by the number of links; the same holds for incoming traffic.
// In a tree of two levels with one link between each leaf and root some table always reaches the bound of a
// single stage (see edge_colouring.cpp); if several stages share classes, there may be no table that reaches
// all bounds.
#include "sortlast/fabric/table_search.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/routing/up_down_tree.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int64_t most_slots = std::int64_t{1} << 27;    // stages times channels
constexpr std::int64_t most_classes = std::int64_t{1} << 22;  // classes, and entries

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

ArgumentError too_large(const std::string& what, std::int64_t count, std::int64_t most) {
  return ArgumentError("the search for tables would hold " + std::to_string(count) + " " + what +
                       "; it takes up to " + std::to_string(most) + ": give fewer nodes or schedules");
}

// Flows of a stage over every cut of the tree.
class CutFlows {
 public:
  CutFlows(const Topology& topology, const UpDownTree& tree)
      : tree_(tree), sent_(at(topology.hosts())), received_(at(topology.hosts())) {
    for (const UpDownTree::Parts& parts : tree.parts()) {
      out_.emplace_back(parts.links.size());
      in_.emplace_back(parts.links.size());
    }
  }

  void add(const Topology& topology, std::int32_t source, std::int32_t destination) {
    most_of_hosts_ = std::max({most_of_hosts_, ++sent_[at(source)], ++received_[at(destination)]});
    const std::int32_t from = topology.switch_of(topology.attachment(source).vertex);
    const std::int32_t to = topology.switch_of(topology.attachment(destination).vertex);
    for (std::size_t level = 0; level < out_.size(); ++level) {
      const std::int32_t a = tree_.parts()[level].of[at(from)], b = tree_.parts()[level].of[at(to)];
      if (a == b) continue;
      if (a >= 0) ++out_[level][at(a)];
      if (b >= 0) ++in_[level][at(b)];
    }
  }

  std::int32_t most_of_hosts() const { return most_of_hosts_; }

  std::int32_t bound() const {
    std::int64_t most = most_of_hosts_;
    for (std::size_t level = 0; level < out_.size(); ++level) {
      const std::vector<std::int64_t>& links = tree_.parts()[level].links;
      for (std::size_t part = 0; part < links.size(); ++part) {
        if (links[part] == 0) continue;
        const std::int64_t flows = std::max(out_[level][part], in_[level][part]);
        most = std::max(most, (flows + links[part] - 1) / links[part]);
      }
    }
    return static_cast<std::int32_t>(most);
  }

 private:
  const UpDownTree& tree_;
  std::vector<std::int32_t> sent_, received_;        // by host
  std::vector<std::vector<std::int64_t>> out_, in_;  // by level, by part
  std::int32_t most_of_hosts_ = 0;
};

}  // namespace

TableSearch::TableSearch(Routes base, const std::vector<std::shared_ptr<const Pattern>>& patterns,
                         const Placement& placement)
    : base_(std::move(base)) {
  const Topology& topology = *base_.topology;
  if (base_.forwarding->planes() != 1) {
    throw ArgumentError("tables for schedules have one plane, and those to begin with have " +
                        std::to_string(base_.forwarding->planes()));
  }
  for (const std::int32_t host : placement) {
    if (host >= -1 && host < topology.hosts()) continue;
    throw ArgumentError("host " + std::to_string(host) + " does not exist: there are " +
                        std::to_string(topology.hosts()));
  }
  UpDownTree tree(topology);
  classes_to_.resize(at(topology.hosts()));
  for (const auto& pattern : patterns) collect(*pattern, placement, tree);
  make_entries(tree);
  begin_at_base();
}

void TableSearch::collect(const Pattern& pattern, const Placement& placement, UpDownTree& tree) {
  if (static_cast<std::size_t>(pattern.participants()) != placement.size()) {
    throw ArgumentError(pattern.name() + " is for " + std::to_string(pattern.participants()) +
                        " participants, and the placement has " + std::to_string(placement.size()));
  }
  const Topology& topology = *base_.topology;
  for (std::int64_t stage = 0; stage < pattern.stages(); ++stage) {
    CutFlows cuts(topology, tree);
    std::int64_t longest = 0;
    classes_at_.emplace_back();
    for (const Flow& flow : pattern.flows(stage)) {
      const std::int32_t source = placement[at(flow.source)], destination = placement[at(flow.destination)];
      if (source < 0 || destination < 0 || source == destination) continue;
      cuts.add(topology, source, destination);
      add_flow(source, destination);
      longest = std::max(longest, flow.bytes);
    }
    bound_.push_back(cuts.bound());
    host_flows_.push_back(cuts.most_of_hosts());
    bytes_.push_back(longest * pattern.repeats(stage));
  }
}

// Adds a flow to the stage collected last.
void TableSearch::add_flow(std::int32_t source, std::int32_t destination) {
  const Topology& topology = *base_.topology;
  const std::int32_t from = topology.switch_of(topology.attachment(source).vertex);
  if (from == topology.switch_of(topology.attachment(destination).vertex)) return;

  const std::int64_t key = std::int64_t{destination} * topology.switches() + from;
  const auto [found, is_new] = class_number_.try_emplace(key, static_cast<std::int32_t>(classes_.size()));
  if (is_new) {
    if (std::ssize(classes_) == most_classes) throw too_large("ways", most_classes + 1, most_classes);
    classes_.push_back({from, {}});  // the switch, until there is an entry
    classes_to_[at(destination)].push_back(found->second);
  }
  const auto stage = static_cast<std::int32_t>(classes_at_.size()) - 1;
  std::vector<Demand>& demands = classes_[at(found->second)].demands;
  if (demands.empty() || demands.back().stage != stage) {
    demands.push_back({stage, 0});
    classes_at_.back().push_back(found->second);
  }
  ++demands.back().flows;
}

void TableSearch::make_entries(UpDownTree& tree) {
  const Topology& topology = *base_.topology;
  channel_number_.assign(at(topology.channels()), -1);
  for (std::int32_t host = 0; host < topology.hosts(); ++host) {
    if (classes_to_[at(host)].empty()) continue;
    tree.aim(topology.switch_of(topology.attachment(host).vertex));
    for (const std::int32_t k : classes_to_[at(host)]) {
      classes_[at(k)].entry = entry_of(tree, classes_[at(k)].entry, host);
    }
  }
  const std::int64_t slots = std::int64_t{stages()} * channels();
  if (slots > most_slots) throw too_large("loads of channels at stages", slots, most_slots);
  loads_.assign(at(slots), 0);
  crowded_at_.assign(at(slots), -1);
}

std::int32_t TableSearch::entry_of(const UpDownTree& tree, std::int32_t s, std::int32_t host) {
  const Topology& topology = *base_.topology;
  const auto number = static_cast<std::int32_t>(entries_.size());
  const auto [found, is_new] =
      entry_number_.try_emplace(std::int64_t{host} * topology.switches() + s, number);
  if (!is_new) return found->second;
  if (number == most_classes) throw too_large("entries", most_classes + 1, most_classes);
  entries_.push_back({s, host, {}});

  const std::vector<SwitchCable> ways = tree.ways(s);
  if (ways.empty()) {
    throw Error("no way up and then down leads from '" + topology.label(topology.vertex_of_switch(s)) +
                "' to '" + topology.label(host) + "'; name hosts that are joined");
  }
  const std::int32_t end = topology.switch_of(topology.attachment(host).vertex);
  std::vector<Port> ports;
  for (const SwitchCable& way : ways) {
    std::int32_t& channel = channel_number_[at(topology.channel(s, way.port))];
    if (channel < 0) {
      channel = channels();
      channels_.push_back(topology.channel(s, way.port));
    }
    const std::int32_t here = channel;
    ports.push_back({way.port, here, way.other == end ? -1 : entry_of(tree, way.other, host)});
  }
  entries_[at(number)].ports = std::move(ports);
  return number;
}

void TableSearch::begin_at_base() {
  for (const Entry& entry : entries_) {
    const std::int32_t port = base_.forwarding->port(entry.s, entry.destination);
    const auto found = std::find_if(entry.ports.begin(), entry.ports.end(),
                                    [port](const Port& each) { return each.port == port; });
    const bool known = found != entry.ports.end();
    choice_.push_back(known ? static_cast<std::int32_t>(found - entry.ports.begin()) : 0);
  }
  paths_.resize(classes_.size());
  for (std::int32_t k = 0; k < std::ssize(classes_); ++k) lay(k, 0);
}

void TableSearch::set_choices(std::span<const std::int32_t> choices) {
  if (choices.size() != entries_.size()) {
    throw ArgumentError(std::to_string(choices.size()) + " choices for " + std::to_string(entries_.size()) +
                        " entries; give one for each");
  }
  for (std::int32_t entry = 0; entry < std::ssize(choices); ++entry) {
    const std::int32_t choice = choices[at(entry)];
    if (choice >= 0 && choice < std::ssize(entries_[at(entry)].ports)) continue;
    throw ArgumentError("entry " + std::to_string(entry) + " has no port of number " +
                        std::to_string(choice) + ": there are " +
                        std::to_string(entries_[at(entry)].ports.size()));
  }
  for (std::int32_t k = 0; k < std::ssize(classes_); ++k) lift(k, 0);
  choice_.assign(choices.begin(), choices.end());
  for (std::int32_t k = 0; k < std::ssize(classes_); ++k) lay(k, 0);
}

void TableSearch::set_choice(std::int32_t entry, std::int32_t choice) {
  moved_.clear();
  for (const std::int32_t k : classes_to_[at(entries_[at(entry)].destination)]) {
    const std::vector<std::int32_t>& path = paths_[at(k)];
    const auto found = std::find(path.begin(), path.end(), entry);
    if (found == path.end()) continue;
    const auto from = static_cast<std::size_t>(found - path.begin());
    lift(k, from);
    moved_.emplace_back(k, from);
  }
  choice_[at(entry)] = choice;
  for (const auto& [k, from] : moved_) lay(k, from);
}

// Removes a class from the channels of its path, from one position on.
void TableSearch::lift(std::int32_t k, std::size_t from) {
  const std::vector<std::int32_t>& path = paths_[at(k)];
  for (std::size_t i = from; i < path.size(); ++i) {
    const std::int32_t channel = entries_[at(path[i])].ports[at(choice_[at(path[i])])].channel;
    for (const Demand& demand : classes_[at(k)].demands) add(demand.stage, channel, -demand.flows);
  }
}

// Adds it to the channels along the current choices from there on; path[from] is known unless it is the
// first.
void TableSearch::lay(std::int32_t k, std::size_t from) {
  std::vector<std::int32_t>& path = paths_[at(k)];
  std::int32_t entry = from == 0 ? classes_[at(k)].entry : path[from];
  path.resize(from);
  while (entry >= 0) {
    path.push_back(entry);
    const Port& port = entries_[at(entry)].ports[at(choice_[at(entry)])];
    for (const Demand& demand : classes_[at(k)].demands) add(demand.stage, port.channel, demand.flows);
    entry = port.next;
  }
}

void TableSearch::add(std::int32_t stage, std::int32_t channel, std::int32_t flows) {
  const std::int64_t slot = std::int64_t{stage} * channels() + channel;
  const auto over = [&] { return std::max<std::int64_t>(0, loads_[at(slot)] - bound_[at(stage)]); };
  const std::int64_t before = over();
  loads_[at(slot)] += flows;
  const std::int64_t after = over();
  excess_ += (after * (after + 1) - before * (before + 1)) / 2;

  std::int32_t& place = crowded_at_[at(slot)];
  if (after > 0 && place < 0) {
    place = static_cast<std::int32_t>(crowded_.size());
    crowded_.push_back(slot);
  } else if (after == 0 && place >= 0) {
    crowded_[at(place)] = crowded_.back();
    crowded_at_[at(crowded_.back())] = place;
    crowded_.pop_back();
    place = -1;
  }
}

std::vector<std::int32_t> TableSearch::stage_max() const {
  std::vector<std::int32_t> most = host_flows_;
  for (std::size_t stage = 0; stage < most.size(); ++stage) {
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      most[stage] = std::max(most[stage], loads_[stage * channels_.size() + c]);
    }
  }
  return most;
}

Routes TableSearch::routes(const std::string& engine) const {
  const Topology& topology = *base_.topology;
  auto tables = std::make_shared<Tables>(topology);
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    for (Vertex v = 0; v < topology.vertices(); ++v) tables->set(s, v, base_.forwarding->port(s, v));
  }
  for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
    const Entry& each = entries_[entry];
    tables->set(each.s, each.destination, each.ports[at(choice_[entry])].port);
  }
  return {base_.topology, std::move(tables), engine, engine, ""};
}

}  // namespace sortlast::fabric
