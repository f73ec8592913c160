// CoreShares: which ranks share a node and its cores.
#include "sortlast/core_shares.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "sortlast/cores.hpp"

namespace sortlast {
namespace {

// Ranks of a machine run on one kernel, and reach each other without a network.
std::uint64_t machine_of_process() {
  std::string name;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), name);
  std::array<char, 256> text{};
  if (readlink("/proc/self/ns/net", text.data(), text.size() - 1) > 0) name += text.data();
  if (name.empty() && gethostname(text.data(), text.size() - 1) == 0) name = text.data();
  return std::hash<std::string>{}(name);
}

struct Counted {
  std::int32_t ranks = 0;
  std::int32_t cores = 0;
  std::set<std::uint64_t> core_masks = {};
};

}  // namespace

Identity own_identity() {
  const auto online = static_cast<std::int32_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  const double quota = core_quota();
  const std::int32_t most =
      quota > 0 && quota < online ? static_cast<std::int32_t>(std::lround(quota)) : online;
  return {machine_of_process(), core_mask_hash(), usable_cores(), std::max(most, 1)};
}

CoreShares::CoreShares(const std::vector<Identity>& identities, const std::vector<std::int32_t>& nodes) {
  // Count the ranks and the cores of every machine.
  std::map<std::uint64_t, Counted> machines;
  std::map<std::uint64_t, std::int32_t> numbers;
  for (const Identity& identity : identities) {
    numbers.try_emplace(identity.machine, static_cast<std::int32_t>(numbers.size()));
    Counted& machine = machines[identity.machine];
    ++machine.ranks;
    if (machine.core_masks.insert(identity.core_mask).second) machine.cores += identity.cores;
    machine.cores = std::min(machine.cores, identity.most_cores);
  }

  // Put every rank on its node.
  const bool alone = std::set(nodes.begin(), nodes.end()).size() == nodes.size();
  for (std::size_t rank = 0; rank < identities.size(); ++rank) {
    const std::int32_t node = alone ? numbers[identities[rank].machine] : nodes[rank];
    node_.push_back(node);
    if (static_cast<std::size_t>(node) >= members_.size())
      members_.resize(static_cast<std::size_t>(node) + 1);
    members_[static_cast<std::size_t>(node)].push_back(static_cast<std::int32_t>(rank));
  }

  // Give every node its share of cores.
  for (const auto& members : members_) {
    const Counted& machine = machines[identities[static_cast<std::size_t>(members.front())].machine];
    const auto ranks = static_cast<std::int32_t>(members.size());
    cores_.push_back(std::max(machine.cores * ranks / machine.ranks, 1));
  }
}

std::int32_t CoreShares::least_cores() const { return *std::min_element(cores_.begin(), cores_.end()); }

std::int32_t CoreShares::most_ranks() const {
  std::size_t most = 0;
  for (const auto& members : members_) most = std::max(most, members.size());
  return static_cast<std::int32_t>(most);
}

}  // namespace sortlast
