// Input of launchers and schedulers: Slurm's lists of names, hostfiles and rankfiles.
//
// In a list consecutive names with consecutive numbers become a range, "node[001-004,007],login". The order
// of the list does not change, so reading it back gives the same names. See read/name_lists.cpp.
#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>

#include "sortlast/error.hpp"
#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

namespace {

// Whether a name consists only of letters, digits, '.', '_' and '-'.
bool is_plain_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

// The machine of a host: its name up to the first blank ("host00000" of "host00000 HCA-1"). Throws
// ArgumentError if that is not a plain name.
std::string machine_of(const Host& host) {
  std::string machine = host.name.substr(0, host.name.find(' '));
  if (!is_plain_name(machine)) {
    throw ArgumentError("host '" + host.name +
                        "' does not begin with the name of a machine (letters, digits, "
                        "'.', '_', '-' up to a blank); launchers and schedulers need one");
  }
  return machine;
}

constexpr std::size_t most_digits = 18;

struct Split {
  std::string_view head;    // "node"
  std::string_view digits;  // "001"; empty: the name does not end in digits
};

Split split(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
  if (name.size() - begin > most_digits) begin = name.size() - most_digits;
  return {name.substr(0, begin), name.substr(begin)};
}

// The number after `digits`, padded with leading zeros to at least the same length.
std::string next_number(std::string_view digits) {
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const std::string next = std::to_string(number + 1);
  return std::string(digits.size() > next.size() ? digits.size() - next.size() : 0, '0') + next;
}

// Consecutive names with the same head.
class Group {
 public:
  explicit Group(const Split& first) : head_(first.head) { begin_range(first.digits); }

  bool add(const Split& name) {
    if (name.digits.empty() || name.head != head_ || first_.empty()) return false;
    if (next_ == name.digits) {
      last_ = name.digits;
      next_ = next_number(last_);
      ++count_;
    } else {
      end_range();
      begin_range(name.digits);
    }
    return true;
  }

  std::string text() {
    if (first_.empty()) return std::string(head_);
    end_range();
    return std::string(head_) + (many_ ? "[" + ranges_ + "]" : ranges_);
  }

 private:
  void begin_range(std::string_view digits) {
    first_ = last_ = digits;
    next_ = digits.empty() ? "" : next_number(digits);
    count_ = 1;
  }

  void end_range() {
    many_ = many_ || !ranges_.empty() || count_ > 1;
    if (!ranges_.empty()) ranges_ += ',';
    ranges_ += first_;
    if (count_ > 1) ranges_.append("-").append(last_);
  }

  std::string_view head_, first_, last_;  // of the open range
  std::string next_;                      // number that would extend it
  std::string ranges_;                    // closed ranges
  std::int64_t count_ = 0;
  bool many_ = false;
};

}  // namespace

std::string fold_node_list(const std::vector<std::string>& names) {
  std::string list;
  const auto append = [&list](const std::string& text) { list += (list.empty() ? "" : ",") + text; };
  std::vector<Group> open;  // none or one
  for (const std::string& name : names) {
    if (!is_plain_name(name)) {
      throw ArgumentError("'" + name +
                          "' cannot stand in a list of names: expected letters, digits, '.', '_' "
                          "and '-'");
    }
    const Split parts = split(name);
    if (!open.empty() && open.back().add(parts)) continue;
    if (!open.empty()) append(open.back().text());
    open.assign(1, Group(parts));
  }
  if (!open.empty()) append(open.back().text());
  return list;
}

