// Slurm's topology.conf for the plugin topology/tree: a line a switch, with its nodes or the switches below
// it.
//
//   SwitchName=leaf1 Nodes=node[101-124]
//   SwitchName=spine Switches=leaf[1-2] LinkSpeed=100
//
// It knows neither ports nor GUIDs, nor how many cables a pair has: every pair gets as many as is asked for,
// ports are numbered as they come (downward first), and GUIDs are those of the families. A node on several
// switches is an adapter with several ports. Source: topology.conf(5).
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
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::size_t most_switch_ports = 65534;  // of a forwarding table

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// One SwitchName line.
struct Record {
  std::string name;
  std::vector<std::string> nodes, switches;
  std::int64_t line = 0;
  std::int32_t ports = 0;  // that have a cable
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, std::int32_t links)
      : scan_(text, file), lists_(scan_), links_(links) {}

  Topology read() {
    while (scan_.next_line()) read_line();
    if (records_.empty()) scan_.fail("expected 'SwitchName=... Nodes=...' or 'Switches=...', found none");
    index();
    count_ports();
    return build();
  }

 private:
  // A line that ends with a backslash goes on in the next.
  void read_line() {
    Record record;
    record.line = scan_.line_number();
    bool any = false;
    for (bool more = true; more;) {
      more = false;
      while (!scan_.at_end() && !scan_.accept("#")) {
        if (scan_.accept("\\")) {
          more = scan_.next_line();
          if (!more) scan_.fail("expected a line after '\\', found the end of the file");
          break;
        }
        read_field(record);
        any = true;
      }
    }
    if (!any) return;
    if (record.name.empty()) scan_.fail("expected 'SwitchName=' in this line");
    const std::size_t names = record.nodes.size() + record.switches.size();
    if (names > most_switch_ports) fail_ports(record, names);
    records_.push_back(std::move(record));
  }

  void read_field(Record& record) {
    const std::string_view field = scan_.word("a field");
    const std::size_t equals = field.find('=');
    const std::string_view key = field.substr(0, equals);
    if (equals == std::string_view::npos || equals + 1 == field.size()) fail_field(field);
    const std::string_view value = field.substr(equals + 1);
    if (same_word(key, "SwitchName")) {
      record.name = value;
    } else if (same_word(key, "Nodes")) {
      lists_.expand(value, record.nodes);
    } else if (same_word(key, "Switches")) {
      lists_.expand(value, record.switches);
    } else if (!same_word(key, "LinkSpeed")) {  // a hint for Slurm, without a unit
      fail_field(field);
    }
  }

  [[noreturn]] void fail_field(std::string_view field) const {
    scan_.fail("expected SwitchName=, Nodes=, Switches= or LinkSpeed=, found '" + excerpt(field) + "'");
  }

  [[noreturn]] void fail_ports(const Record& record, std::size_t ports) const {
    scan_.fail_at(record.line, "switch '" + excerpt(record.name) + "' would have " + std::to_string(ports) +
                                   " ports; expected at most " + std::to_string(most_switch_ports));
  }

  void index() {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const auto [at, added] = by_name_.emplace(records_[i].name, i);
      if (added) continue;
      scan_.fail_at(records_[i].line, "a second line of switch '" + excerpt(records_[i].name) +
                                          "'; the first is line " +
                                          std::to_string(records_[at->second].line));
    }
  }

  void count_ports() {
    for (Record& record : records_) {
      record.ports += static_cast<std::int32_t>(record.nodes.size());
      record.ports += links_ * static_cast<std::int32_t>(record.switches.size());
      for (const std::string& below : record.switches) {
        const auto found = by_name_.find(below);
        if (found == by_name_.end()) {
          scan_.fail_at(record.line, "switch '" + excerpt(below) + "' has no line of its own");
        }
        records_[found->second].ports += links_;
      }
    }
    for (const Record& record : records_) {
      const auto ports = static_cast<std::size_t>(record.ports);
      if (ports > most_switch_ports) fail_ports(record, ports);
    }
  }

  Topology build() {
    TopologyBuilder builder(scan_.file() + (links_ == 1
                                                ? " (taken: 1 cable a link)"
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

  Scanner scan_;
  NameLists lists_;
  std::int32_t links_;
  std::vector<Record> records_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<std::string, Adapter> adapters_;
};

}  // namespace

Topology read_slurm_topology(std::string_view text, const std::string& file, std::int32_t links) {
  constexpr std::int32_t most_links = 1024;
  if (links < 1 || links > most_links) {
    throw ArgumentError(std::to_string(links) + " cables a link; expected 1 to " +
                        std::to_string(most_links));
  }
  return Reader(text, file, links).read();
}

}  // namespace sortlast::fabric
