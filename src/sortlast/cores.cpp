// Cores.
//
// /proc/self/cgroup names the control groups of this process; a group's limit also holds for the groups below
// it. Version 2 keeps it in cpu.max ("max 100000", "150000 100000"), version 1 in cpu.cfs_quota_us (-1: none)
// and cpu.cfs_period_us. In a container the path may be the host's, so the root of the mount is read too.
#include "sortlast/cores.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace sortlast {
namespace {

// The quota of one group in cores; 0: none.
double quota_of(const std::string& folder) {
  double quota = 0;
  double period = 0;
  if (std::ifstream(folder + "/cpu.max") >> quota >> period ||
      (std::ifstream(folder + "/cpu.cfs_quota_us") >> quota &&
       std::ifstream(folder + "/cpu.cfs_period_us") >> period)) {
    return quota > 0 && period > 0 ? quota / period : 0;
  }
  return 0;
}

bool controls_cpu(const std::string& controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');)
    if (name == "cpu") return true;
  return false;
}

}  // namespace

double core_quota(const std::string& root) {
  double least = 0;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // "number:controllers:path", without controllers in version 2
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !controls_cpu(controllers)) continue;
    const std::string mount = root + "/sys/fs/cgroup" + (controllers.empty() ? "" : "/" + controllers);
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    while (true) {
      const double quota = quota_of(mount + path);
      if (quota > 0) least = least > 0 ? std::min(least, quota) : quota;
      if (path.empty()) break;
      path.erase(std::min(path.rfind('/'), path.size()));
    }
  }
  return least;
}

int usable_cores(const std::string& root) {
  int cores = static_cast<int>(std::thread::hardware_concurrency());
#ifdef __linux__
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) cores = CPU_COUNT(&mask);
#endif
  const double quota = core_quota(root);
  if (quota > 0 && quota < cores) cores = static_cast<int>(std::lround(quota));
  return std::max(cores, 1);
}

// The size file of each cache level holds "8192K" or "32M".
std::size_t largest_cache(const std::string& root) {
  std::size_t largest = 0;
  for (int level = 0; level < 8; ++level) {
    std::ifstream file(root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/size");
    std::size_t number = 0;
    char unit = 0;
    if (!(file >> number)) continue;
    file >> unit;
    largest = std::max(largest, number << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0));
  }
  return largest > 0 ? largest : std::size_t{1} << 25;
}

std::uint64_t core_mask_hash() {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
#ifdef __linux__
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return hash;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &mask)) hash = (hash ^ core) * 1099511628211ULL;
#endif
  return hash;
}

// ---- Shares ---------------------------------------------------------------------------------------

namespace {

// Ranks of a machine run on one kernel and reach each other without a network.
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
