#include "sortlast/fabric/read/formats.hpp"

#include <algorithm>
#include <array>

#include "sortlast/error.hpp"
#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/read/tool_output.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int64_t lines_looked_at = 1000;      // that are not empty, comments or messages
constexpr std::size_t characters_looked_at = 4096;  // of a line

template <std::size_t n>
bool starts(std::string_view line, const std::array<std::string_view, n>& with) {
  return std::ranges::any_of(with, [&](std::string_view each) { return line.starts_with(each); });
}
template <std::size_t n>
bool holds(std::string_view line, const std::array<std::string_view, n>& any) {
  return std::ranges::any_of(any, [&](std::string_view each) { return line.find(each) != line.npos; });
}

// "word 36": a word, blanks and a digit.
bool counts(std::string_view line, std::string_view word) {
  if (!line.starts_with(word) || line.size() == word.size()) return false;
  const std::size_t at = line.find_first_not_of(" \t", word.size());
  return at != line.npos && at > word.size() && line[at] >= '0' && line[at] <= '9';
}

// "topology:" as the key of a mapping, in block style, flow style or JSON.
bool has_key(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != line.npos; at = line.find(key, at + 1)) {
    std::size_t begin = at, end = at + key.size();
    if (begin > 0 && (line[begin - 1] == '"' || line[begin - 1] == '\'')) --begin;
    if (end < line.size() && (line[end] == '"' || line[end] == '\'')) ++end;
    end = std::min(line.find_first_not_of(" \t", end), line.size());
    const bool opens = begin == 0 || std::string_view(" \t-{[,").find(line[begin - 1]) != line.npos;
    if (opens && end < line.size() && line[end] == ':') return true;
  }
  return false;
}

// "ca 12 1 0x...": the kind of a node, two numbers and a GUID.
bool is_port_report(std::string_view line) {
  static constexpr std::array nodes{std::string_view("sw"), std::string_view("ca"), std::string_view("rt")};
  if (!starts(line, nodes)) return false;
  std::size_t at = 2;
  for (int numbers = 0; numbers < 2; ++numbers) {
    if (at == line.npos || !counts(line, line.substr(0, at))) return false;
    at = line.find_first_not_of("0123456789", line.find_first_not_of(" \t", at));
  }
  at = line.find_first_not_of(" \t", at);
  return at != line.npos && line.substr(at).starts_with("0x");
}

bool is_iblinkinfo(std::string_view line) {
  static constexpr std::array begin{std::string_view("switch: "), std::string_view("switch 0x"),
                                    std::string_view("ca: ")};
  return starts(line, begin) || (line.find("==(") != line.npos && line.find(")==>") != line.npos);
}

bool is_ibnetdiscover(std::string_view line) {
  static constexpr std::array begin{std::string_view("vendid="),     std::string_view("devid="),
                                    std::string_view("sysimgguid="), std::string_view("caguid="),
                                    std::string_view("rtguid="),     std::string_view("switchguid=")};
  static constexpr std::array nodes{std::string_view("switch"), std::string_view("ca"),
                                    std::string_view("hca"), std::string_view("rt")};
  if (starts(line, begin)) return true;
  if (is_port_report(line)) return false;  // descriptions in it may hold quotes
  return std::ranges::any_of(nodes, [&](std::string_view node) {
    return line.starts_with(node) && line.size() > node.size() &&
           (line[node.size()] == ' ' || line[node.size()] == '\t') && line.find('"') != line.npos;
  });
}

bool is_subnet_list(std::string_view line) {
  return line.starts_with('{') && line.find("ports:") != line.npos && line.find("systemguid:") != line.npos;
}

bool is_slurm_conf(std::string_view line) {
  static constexpr std::array begin{std::string_view("switchname"), std::string_view("include "),
                                    std::string_view("include\t")};
  return starts(line, begin);
}

bool is_slurm_yaml(std::string_view line) { return has_key(line, "topology"); }

bool is_slurm_block(std::string_view line) {
  static constexpr std::array begin{std::string_view("blockname"), std::string_view("blocksizes")};
  return starts(line, begin);
}

bool is_tables(std::string_view line) {
  static constexpr std::array begin{std::string_view("unicast lids"), std::string_view("dump_ucast_routes:"),
                                    std::string_view("osm_ucast_mgr_dump_ucast_routes:")};
  return starts(line, begin);
}

bool is_database(std::string_view line) {
  static constexpr std::array begin{std::string_view("start_nodes"), std::string_view("start_ports"),
                                    std::string_view("index_table")};
  return starts(line, begin);
}

bool is_ufm(std::string_view line) {
  return has_key(line, "source_guid") || has_key(line, "destination_guid");
}
bool is_ufm_plan(std::string_view line) { return line.find("startdevice,startport") != line.npos; }
bool is_netq(std::string_view line) {
  return has_key(line, "compounded_links") || has_key(line, "compounded_nodes") ||
         line.find("-*-") != line.npos;
}
bool is_lldp(std::string_view line) { return has_key(line, "cnode") || has_key(line, "lldp"); }

// "graph vx {", or an edge "leaf01":"swp51" -- "spine01":"swp1".
bool is_dot(std::string_view line) {
  static constexpr std::array begin{std::string_view("graph "), std::string_view("graph{"),
                                    std::string_view("strict graph")};
  return (starts(line, begin) && line.find('{') != line.npos) || line.find("\" -- \"") != line.npos;
}

// "kind: Node", "kind": "NodeList", of the output of kubectl get nodes.
bool is_kubernetes(std::string_view line) {
  return has_key(line, "kind") &&
         holds(line, std::array{std::string_view(": node"), std::string_view(":\"node"),
                                std::string_view(": \"node")});
}

