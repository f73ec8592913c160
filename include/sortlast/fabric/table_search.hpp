// Table search: forwarding tables of a tree, optimised for the stages of given patterns.
//
// Notation. An entry (s, d) is the port by which switch s forwards packets to host d. All flows from the
// hosts of one switch to one destination take the same path; together they form a class. A class occupies a
// channel at the stages in which one of its sources sends. An entry may hold only ports on shortest paths
// that go up and then down, and that turn down as soon as they can, so no choice of ports has credit loops.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/pattern.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/progress.hpp"

namespace sortlast::fabric {

class UpDownTree;

class SORTLAST_API TableSearch {
 public:
  // The search covers the stages of all patterns, one pattern after the other. `base` provides the initial
  // tables, and the entries that no flow needs; it has one plane. Throws ArgumentError if base has several
  // planes, its fabric has no levels, a pattern has another number of participants, or the search needs too
  // much memory; Error if no path up and down joins two hosts that communicate.
  TableSearch(Routes base, const std::vector<std::shared_ptr<const Pattern>>& patterns,
              const Placement& placement);

  // A port that an entry may hold, the channel behind it (numbered among the channels that any class may
  // use), and the entry at the other end; next is -1 if that switch has the destination.
  struct Port {
    std::int32_t port = 0, channel = 0, next = -1;
  };
  struct Entry {
    std::int32_t s = 0, destination = 0;
    std::vector<Port> ports;
  };
  struct Demand {
    std::int32_t stage = 0, flows = 0;
  };
  struct Class {
    std::int32_t entry = 0;  // at the switch of its sources
    std::vector<Demand> demands;
  };

  std::span<const Entry> entries() const { return entries_; }
  std::span<const Class> classes() const { return classes_; }
  std::int32_t stages() const { return static_cast<std::int32_t>(bound_.size()); }
  std::int32_t channels() const { return static_cast<std::int32_t>(channels_.size()); }
  // Lower bound of the flows on the fullest channel of each stage under any tables with such paths. It
  // follows from the hosts' own links, from the links that leave a switch, and from the links that leave a
  // connected part below a level.
  std::span<const std::int32_t> bound() const { return bound_; }
  // Flows on the fullest host link at each stage, which do not depend on the tables.
  std::span<const std::int32_t> host_flows() const { return host_flows_; }
  // Duration of each stage with its repetitions, in bytes on an unshared link: its longest message.
  std::span<const std::int64_t> bytes() const { return bytes_; }

  // The port that each entry holds, as an index into its ports.
  std::span<const std::int32_t> choices() const { return choice_; }
  // Throws ArgumentError unless there is one choice per entry, and its port exists.
  void set_choices(std::span<const std::int32_t> choices);
  void set_choice(std::int32_t entry, std::int32_t choice);
  // Flows above the bound of their stage, summed over stages and channels; x excess flows on one channel
  // count x (x + 1) / 2. 0: no tables are better at any stage.
  std::int64_t excess() const { return excess_; }
  // Flows on the fullest channel of each stage, host links included.
  std::vector<std::int32_t> stage_max() const;

  // Stages and channels with more flows than the stage's bound, as stage * channels() + channel.
  std::span<const std::int64_t> crowded() const { return crowded_; }
  // The entries on the current path of a class.
  std::span<const std::int32_t> path(std::int32_t class_number) const {
    return paths_[static_cast<std::size_t>(class_number)];
  }
  std::span<const std::int32_t> classes_at(std::int32_t stage) const {
    return classes_at_[static_cast<std::size_t>(stage)];
  }

  // Reaches the bound of each stage with classes that occur in no other stage, in a tree of two levels with
  // one link between each leaf and each root. At such a stage the sending and the receiving leaves are the
  // two sides of a bipartite multigraph with the classes as edges. By Koenig's theorem its edges can be
  // coloured with the roots. Returns the number of stages coloured, 0 for other trees.
  std::int32_t colour_edges();

  // Tabu search (Glover 1989) for an excess of 0: a move gives an entry on a crowded channel another port.
  // With `moves` = -1 it runs for some seconds. Keeps the best choices found, and returns the number of
  // moves. Equal seeds give equal tables.
  std::int64_t search(std::int64_t moves, std::uint64_t seed, const Progress& progress = {});

  // The base with the current entries, under the name `engine`.
  Routes routes(const std::string& engine) const;

 private:
  void collect(const Pattern& pattern, const Placement& placement, UpDownTree& tree);
  void add_flow(std::int32_t source, std::int32_t destination);
  void make_entries(UpDownTree& tree);
  std::int32_t entry_of(const UpDownTree& tree, std::int32_t s, std::int32_t host);
  void begin_at_base();
  void lift(std::int32_t k, std::size_t from);
  void lay(std::int32_t k, std::size_t from);
  void add(std::int32_t stage, std::int32_t channel, std::int32_t flows);

  Routes base_;
  std::vector<Entry> entries_;
  std::unordered_map<std::int64_t, std::int32_t> class_number_;  // by host * switches + switch
  std::unordered_map<std::int64_t, std::int32_t> entry_number_;  // by host * switches + switch
  std::vector<Class> classes_;
  std::vector<std::vector<std::int32_t>> classes_to_;  // by host
  std::vector<std::vector<std::int32_t>> classes_at_;  // by stage
  std::vector<Channel> channels_;
  std::vector<std::int32_t> channel_number_;  // by channel of the topology; -1: no class may use it
  std::vector<std::int32_t> bound_, host_flows_;
  std::vector<std::int64_t> bytes_;
  std::vector<std::int32_t> choice_;
  std::vector<std::vector<std::int32_t>> paths_;  // by class
  std::vector<std::int32_t> loads_;               // by stage, by channel
  std::vector<std::int64_t> crowded_;
  std::vector<std::int32_t> crowded_at_;  // by stage and channel: its place among these; -1: none
  std::int64_t excess_ = 0;
  std::vector<std::pair<std::int32_t, std::size_t>> moved_;  // by set_choice(): classes, and from where on
};

}  // namespace sortlast::fabric
