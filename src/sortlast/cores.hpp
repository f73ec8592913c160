// Cores: how many this process may use, by its affinity mask and the quota of its control group; the cache
// that they share; and how the ranks of a node share them, as a Machine's cores and ranks mean it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sortlast {

// Cores' worth of time that all processes of this one's control group together may take; 0: no limit is set,
// or none can be read. `root`: where the files lie, for tests.
double core_quota(const std::string& root = "");
// The fewer of the cores in the affinity mask and those of the quota, rounded; at least 1.
int usable_cores(const std::string& root = "");
// Bytes of the largest cache of a core, which it may share with others; 32 MiB if the system does not say.
std::size_t largest_cache(const std::string& root = "");
// A number that processes of a machine have in common if they may use the same cores.
std::uint64_t core_mask_hash();

// What a rank says of itself.
struct Identity {
  std::uint64_t machine = 0;    // the same for all ranks of a machine
  std::uint64_t core_mask = 0;  // the same for those that may use the same cores of it
  std::int32_t cores = 1;       // that it may use
  std::int32_t most_cores = 1;  // that all processes of the machine together may use
};

// Of this process; reads /proc and /sys.
Identity own_identity();

// Nodes are those of `nodes` (of each rank, numbered without gaps) or, where that puts every rank on a node
// of its own, machines. A node that is a part of a machine has that part of its cores.
class CoreShares {
 public:
  CoreShares(const std::vector<Identity>& identities, const std::vector<std::int32_t>& nodes);

  std::int32_t count() const { return static_cast<std::int32_t>(members_.size()); }
  std::int32_t node(std::int32_t rank) const { return node_[static_cast<std::size_t>(rank)]; }
  // Ranks, ascending.
  const std::vector<std::int32_t>& members(std::int32_t node) const {
    return members_[static_cast<std::size_t>(node)];
  }
  std::int32_t cores(std::int32_t node) const { return cores_[static_cast<std::size_t>(node)]; }

  std::int32_t least_cores() const;
  std::int32_t most_ranks() const;  // of a node

 private:
  std::vector<std::int32_t> node_;
  std::vector<std::vector<std::int32_t>> members_;
  std::vector<std::int32_t> cores_;
};

}  // namespace sortlast
