// Tabu search (Glover 1989) over the entries of tables.
//
// A step selects a crowded channel at random, and tries every other port for every entry by which a class
// reaches it. The best of these changes is made even if it is worse than the current tables, and for some
// steps the entry must not return to its old port, unless the result is better than all seen so far. If
// nothing better is found for long, the search returns to the best tables, and gives some entries a random
// port.
//
// Rejected: annealing, which needed some fifty times as many moves for 128 nodes in order on a 12-ary 2-tree
// under binary swap, because nearly all moves of random entries affect no crowded channel.
#include <algorithm>
#include <limits>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/table_search.hpp"
#include "sortlast/random.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int64_t usual_trials = 20'000'000;  // changes tried, some seconds
constexpr std::int64_t trials_between_reports = 10'000;
constexpr std::int64_t forbidden_at_least = 10;  // steps for which a port is forbidden
constexpr std::size_t forbidden_at_random = 10;
constexpr std::int64_t patience = 3'000;  // steps without a better table
constexpr std::size_t shaken_part = 10;   // one entry per this many classes

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class Tabu {
 public:
  Tabu(TableSearch& tables, std::uint64_t seed, std::int64_t trials)
      : tables_(tables),
        random_(seed),
        trials_(trials),
        best_(tables.choices().begin(), tables.choices().end()),
        least_(tables.excess()) {
    for (const TableSearch::Entry& entry : tables.entries()) {
      first_port_.push_back(forbidden_until_.size());
      forbidden_until_.resize(forbidden_until_.size() + entry.ports.size(), 0);
    }
  }

  std::int64_t run(std::int64_t moves, const Progress& progress) {
    std::int64_t next_report = 0;
    for (; least_ > 0 && moved_ != moves && tried_ < trials_; ++moved_) {
      if (progress && tried_ >= next_report) {
        next_report = tried_ + trials_between_reports;
        const auto part = moves < 0 ? static_cast<double>(tried_) / static_cast<double>(trials_)
                                    : static_cast<double>(moved_) / static_cast<double>(moves);
        if (!progress(part)) throw Error("cancelled");
      }
      step();
      if (tables_.excess() < least_) {
        remember();
      } else if (moved_ - improved_ > patience) {
        shake();
      }
    }
    tables_.set_choices(best_);
    return moved_;
  }

 private:
  struct Move {
    std::int32_t entry = -1, choice = 0;
  };

  void step() {
    // Take a crowded channel.
    const std::span<const std::int64_t> crowded = tables_.crowded();
    const std::int64_t slot = crowded[random_.below(crowded.size())];
    const auto stage = static_cast<std::int32_t>(slot / tables_.channels());
    const auto channel = static_cast<std::int32_t>(slot % tables_.channels());

    // Try every change that moves classes elsewhere.
    least_after_ = std::numeric_limits<std::int64_t>::max();
    equal_ = 0;
    move_ = {};
    for (const std::int32_t k : tables_.classes_at(stage)) {
      path_.assign(tables_.path(k).begin(), tables_.path(k).end());
      const auto end = std::find_if(path_.begin(), path_.end(),
                                    [&](std::int32_t entry) { return channel_of(entry) == channel; });
      if (end == path_.end()) continue;
      for (auto entry = path_.begin(); entry <= end; ++entry) try_ports(*entry);
    }
    ++tried_;
    if (move_.entry < 0) return;

    // Make the best change.
    const std::int32_t old = choice_of(move_.entry);
    forbidden_until_[first_port_[at(move_.entry)] + at(old)] =
        moved_ + forbidden_at_least + static_cast<std::int64_t>(random_.below(forbidden_at_random));
    tables_.set_choice(move_.entry, move_.choice);
  }

  void try_ports(std::int32_t entry) {
    const std::int32_t old = choice_of(entry);
    const auto ports = static_cast<std::int32_t>(tables_.entries()[at(entry)].ports.size());
    for (std::int32_t choice = 0; choice < ports; ++choice) {
      if (choice == old) continue;
      ++tried_;
      tables_.set_choice(entry, choice);
      const std::int64_t after = tables_.excess();
      const bool forbidden = forbidden_until_[first_port_[at(entry)] + at(choice)] > moved_;
      if ((forbidden && after >= least_) || after > least_after_) continue;
      if (after < least_after_) equal_ = 0;
      least_after_ = after;
      if (random_.below(++equal_) == 0) move_ = {entry, choice};  // equally good moves are equally likely
    }
    if (ports > 1) tables_.set_choice(entry, old);
  }

  std::int32_t choice_of(std::int32_t entry) const { return tables_.choices()[at(entry)]; }
  std::int32_t channel_of(std::int32_t entry) const {
    return tables_.entries()[at(entry)].ports[at(choice_of(entry))].channel;
  }

  void remember() {
    least_ = tables_.excess();
    best_.assign(tables_.choices().begin(), tables_.choices().end());
    improved_ = moved_;
  }

  void shake() {
    tables_.set_choices(best_);
    const std::size_t classes = tables_.classes().size();
    for (std::size_t i = 0; i < classes / shaken_part + 1; ++i) {
      const std::span<const std::int32_t> path =
          tables_.path(static_cast<std::int32_t>(random_.below(classes)));
      const std::int32_t entry = path[random_.below(path.size())];
      const std::size_t ports = tables_.entries()[at(entry)].ports.size();
      tables_.set_choice(entry, static_cast<std::int32_t>(random_.below(ports)));
    }
    improved_ = moved_;
  }

  TableSearch& tables_;
  SplitMix64 random_;
  std::int64_t trials_;
  std::vector<std::int32_t> best_;
  std::int64_t least_;
  std::vector<std::size_t> first_port_;        // by entry
  std::vector<std::int64_t> forbidden_until_;  // by port of an entry: a step
  std::vector<std::int32_t> path_;
  std::int64_t moved_ = 0, improved_ = 0, tried_ = 0;
  Move move_;
  std::int64_t least_after_ = 0;
  std::size_t equal_ = 0;  // moves as good as this one
};

}  // namespace

std::int64_t TableSearch::search(std::int64_t moves, std::uint64_t seed, const Progress& progress) {
  const std::int64_t trials = moves < 0 ? usual_trials : std::numeric_limits<std::int64_t>::max();
  return Tabu(*this, seed, trials).run(moves, progress);
}

}  // namespace sortlast::fabric
