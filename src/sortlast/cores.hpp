// Cores: how many this process may use according to its affinity mask and the quota of its control group, the
// size of the cache, and how the ranks of a node share the cores (Machine::cores and Machine::ranks).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sortlast {

// CPU quota of this process's control group, in cores; 0 if there is no limit or none can be read. `root`:
// prefix of the file system paths, for tests.
double core_quota(const std::string& root = "");
// The minimum of the number of cores in the affinity mask and the rounded quota; at least 1.
int usable_cores(const std::string& root = "");
// Size in bytes of a core's largest cache, which other cores may share; 32 MiB if the system does not report
// it.
std::size_t largest_cache(const std::string& root = "");
// Hash of the affinity mask: the same for processes of a machine that may use the same cores.
std::uint64_t core_mask_hash();

// The machine and the cores of a rank.
struct Identity {
  std::uint64_t machine = 0;    // the same for all ranks of a machine
  std::uint64_t core_mask = 0;  // the same for ranks of a machine that may use the same cores
  std::int32_t cores = 1;       // usable by this rank
  std::int32_t most_cores = 1;  // usable by all processes of the machine together
};

// The identity of this process; reads /proc and /sys.
Identity own_identity();

// Groups the ranks into nodes: by `nodes` (the node of each rank, numbered without gaps) or, if that puts
// every rank on a separate node, by machine. A node that is part of a machine gets its share of the machine's
// cores.
class CoreShares {
 public:
  CoreShares(const std::vector<Identity>& identities, const std::vector<std::int32_t>& nodes);

  std::int32_t count() const { return static_cast<std::int32_t>(members_.size()); }
  std::int32_t node(std::int32_t rank) const { return node_[static_cast<std::size_t>(rank)]; }
  // Ranks of a node, ascending.
  const std::vector<std::int32_t>& members(std::int32_t node) const {
    return members_[static_cast<std::size_t>(node)];
  }
  std::int32_t cores(std::int32_t node) const { return cores_[static_cast<std::size_t>(node)]; }

  std::int32_t least_cores() const;
  std::int32_t most_ranks() const;  // maximum number of ranks on a node

 private:
  std::vector<std::int32_t> node_;
  std::vector<std::vector<std::int32_t>> members_;
  std::vector<std::int32_t> cores_;
};

}  // namespace sortlast
