// Slurm's topology.conf for the plugin topology/tree: one line per switch, with its nodes or the switches
// below it.
//
//   SwitchName=leaf1 Nodes=node[101-124]
//   SwitchName=spine Switches=leaf[1-2] LinkSpeed=100
//
// The file has neither ports nor GUIDs, nor the number of cables between two switches: every pair gets the
// requested number of links, ports are numbered in the order in which they are named (downward first), and
// GUIDs are numbered as in the families. A node on several switches is an adapter with several ports.
// Sources: topology.conf(5); Slurm, src/common/parse_config.c and slurm_topology.c.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/read/name_lists.hpp"
#include "sortlast/fabric/read/net.hpp"
#include "sortlast/fabric/read/tool_output.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::size_t most_switch_ports = 65534;  // limit of a forwarding table
constexpr std::int64_t most_ports_in_all = std::int64_t{1} << 26;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

// Reads the settings of each line, split as in Slurm's own parser.
class LineReader {
 public:
  LineReader(std::string_view text, const std::string& file) : scan_(text, file) {}

  std::vector<SlurmLine> read() {
    std::vector<SlurmLine> lines;
    while (scan_.next_line()) {
      SlurmLine line{scan_.file(), scan_.line_number(), {}};
      split(read_text(), line);
      if (!line.settings.empty()) lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  // A line without its comment, joined with the next ones if it ends with an odd number of backslashes.
  std::string read_text() {
    std::string text;
    while (true) {
      std::string_view part = scan_.line();
      for (std::size_t at = part.find('#'); at != part.npos; at = part.find('#', at + 1)) {
        if (at > 0 && part[at - 1] == '\\') continue;
        part = part.substr(0, at);
        break;
      }
      while (!part.empty() && is_space(part.back())) part.remove_suffix(1);
      std::size_t slashes = 0;
      while (slashes < part.size() && part[part.size() - 1 - slashes] == '\\') ++slashes;
      if (slashes % 2 == 0) return text.append(part);
      text.append(part.substr(0, part.size() - 1));
      if (!scan_.next_line()) return text;
    }
  }

  // Splits "Key = value", "Key=\"a value\"" and "Include FILE". Words of `text` end at blanks.
  void split(std::string_view text, SlurmLine& line) const {
    std::size_t at = 0;
    const auto skip = [&] {
      while (at < text.size() && is_space(text[at])) ++at;
    };
    for (skip(); at < text.size(); skip()) {
      const std::size_t begin = at;
      while (at < text.size() && !is_space(text[at]) && text[at] != '=') ++at;
      const std::string key = lower(text.substr(begin, at - begin));
      skip();
      const bool includes = line.settings.empty() && key == "include" && at < text.size() && text[at] != '=';
      if (!includes) {
        if (key.empty() || at == text.size() || text[at] != '=') fail(line, text.substr(begin));
        ++at;
        skip();
      }
      const std::string value = read_value(text, at);
      if (value.empty()) fail(line, text.substr(begin));
      line.settings.emplace_back(key, value);
    }
  }

  static std::string read_value(std::string_view text, std::size_t& at) {
    const bool quoted = at < text.size() && text[at] == '"' && text.find('"', at + 1) != text.npos;
    const std::size_t begin = quoted ? at + 1 : at;
    std::size_t end = begin;
    while (end < text.size() && (quoted ? text[end] != '"' : !is_space(text[end]))) ++end;
    at = quoted ? end + 1 : end;
    return std::string(text.substr(begin, end - begin));
  }

  [[noreturn]] void fail(const SlurmLine& line, std::string_view found) const {
    scan_.fail_at(line.line, "expected settings (NAME=VALUE), found '" + excerpt(found) + "'");
  }

  ToolOutput scan_;
};

struct Record {
  std::string name;
  std::vector<std::string> nodes, switches;
  const SlurmLine* line = nullptr;
  std::int32_t ports = 0;  // with a cable
};

class Maker {
 public:
  Maker(const std::vector<SlurmLine>& lines, std::string file, std::int32_t links)
      : file_(std::move(file)), links_(links) {
    for (const SlurmLine& line : lines) add(line);
  }

  Topology make() {
    if (records_.empty()) {
      throw ArgumentError(file_ + ":1: expected 'SwitchName=... Nodes=...' or 'Switches=...', found none");
    }
    index();
    count_ports();
    return build();
  }

 private:
  [[noreturn]] static void fail(const SlurmLine& line, const std::string& message) {
    throw ArgumentError(line.file + ":" + std::to_string(line.line) + ": " + message);
  }

  void add(const SlurmLine& line) {
    Record record;
    record.line = &line;
    for (const auto& [key, value] : line.settings) {
      if (key == "switchname") {
        record.name = value;
      } else if (key == "nodes") {
        expand(line, value, record.nodes);
      } else if (key == "switches") {
        expand(line, value, record.switches);
      } else if (key == "include") {
        fail(line, "expected the lines of '" + excerpt(value) +
                       "' in its place: only sortlast.fabric.read opens the files that a file includes");
      } else if (key != "linkspeed") {  // a hint for Slurm, without a unit
        fail(line, "expected SwitchName=, Nodes=, Switches= or LinkSpeed=, found '" + excerpt(key) + "='");
      }
    }
    if (record.name.empty()) fail(line, "expected 'SwitchName=' in this line");
    const std::size_t names = record.nodes.size() + record.switches.size();
    if (names > most_switch_ports) fail_ports(record, static_cast<std::int64_t>(names));
    records_.push_back(std::move(record));
  }

  void expand(const SlurmLine& line, const std::string& list, std::vector<std::string>& names) {
    lists_.expand(list, names, [&](const std::string& message) { fail(line, message); });
  }

  [[noreturn]] static void fail_ports(const Record& record, std::int64_t ports) {
    fail(*record.line, "switch '" + excerpt(record.name) + "' would have " + std::to_string(ports) +
                           " ports; expected at most " + std::to_string(most_switch_ports));
  }

  void index() {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const auto [at, added] = by_name_.emplace(records_[i].name, i);
      if (added) continue;
      const SlurmLine& first = *records_[at->second].line;
      fail(*records_[i].line, "a second line of switch '" + excerpt(records_[i].name) + "'; the first is " +
                                  (first.file == records_[i].line->file ? "line " : first.file + ":") +
                                  std::to_string(first.line));
    }
  }

  void count_ports() {
    std::vector<std::int64_t> ports(records_.size());
    std::int64_t all = 0;
    for (std::size_t s = 0; s < records_.size(); ++s) {
      const Record& record = records_[s];
      const auto down = static_cast<std::int64_t>(record.nodes.size()) +
                        links_ * static_cast<std::int64_t>(record.switches.size());
      ports[s] += down;
      all += 2 * down;
      if (all > most_ports_in_all) {
        fail(*record.line, "expected at most " + std::to_string(most_ports_in_all) +
                               " ports in all, found more; are there " + std::to_string(links_) +
                               " links for each pair of switches?");
      }
      for (const std::string& below : record.switches) {
        const auto found = by_name_.find(below);
        if (found == by_name_.end()) {
          fail(*record.line, "switch '" + excerpt(below) + "' has no line of its own");
        }
        ports[found->second] += links_;
      }
    }
    for (std::size_t s = 0; s < records_.size(); ++s) {
      if (ports[s] > static_cast<std::int64_t>(most_switch_ports)) fail_ports(records_[s], ports[s]);
      records_[s].ports = static_cast<std::int32_t>(ports[s]);
    }
  }

  Topology build() {
    TopologyBuilder builder(file_ + (links_ == 1 ? " (taken: 1 cable a link)"
                                                 : " (taken: " + std::to_string(links_) + " cables a link)"));
    std::vector<std::int32_t> next_up(records_.size());
    for (std::size_t s = 0; s < records_.size(); ++s) {
      const Record& record = records_[s];
      builder.add_switch({.name = record.name, .guid = 0x20000000 + s, .ports = record.ports});
      next_up[s] = static_cast<std::int32_t>(record.nodes.size()) +
                   links_ * static_cast<std::int32_t>(record.switches.size());
    }
    for (std::size_t s = 0; s < records_.size(); ++s) {
      std::int32_t port = 0;
      for (const std::string& node : records_[s].nodes) {
        builder.connect_host(add_host(builder, node), static_cast<std::int32_t>(s), ++port);
      }
      for (const std::string& below : records_[s].switches) {
        const std::size_t other = by_name_.at(below);
        for (std::int32_t link = 0; link < links_; ++link) {
          builder.connect(static_cast<std::int32_t>(s), ++port, static_cast<std::int32_t>(other),
                          ++next_up[other]);
        }
      }
    }
    return std::move(builder).finish();
  }

  std::int32_t add_host(TopologyBuilder& builder, const std::string& name) {
    const auto [at, added] = adapters_.emplace(name, Adapter{adapters_.size(), 0});
    const std::uint64_t guid = 0x10000000 + 16 * at->second.number;
    const std::int32_t port = ++at->second.ports;
    return builder.add_host(
        {.name = name, .guid = guid, .port_guid = guid + static_cast<std::uint64_t>(port), .port = port});
  }

  struct Adapter {
    std::uint64_t number = 0;
    std::int32_t ports = 0;
  };

  std::string file_;
  NameLists lists_;
  std::int32_t links_;
  std::vector<Record> records_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<std::string, Adapter> adapters_;
};

}  // namespace

std::vector<SlurmLine> read_slurm_lines(std::string_view text, const std::string& file) {
  return LineReader(text, file).read();
}

Topology make_slurm_topology(const std::vector<SlurmLine>& lines, const std::string& file,
                             std::int32_t links) {
  constexpr std::int32_t most_links = 1024;
  if (links < 1 || links > most_links) {
    throw ArgumentError(std::to_string(links) + " cables a link; expected 1 to " +
                        std::to_string(most_links));
  }
  return Maker(lines, file, links).make();
}

Topology read_slurm_topology(std::string_view text, const std::string& file, std::int32_t links) {
  return make_slurm_topology(read_slurm_lines(text, file), file, links);
}

}  // namespace sortlast::fabric
