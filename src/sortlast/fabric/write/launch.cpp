// Hostfiles and rankfiles: participant i becomes rank i (dummies are left out and not counted).
//
//   launcher  file      form                           options of mpiexec, or of srun
//   mpich     hostfile  "HOST:N", ranks in file order  -f FILE
//             rankfile  "HOST:1" a rank                -f FILE
//   openmpi   hostfile  "HOST slots=N" once a host     --hostfile FILE --map-by slot
//             rankfile  "rank R=HOST slot=S"           --hostfile HOSTS --map-by rankfile:file=FILE
//   slurm     both      "HOST" a rank                  -m arbitrary, and SLURM_HOSTFILE=FILE
//
// MPICH's Hydra fills the entries of its file one after the other, so the same host may come again. Open MPI
// adds up the entries of a host: a hostfile cannot come back to one, which is then refused in favour of a
// rankfile. Slurm's arbitrary distribution takes one line a task, in order, and knows nothing else.
// Sources: MPICH, Hydra's user guide; PRRTE, "Hostfiles" and "Rankfiles"; srun(1), --distribution.
#include <map>

#include "sortlast/error.hpp"
#include "sortlast/fabric/write.hpp"
#include "sortlast/fabric/write/slurm.hpp"

namespace sortlast::fabric {

namespace {

enum class Launcher { mpich, openmpi, slurm };

Launcher launcher_of(std::string_view name) {
  if (name == "mpich") return Launcher::mpich;
  if (name == "openmpi") return Launcher::openmpi;
  if (name == "slurm") return Launcher::slurm;
  throw ArgumentError("unknown launcher '" + std::string(name) + "'; expected mpich, openmpi or slurm");
}

// Machine of every rank.
std::vector<std::string> machines(const Topology& topology, const Placement& placement) {
  std::vector<std::string> result;
  for (const std::int32_t h : placement) {
    if (h == -1) continue;
    if (h < 0 || h >= topology.hosts()) {
      throw ArgumentError("host " + std::to_string(h) + " does not exist: there are " +
                          std::to_string(topology.hosts()));
    }
    result.push_back(machine_of(topology.host(h)));
  }
  return result;
}

// Neighbours on the same machine, as one entry.
struct HostEntry {
  std::string machine;
  std::int32_t ranks = 0;
};

std::vector<HostEntry> entries(const std::vector<std::string>& machines) {
  std::vector<HostEntry> result;
  for (const std::string& machine : machines) {
    if (result.empty() || result.back().machine != machine) result.push_back({machine, 0});
    ++result.back().ranks;
  }
  return result;
}

std::string lines(const std::vector<std::string>& machines, const char* end) {
  std::string text;
  for (const std::string& machine : machines) text += machine + end;
  return text;
}

std::string openmpi_hostfile(const std::vector<std::string>& machines) {
  std::string text;
  std::map<std::string, std::int64_t> first;
  std::int64_t rank = 0;
  for (const HostEntry& entry : entries(machines)) {
    const auto [at, added] = first.emplace(entry.machine, rank);
    if (!added) {
      throw ArgumentError("ranks " + std::to_string(at->second) + " and " + std::to_string(rank) +
                          " are on '" + entry.machine +
                          "' with others between them, which a hostfile of Open "
                          "MPI cannot say; write a rankfile, and a hostfile of the sorted hosts");
    }
    text += entry.machine + " slots=" + std::to_string(entry.ranks) + "\n";
    rank += entry.ranks;
  }
  return text;
}

}  // namespace

std::string write_hostfile(const Topology& topology, const Placement& placement, std::string_view launcher) {
  const Launcher kind = launcher_of(launcher);
  const std::vector<std::string> all = machines(topology, placement);
  if (kind == Launcher::slurm) return lines(all, "\n");
  if (kind == Launcher::openmpi) return openmpi_hostfile(all);
  std::string text;
  for (const HostEntry& entry : entries(all))
    text += entry.machine + ":" + std::to_string(entry.ranks) + "\n";
  return text;
}

std::string write_rankfile(const Topology& topology, const Placement& placement, std::string_view launcher) {
  const Launcher kind = launcher_of(launcher);
  const std::vector<std::string> all = machines(topology, placement);
  if (kind == Launcher::slurm) return lines(all, "\n");
  if (kind == Launcher::mpich) return lines(all, ":1\n");
  std::string text;
  std::map<std::string, std::int32_t> slots;  // in use, by machine
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    text += "rank " + std::to_string(rank) + "=" + all[rank] + " slot=" + std::to_string(slots[all[rank]]++) +
            "\n";
  }
  return text;
}

}  // namespace sortlast::fabric
