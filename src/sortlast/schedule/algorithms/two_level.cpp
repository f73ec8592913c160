// Two-level: the ranks of a node merge among themselves, then the nodes run another algorithm.
//
// Ranks of one node read each other's images through shared memory, and only merged pixels cross the network:
// with L ranks on every node, 1/L of the pixels per rank.
//
//   columns     The image is cut into C columns, pieces of [0, n), where C is the number of ranks of the
//               smallest node. Rank number c of a node (in ring order) owns column c for its node; ranks
//               beyond C own none. All ranks of equal nodes therefore share the work and the network.
//   node stage  In stage 1 every owner receives its column of the other ranks' own images on its node, and
//               merges them into one fragment per depth run (nodes.hpp).
//   network     Then, in every column, the owners run the inner algorithm as if nodes were ranks.
//
// The inner algorithm can be any algorithm of the registry. It sees one participant per node, in the order of
// the nodes' first depth positions, and its program is translated: a value with a depth range of several
// nodes becomes one value per depth run of these nodes together, its sends and receives are repeated for each
// run, and its merges join adjacent fragments run by run. If every node is one run (its ranks are neighbours
// in depth, or the operator commutes), every value remains one.
//
// If nodes interleave in depth, a run may pass through an inner merge unchanged. It then keeps its old value.
// Only if several merges build the inner value are the parts copied into one value, because the next receiver
// expects one message per run and cannot know where the parts were cut.
//
// Rejected: a single owner per node. It would send n instead of n / L pixels while the other ranks idle.
#include "sortlast/schedule/algorithm.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/schedule/nodes.hpp"

namespace sortlast {
namespace {

// The nodes of a setting, and the inner algorithm for both sizes of column.
class TwoLevel final : public Algorithm {
 public:
  TwoLevel(const Setting& setting, const AlgorithmDefinition& inner, std::string& parameters)
      : p_(setting.p),
        n_(setting.n),
        commutes_(setting.commutes),
        nodes_(setting),
        between_{nodes_.count(), n_ / nodes_.smallest(), nodes_.order(), nodes_.ring(), commutes_} {
    const std::string given = parameters;
    small_ = inner.make(between_, parameters);
    if (n_ % nodes_.smallest() == 0) return;
    more_between_ = between_;
    ++more_between_.n;
    parameters = given;
    large_ = inner.make(more_between_, parameters);
  }

  Program program(std::int32_t rank) const override;

  Range piece(std::int32_t rank) const override {
    const Range own = column(nodes_.place(rank));
    if (own.empty()) return {};
    const Range piece = inner(own).piece(nodes_.node(rank));
    return {own.begin + piece.begin, own.begin + piece.end};
  }

  std::int32_t stages() const override { return 1 + small_->stages(); }
  std::int32_t window() const override { return small_->window(); }

 private:
  class Builder;

  // The pixels owned by the ranks at a place of their nodes; none beyond the smallest node.
  Range column(std::int32_t place) const {
    return place < nodes_.smallest() ? piece_of(n_, nodes_.smallest(), place) : Range{};
  }

  const Algorithm& inner(Range column) const {
    return column.size() == n_ / nodes_.smallest() ? *small_ : *large_;
  }

  std::int32_t p_;
  std::int64_t n_;
  bool commutes_;
  Nodes nodes_;
  Setting between_;                   // one participant per node, for columns of floor(n / C) pixels
  Setting more_between_;              // same, for columns with one more pixel
  std::unique_ptr<Algorithm> small_;  // for between_
  std::unique_ptr<Algorithm> large_;  // for more_between_, if there are such columns
};

// Builds the program of one rank.
class TwoLevel::Builder {
 public:
  Builder(const TwoLevel& levels, std::int32_t rank)
      : levels_(levels),
        nodes_(levels.nodes_),
        rank_(rank),
        place_(nodes_.place(rank)),
        column_(levels.column(place_)) {
    program_.rank = rank;
    const std::int64_t position = nodes_.position(rank);
    program_.values.push_back({{0, levels.n_}, {position, position + 1}});
  }

  Program build() {
    send_to_mates();
    if (column_.empty()) return std::move(program_);
    const std::int32_t node = nodes_.node(rank_);
    std::vector<Arrival> own;
    for (const Range run : nodes_.runs(node)) own.push_back(merge_node_run(run));
    translate(levels_.inner(column_).program(node), std::move(own));
    return std::move(program_);
  }

 private:
  // Send every other rank of the node the column that it owns.
  void send_to_mates() {
    const auto mates = nodes_.members(nodes_.node(rank_));
    for (const std::int32_t mate : mates) {
      const Range part = levels_.column(nodes_.place(mate));
      if (mate != rank_ && !part.empty()) program_.sends.push_back({1, mate, 0, part});
    }
  }

  // Receive this rank's column from the node's ranks in one run, and merge the fragments: neighbours of this
  // rank first, or from front to back if this rank is not in the run.
  Arrival merge_node_run(Range run) {
    const std::int64_t own = nodes_.position(rank_);
    const bool among = own >= run.begin && own < run.end;
    std::vector<Arrival> arrivals;
    for (const std::int64_t position : nearest_first(run, among ? own : run.begin)) {
      const Range depth{position, position + 1};
      if (position == own) {
        arrivals.push_back({0, depth});
        continue;
      }
      const Value value = new_value(column_, depth);
      program_.receives.push_back({1, nodes_.rank_at(position), value});
      arrivals.push_back({value, depth});
    }
    return merged(run, column_, arrivals);
  }

