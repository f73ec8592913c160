// Patterns: who sends how much to whom, stage by stage. Shifts, permutations, schedules, traffic of a file,
// and the collectives of parallel programs, by themselves or in groups of ranks.
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

// Flows are made stage by stage, so that the p (p - 1) of a shift need never be held at once.
class SORTLAST_API Pattern {
 public:
  virtual ~Pattern() = default;
  virtual std::string name() const = 0;
  virtual std::int32_t participants() const = 0;
  // Stages that differ from the one before.
  virtual std::int64_t stages() const = 0;
  // Flows of stage 0 .. stages() - 1; none from a participant to itself.
  virtual std::vector<Flow> flows(std::int64_t stage) const = 0;
  // How many times a stage happens, one after the other, with the same flows: 1 or more.
  virtual std::int64_t repeats(std::int64_t /*stage*/) const { return 1; }
  // Whether stage s is exactly i -> (i + s + 1) mod p for all i: analysis has a fast way for it.
  virtual bool is_shift() const { return false; }
};

// Stages with their repetitions.
SORTLAST_API std::int64_t steps(const Pattern& pattern);

// All p - 1 shift permutations, `bytes` a message (Cavin and Demengeon, section 2.1.4).
SORTLAST_API std::shared_ptr<const Pattern> shift_pattern(std::int32_t p, std::int64_t bytes = 1);
// Everybody to everybody in one stage. Throws ArgumentError also for more than 2^27 flows.
SORTLAST_API std::shared_ptr<const Pattern> all_to_all_pattern(std::int32_t p, std::int64_t bytes = 1);
// One stage: i sends to destination[i]; -1: to nobody.
SORTLAST_API std::shared_ptr<const Pattern> permutation_pattern(std::vector<std::int32_t> destination,
                                                                std::int64_t bytes = 1);
// The transfers of a schedule by its stages, pixels times pixel_bytes, and times the fragment's layers where
// ranks start with several images; transfers of no bytes are left out. Throws ArgumentError for more than
// 2^63 - 1 bytes.
SORTLAST_API std::shared_ptr<const Pattern> schedule_pattern(const Schedule& schedule,
                                                             std::int64_t pixel_bytes);
// Given flows by stage.
SORTLAST_API std::shared_ptr<const Pattern> traffic_pattern(std::string name, std::int32_t p,
                                                            std::vector<std::vector<Flow>> stages);

// Collectives of p ranks. `bytes` is what each rank holds: of an all-reduce, a broadcast or a reduction its
// vector, of an all-to-all all that it has for others and itself. A block is a p-th part of it, rounded up.
// What is done where p is no power of two is told in src/sortlast/fabric/pattern/collectives.cpp and in the
// reference of fabrics. Names may have a number behind a colon: "double-tree:C" (C pieces, one behind the
// other), "rail:K" (K ranks a node, those of a node next to each other).
// Throws ArgumentError: an unknown name (the message lists them), p below 1, bytes outside 0 .. 2^62, a
// number that is missing, out of range or not meant, for rail ranks that do not fill their nodes.
struct Collective {
  std::string name;     // "rail:K"
  std::string summary;  // one sentence
};
SORTLAST_API const std::vector<Collective>& collectives();
SORTLAST_API std::shared_ptr<const Pattern> collective_pattern(std::string_view name, std::int32_t p,
                                                               std::int64_t bytes);

// Groups of one kind among the ranks of a job: `size` ranks each, which do one collective.
struct GroupKind {
  std::string name;        // "tensor"
  std::int32_t size = 1;   // ranks of a group
  std::string collective;  // one of collectives(); empty: they do nothing
  std::int64_t bytes = 1;  // of each rank

  bool operator==(const GroupKind&) const = default;
};

// All groups of all kinds at once, each from its first stage on. The first kind is the innermost: its groups
// are ranks that follow each other, those of the next kind are as far apart as the first is large, and so on,
// as Megatron lays them. Throws ArgumentError: sizes whose product is not p, no kinds, and what
// collective_pattern() throws, with the kind.
SORTLAST_API std::shared_ptr<const Pattern> groups_pattern(std::int32_t p,
                                                           const std::vector<GroupKind>& kinds);

// What a pattern sends between nodes of `ranks_per_node` ranks that follow each other: its participants are
// the nodes, and what stays on a node is left out. Throws ArgumentError if the ranks do not fill their nodes.
SORTLAST_API std::shared_ptr<const Pattern> node_pattern(std::shared_ptr<const Pattern> pattern,
                                                         std::int32_t ranks_per_node);

// The flows of a pattern that leave their node, whose number each participant has in `nodes`: ranks of one
// node do not send to each other through the fabric. Throws ArgumentError if there is not one number a
// participant.
SORTLAST_API std::shared_ptr<const Pattern> between_nodes(std::shared_ptr<const Pattern> pattern,
                                                          std::vector<std::int32_t> nodes);

}  // namespace sortlast::fabric