// Labels of nodes in Kubernetes, and the layers or levels of switches from which they are made.
bool is_topograph(std::string_view line) {
  return line.find("fabric.topograph.run/") != line.npos ||
         line.find("network.topology.nvidia.com/") != line.npos ||
         line.find("accelerator.topograph.run/") != line.npos || has_key(line, "network_layers") ||
         has_key(line, "networknodes") || is_kubernetes(line);
}
bool is_topograph_model(std::string_view line) {
  return line.starts_with("switches:") || line.starts_with("blocks:");
}

bool is_nccl(std::string_view line) {
  static constexpr std::array begin{std::string_view("<system "), std::string_view("<graphs "),
                                    std::string_view("gpu0"), std::string_view("\x1b[4mgpu0")};
  return starts(line, begin);
}
bool is_infragraph(std::string_view line) {
  return has_key(line, "infrastructure") || has_key(line, "edges");
}
bool is_htsim(std::string_view line) {
  return counts(line, "tiers") || counts(line, "podsize") || counts(line, "connections");
}
bool is_xml(std::string_view line) { return line.starts_with("<?xml"); }

constexpr std::string_view discover = "run ibnetdiscover on the same fabric and read what it prints";
constexpr std::string_view in_python = "sortlast.fabric.read takes it, in Python";

constexpr std::array formats{
    Format{"ibnetdiscover's output or an ibsim netlist",
           "Switch 36 \"S-0002c902004a0000\"",
           {},
           is_ibnetdiscover,
           read_ibnetdiscover},
    Format{"ibnetdiscover -p",
           "SW 5 1 0x0002c902004a0000 4x HDR - CA ...",
           {},
           is_port_report,
           read_port_report},
    Format{"iblinkinfo's output", "Switch: 0x0002c902004a0000 leaf-1:", {}, is_iblinkinfo, read_link_info},
    Format{"opensm-subnet.lst", "{ SW Ports:24 SystemGUID:...", {}, is_subnet_list, read_subnet_list},
    Format{"topology.conf",
           "SwitchName=leaf1 Nodes=node[01-24]",
           {},
           is_slurm_conf,
           [](std::string_view text, const std::string& file) { return read_slurm_topology(text, file); }},
    Format{"topology.yaml", "- topology: default", in_python, is_slurm_yaml},
    Format{"topology.conf of blocks",
           {},
           "it has no switches; give it as the blocks of a fabric (--blocks)",
           is_slurm_block},
    Format{"forwarding tables", {}, "read a topology first, then these for it (--lft)", is_tables},
    Format{"ibdiagnet's database (.db_csv)", "START_NODES", {}, is_database, read_db_csv},
    Format{"UFM's list of links", "\"source_guid\": \"0002c902004a0000\"", in_python, is_ufm},
    Format{"UFM's planned topology", {}, discover, is_ufm_plan},
    Format{"NetQ's topology graph", "\"compounded_links\": [", in_python, is_netq},
    Format{"topology.dot", "\"leaf01\":\"swp51\" -- \"spine01\":\"swp1\"", in_python, is_dot},
    Format{"labels of nodes", "fabric.topograph.run/tier-0: leaf1", in_python, is_topograph},
    Format{"NVIDIA topograph's model", "switches:", in_python, is_topograph_model},
    Format{"LLDP neighbours of one node", {}, "write the cables of all nodes as a topology.dot", is_lldp},
    Format{"a node's GPUs and adapters",
           {},
           "read a topology first, then this for its adapters (--rail)",
           is_nccl},
    Format{"an InfraGraph", {}, "write its switches as Slurm's topology.conf", is_infragraph},
    Format{"a file of htsim",
           {},
           "build its topology by family (sortlast fabric build k-ary-n-tree:12,2)",
           is_htsim},
    Format{"XML", {}, discover, is_xml},
};

struct Recognised {
  const Format* format = nullptr;  // nullptr: none
  std::int64_t line = 1;           // that identified the format; else the first that is not empty
  std::string first;               // the first line that is not empty
};

Recognised recognise(std::string_view text, const std::string& file) {
  ToolOutput scan(text, file);
  Recognised found;
  for (std::int64_t lines = 0; lines < lines_looked_at && scan.next_line();) {
    if (scan.at_end() || scan.accept("#")) continue;
    std::string line(scan.rest().substr(0, characters_looked_at));
    if (lines++ == 0) found = {nullptr, scan.line_number(), line};
    std::ranges::transform(line, line.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
    for (const Format& format : formats) {
      if (format.has(line)) return {&format, scan.line_number(), found.first};
    }
  }
  return found;
}

[[noreturn]] void fail_unknown(const Recognised& found, const Scanner& scan) {
  std::string expected;
  for (const Format& format : formats) {
    if (format.looks.empty()) continue;
    expected +=
        (expected.empty() ? "" : ", ") + std::string(format.name) + " (" + std::string(format.looks) + ")";
  }
  scan.fail_at(found.line, (found.first.empty() ? std::string("the file holds no fabric: it is empty")
                                                : "no known format of a fabric has this line: '" +
                                                      excerpt(found.first) + "'") +
                               "; expected one of " + expected);
}

}  // namespace

std::string format_of(std::string_view text) {
  const Recognised found = recognise(text, "");
  return found.format == nullptr ? "" : std::string(found.format->name);
}

Topology read_topology(std::string_view text, const std::string& file) {
  const Recognised found = recognise(text, file);
  const Scanner scan(text, file);
  if (found.format == nullptr) fail_unknown(found, scan);
  if (found.format->read == nullptr) {
    scan.fail_at(found.line, "expected a fabric, found " + std::string(found.format->name) + "; " +
                                 std::string(found.format->instead));
  }
  return found.format->read(text, file);
}

}  // namespace sortlast::fabric
