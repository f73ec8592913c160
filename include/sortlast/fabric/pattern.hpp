// Patterns: who sends how much to whom, stage by stage. Shifts, permutations, schedules, traffic from files,
// and the collectives of parallel programs, alone or in groups of ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast::fabric {

// One message; source and destination are participants.
struct Flow {
  std::int32_t source = 0;
  std::int32_t destination = 0;
  std::int64_t bytes = 0;

  bool operator==(const Flow&) const = default;
};

// Flows are generated stage by stage, so that the p (p - 1) flows of a shift are never in memory at once.
class SORTLAST_API Pattern {
 public:
  virtual ~Pattern() = default;
  virtual std::string name() const = 0;
  virtual std::int32_t participants() const = 0;
  // Number of stages; equal stages in a row count as one with repeats() > 1.
  virtual std::int64_t stages() const = 0;
  // Flows of stage 0 .. stages() - 1; none from a participant to itself.
  virtual std::vector<Flow> flows(std::int64_t stage) const = 0;
  // How many times in a row a stage occurs with the same flows, 1 or more.
  virtual std::int64_t repeats(std::int64_t /*stage*/) const { return 1; }
  // Whether stage s is exactly i -> (i + s + 1) mod p for all i, which has a faster analysis.
  virtual bool is_shift() const { return false; }
};

// Number of stages with their repetitions.
SORTLAST_API std::int64_t steps(const Pattern& pattern);
// Whether the flows of every stage are the same however the participants are numbered: all pairs exchange the
// same number of bytes, or nobody sends. No order of hosts changes the loads of such a pattern.
SORTLAST_API bool same_in_any_order(const Pattern& pattern);

// All p - 1 shift permutations, with `bytes` per message (Cavin and Demengeon, section 2.1.4).
SORTLAST_API std::shared_ptr<const Pattern> shift_pattern(std::int32_t p, std::int64_t bytes = 1);
// Every participant sends to every other in one stage. Throws ArgumentError also for more than 2^27 flows.
SORTLAST_API std::shared_ptr<const Pattern> all_to_all_pattern(std::int32_t p, std::int64_t bytes = 1);
// One stage: i sends to destination[i], or to nobody if that is -1.
SORTLAST_API std::shared_ptr<const Pattern> permutation_pattern(std::vector<std::int32_t> destination,
                                                                std::int64_t bytes = 1);
// The transfers of a schedule by stage: pixels times pixel_bytes, and times the fragment's layers where ranks
// start with several images. Empty transfers are left out. Throws ArgumentError for more than 2^63 - 1 bytes.
SORTLAST_API std::shared_ptr<const Pattern> schedule_pattern(const Schedule& schedule,
                                                             std::int64_t pixel_bytes);
// A pattern with the given flows by stage.
SORTLAST_API std::shared_ptr<const Pattern> traffic_pattern(std::string name, std::int32_t p,
                                                            std::vector<std::vector<Flow>> stages);

// Collectives of p ranks. `bytes` is the data of one rank: its vector in an all-reduce, broadcast or
// reduction, and everything that it holds for all ranks, itself included, in an all-to-all. A block is a p-th
// part of it, rounded up. For p that is not a power of two see src/sortlast/fabric/pattern/collectives.cpp
// and the reference of fabrics. Names may have a number after a colon: "double-tree:C" (C pieces, one behind
// the other), "rail:K" and "rail-ring:K" (K consecutive ranks per node). Throws ArgumentError for an unknown
// name (the message lists them), p below 1, bytes outside 0 .. 2^62, a number that is missing, out of range
// or not expected, and for rail and rail-ring if the ranks do not fill their nodes.
struct Collective {
  std::string name;     // "rail:K"
  std::string summary;  // one sentence
};
SORTLAST_API const std::vector<Collective>& collectives();
SORTLAST_API std::shared_ptr<const Pattern> collective_pattern(std::string_view name, std::int32_t p,
                                                               std::int64_t bytes);

// A kind of group among the ranks of a job: groups of `size` ranks, each of which performs one collective.
struct GroupKind {
  std::string name;        // "tensor"
  std::int32_t size = 1;   // ranks of a group
  std::string collective;  // one of collectives(); empty: no communication
  std::int64_t bytes = 1;  // per rank

  bool operator==(const GroupKind&) const = default;
};

// All groups of all kinds at the same time, each starting with its first stage. The first kind is the
// innermost: its groups are consecutive ranks. In groups of the next kind, ranks are as far apart as a group
// of the first kind is large, and so on, as in Megatron. Throws ArgumentError if the sizes do not multiply to
// p, if there are no kinds, and as collective_pattern() does, with the kind.
SORTLAST_API std::shared_ptr<const Pattern> groups_pattern(std::int32_t p,
                                                           const std::vector<GroupKind>& kinds);

// Messages of a pattern between nodes of `ranks_per_node` consecutive ranks. The participants are the nodes;
// messages within a node are left out. Throws ArgumentError if the ranks do not fill their nodes.
SORTLAST_API std::shared_ptr<const Pattern> node_pattern(std::shared_ptr<const Pattern> pattern,
                                                         std::int32_t ranks_per_node);

// The flows of a pattern between different nodes, where nodes[i] is the number of participant i's node. Ranks
// of one node do not use the fabric among themselves. Throws ArgumentError if there is not one number per
// participant.
SORTLAST_API std::shared_ptr<const Pattern> between_nodes(std::shared_ptr<const Pattern> pattern,
                                                          std::vector<std::int32_t> nodes);

}  // namespace sortlast::fabric