  // The arrivals as one value: the only one, or a new value into which they are merged.
  Arrival merged(Range depth, Range pixels, const std::vector<Arrival>& arrivals) {
    if (arrivals.size() == 1) return arrivals.front();
    const Value value = new_value(pixels, depth);
    append_merges(program_, value, pixels, arrivals, circle());
    return {value, depth};
  }

  // Translate the inner program, with `own` as its value 0.
  void translate(const Program& inner, std::vector<Arrival> own) {
    values_.resize(inner.values.size());
    values_[0] = std::move(own);
    for (const Receive& receive : inner.receives) {
      const Fragment& whole = inner.values[static_cast<std::size_t>(receive.value)];
      for (const Range run : nodes_.runs(whole.depth)) {
        const Value value = new_value(moved(whole.pixels), run);
        program_.receives.push_back({receive.stage + 1, owner(receive.peer), value});
        runs_of(receive.value).push_back({value, run});
      }
    }

    for (const Merge& merge : inner.merges) {
      const Fragment& whole = inner.values[static_cast<std::size_t>(merge.value)];
      if (merge.pixels == whole.pixels) {
        merge_whole(merge, whole);
      } else {
        merge_part(merge, whole);
      }
    }

    for (const Send& send : inner.sends) {
      for (const Arrival& run : runs_of(send.value)) {
        program_.sends.push_back({send.stage + 1, owner(send.peer), run.value, moved(send.pixels)});
      }
    }
    if (inner.result >= 0) program_.result = runs_of(inner.result).front().value;
  }

  // Translate a merge that makes a whole inner value. A run that is not joined with anything keeps its value.
  void merge_whole(const Merge& merge, const Fragment& whole) {
    for (const Range run : nodes_.runs(whole.depth)) {
      runs_of(merge.value).push_back(merged(run, moved(merge.pixels), inputs(merge, run)));
    }
  }

  // Translate a merge that makes a part of an inner value. Each run is one value, which other merges also
  // fill.
  void merge_part(const Merge& merge, const Fragment& whole) {
    std::vector<Arrival>& targets = runs_of(merge.value);
    if (targets.empty()) {
      for (const Range run : nodes_.runs(whole.depth))
        targets.push_back({new_value(moved(whole.pixels), run), run});
    }
    for (const Arrival& target : targets) {
      append_merges(program_, target.value, moved(merge.pixels), inputs(merge, target.depth), circle());
    }
  }

  // The inputs of an inner merge in one depth run, in the order of its chain.
  std::vector<Arrival> inputs(const Merge& merge, Range run) {
    std::vector<Arrival> arrivals;
    for (const Merge::Input& input : merge.inputs) {
      for (const Arrival& arrival : runs_of(input.value)) {
        if (levels_.commutes_ || run.contains(arrival.depth)) arrivals.push_back(arrival);
      }
    }
    return arrivals;
  }

  Value new_value(Range pixels, Range depth) {
    program_.values.push_back({pixels, depth});
    return static_cast<Value>(program_.values.size() - 1);
  }

  std::vector<Arrival>& runs_of(Value inner) { return values_[static_cast<std::size_t>(inner)]; }
  std::int32_t owner(std::int32_t node) const {
    return nodes_.members(node)[static_cast<std::size_t>(place_)];
  }
  Range moved(Range inner) const { return {column_.begin + inner.begin, column_.begin + inner.end}; }
  std::int64_t circle() const { return levels_.commutes_ ? levels_.p_ : 0; }

  const TwoLevel& levels_;
  const Nodes& nodes_;
  std::int32_t rank_;
  std::int32_t place_;  // place of this rank in its node, and of the column's owners in their nodes
  Range column_;
  Program program_;
  std::vector<std::vector<Arrival>> values_;  // inner value -> its values here, one per depth run
};

Program TwoLevel::program(std::int32_t rank) const { return Builder(*this, rank).build(); }

bool one_rank_a_node(const Setting& setting) {
  const auto& nodes = setting.nodes;
  return nodes.empty() || *std::max_element(nodes.begin(), nodes.end()) + 1 == setting.p;
}

std::unique_ptr<Algorithm> make(const Setting& setting, std::string& parameters) {
  AlgorithmName inner = inner_algorithm(parameters);
  auto algorithm = one_rank_a_node(setting)
                       ? inner.definition.make(setting, inner.parameters)
                       : std::make_unique<TwoLevel>(setting, inner.definition, inner.parameters);
  parameters = inner.definition.name + (inner.parameters.empty() ? "" : ":" + inner.parameters);
  return algorithm;
}

}  // namespace

AlgorithmName inner_algorithm(const std::string& parameters) {
  if (parameters.starts_with("two-level") || parameters.starts_with("auto")) {
    throw ArgumentError("two-level:" + parameters +
                        ": expected the algorithm that runs between nodes, which is any other but auto and "
                        "two-level itself");
  }
  return parse_algorithm(parameters.empty() ? "direct-send" : parameters);
}

AlgorithmDefinition two_level() {
  return {{"two-level", "two-level[:NAME]",
           "The L ranks of every node merge what they hold, then p/L nodes run algorithm NAME.",
           "NAME's, p/L nodes", "NAME's, n/L pixels", "as NAME"},
          make,
          // The nodes are unknown here: count every rank as a node.
          [](std::int32_t p, const std::string& parameters) {
            const AlgorithmName inner = inner_algorithm(parameters);
            return inner.definition.terms(p, inner.parameters);
          }};
}

}  // namespace sortlast
