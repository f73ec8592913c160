// /proc/self/cgroup names the groups of this process, and a group's limit holds for those below it: of
// version 2 in cpu.max ("max 100000", "150000 100000"), of version 1 in cpu.cfs_quota_us (-1: none) and
// cpu.cfs_period_us. In a container the path may be the host's, so the mount's root is read too.
#include "sortlast/cores.hpp"

#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

namespace sortlast {
namespace {

// Of one group; 0: none.
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

}  // namespace sortlast