// Hostfiles and rankfiles: participant i becomes rank i (dummies are left out and not counted).
//
//   launcher  file      form                           options of mpiexec, or of srun
//   mpich     hostfile  "HOST:N", ranks in file order  -f FILE
//             rankfile  "HOST:1" per rank              -f FILE
//   openmpi   hostfile  "HOST slots=N" once per host   --hostfile FILE --map-by slot
//             rankfile  "rank R=HOST slot=S"           --hostfile HOSTS --map-by rankfile:file=FILE
//   slurm     both      "HOST" per rank                -m arbitrary, and SLURM_HOSTFILE=FILE
//   torchrun  both      "HOST --nnodes=N --node-rank=R --master-addr=HOST0" per node: torchrun's options
//
// openmpi-rankfile writes the rankfile of Open MPI for both.
//
// MPICH's Hydra fills the entries of its file one after the other, so the same host may occur again. Open MPI
// adds up the entries of a host, so a hostfile cannot return to one; such an order is rejected in favour of a
// rankfile. Slurm's arbitrary distribution takes one line per task, in order, and nothing else. torchrun
// starts all ranks of a node itself and numbers them by --node-rank (unless a rendezvous numbers nodes in
// order of arrival), so the ranks of a node must be consecutive and equally many on every node; if there is
// more than one, --nproc-per-node gives their number. Sources: MPICH, Hydra's user guide; PRRTE, "Hostfiles"
// and "Rankfiles"; srun(1), --distribution; PyTorch, "torchrun (Elastic Launch)".

namespace {

enum class Launcher { mpich, openmpi, openmpi_rankfile, slurm, torchrun };

Launcher launcher_of(std::string_view name) {
  if (name == "mpich") return Launcher::mpich;
  if (name == "openmpi") return Launcher::openmpi;
  if (name == "openmpi-rankfile") return Launcher::openmpi_rankfile;
  if (name == "slurm") return Launcher::slurm;
  if (name == "torchrun") return Launcher::torchrun;
  throw ArgumentError("unknown launcher '" + std::string(name) +
                      "'; expected mpich, openmpi, openmpi-rankfile, slurm or torchrun");
}

// Machine of each rank.
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

// Consecutive ranks on the same machine, as one entry.
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

std::string openmpi_rankfile(const std::vector<std::string>& machines) {
  std::string text;
  std::map<std::string, std::int32_t> slots;  // in use, by machine
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    text += "rank " + std::to_string(rank) + "=" + machines[rank] +
            " slot=" + std::to_string(slots[machines[rank]]++) + "\n";
  }
  return text;
}

std::string torchrun_lines(const std::vector<std::string>& machines) {
  const std::vector<HostEntry> nodes = entries(machines);
  std::set<std::string> seen;
  for (const HostEntry& node : nodes) {
    if (node.ranks != nodes.front().ranks) {
      throw ArgumentError("ranks in a row on '" + nodes.front().machine +
                          "': " + std::to_string(nodes.front().ranks) + ", on '" + node.machine +
                          "': " + std::to_string(node.ranks) + "; torchrun starts as many on each node");
    }
    if (!seen.insert(node.machine).second) {
      throw ArgumentError(
          "the ranks on '" + node.machine +
          "' do not follow each other, and torchrun numbers node by node; put those of a node "
          "together");
    }
  }
  std::string text;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    text += nodes[n].machine + " --nnodes=" + std::to_string(nodes.size()) +
            " --node-rank=" + std::to_string(n) + " --master-addr=" + nodes.front().machine;
    if (nodes[n].ranks > 1) text += " --nproc-per-node=" + std::to_string(nodes[n].ranks);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string write_hostfile(const Topology& topology, const Placement& placement, std::string_view launcher) {
  const Launcher kind = launcher_of(launcher);
  const std::vector<std::string> all = machines(topology, placement);
  if (kind == Launcher::slurm) return lines(all, "\n");
  if (kind == Launcher::torchrun) return torchrun_lines(all);
  if (kind == Launcher::openmpi) return openmpi_hostfile(all);
  if (kind == Launcher::openmpi_rankfile) return openmpi_rankfile(all);
  std::string text;
  for (const HostEntry& entry : entries(all))
    text += entry.machine + ":" + std::to_string(entry.ranks) + "\n";
  return text;
}

std::string write_rankfile(const Topology& topology, const Placement& placement, std::string_view launcher) {
  const Launcher kind = launcher_of(launcher);
  const std::vector<std::string> all = machines(topology, placement);
  if (kind == Launcher::slurm) return lines(all, "\n");
  if (kind == Launcher::torchrun) return torchrun_lines(all);
  if (kind == Launcher::mpich) return lines(all, ":1\n");
  return openmpi_rankfile(all);
}

}  // namespace sortlast::fabric
