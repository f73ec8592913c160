// Slurm's lists of names and its topology.conf.
//
// Bracket lists: "node[001-004,7]b[1-2],login". Numbers keep the zeros of the first of their range; of
// several brackets the last counts fastest. Source: Slurm, src/common/hostlist.c. A name with blanks, as
// adapters have, stands in quotation marks between blanks, commas and ends of lines, and holds no brackets.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/read/net.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::size_t most_names = std::size_t{1} << 20;
constexpr std::size_t most_bytes = std::size_t{1} << 25;
constexpr std::size_t most_digits = 18;

// A part of a name: one text, or the numbers of a bracket.
using Part = std::vector<std::string>;

// Reads one list item by item. What an item stands for is counted before it is written out.
class Expander {
 public:
  Expander(std::string_view list, const Scanner& scanner, std::size_t& names, std::size_t& bytes)
      : list_(list), scanner_(scanner), names_(names), bytes_(bytes) {}

  void expand(std::vector<std::string>& result) {
    do {
      const std::vector<Part> parts = read_item();
      std::string name;
      write_out(parts, 0, name, result);
    } while (accept(','));
    if (at_ != list_.size()) fail("',' or the end of the list");
  }

 private:
  // One item: pieces of text and brackets in turn.
  std::vector<Part> read_item() {
    std::vector<Part> parts;
    std::size_t count = 1, bytes = 0;  // of all its names
    while (at_ < list_.size() && list_[at_] != ',' && list_[at_] != ']') {
      parts.push_back(accept('[') ? read_bracket() : Part{read_text()});
      const Part& part = parts.back();
      std::size_t added = 0;
      for (const std::string& text : part) added += text.size();
      check_limits(names_ + count * part.size(), bytes_ + bytes * part.size() + added * count);
      bytes = bytes * part.size() + added * count;
      count *= part.size();
    }
    if (parts.empty()) fail("a name");
    names_ += count;
    bytes_ += bytes;
    return parts;
  }

  // Every name that begins with `name` and goes on by one of each part from number `first`; the last part
  // changes fastest.
  static void write_out(const std::vector<Part>& parts, std::size_t first, std::string& name,
                        std::vector<std::string>& result) {
    while (first < parts.size() && parts[first].size() == 1) name += parts[first++].front();
    if (first == parts.size()) {
      result.push_back(name);
      return;
    }
    const std::size_t head = name.size();
    for (const std::string& text : parts[first]) {
      name.resize(head);
      write_out(parts, first + 1, name += text, result);
    }
  }

  std::string read_text() {
    const std::size_t begin = at_;
    at_ = std::min(list_.find_first_of("[],", at_), list_.size());
    return std::string(list_.substr(begin, at_ - begin));
  }

  // 001-004,7] : the numbers as text.
  Part read_bracket() {
    Part numbers;
    do {
      const std::string_view first = read_digits();
      const std::string_view last = accept('-') ? read_digits() : first;
      const std::int64_t from = value(first), to = value(last);
      if (to < from) fail_range(first, last);
      if (static_cast<std::uint64_t>(to - from) >= most_names - numbers.size())
        check_limits(most_names + 1, 0);
      for (std::int64_t number = from; number <= to; ++number) {
        const std::string digits = std::to_string(number);
        numbers.push_back(std::string(first.size() - std::min(first.size(), digits.size()), '0') + digits);
      }
    } while (accept(','));
    if (!accept(']')) fail("',', '-' or ']' in a bracket");
    return numbers;
  }

  std::string_view read_digits() {
    const std::size_t end = std::min(list_.find_first_not_of("0123456789", at_), list_.size());
    const std::string_view digits = list_.substr(at_, end - at_);
    if (digits.empty() || digits.size() > most_digits) fail("a number of up to 18 digits");
    at_ = end;
    return digits;
  }

  static std::int64_t value(std::string_view digits) {
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }

  bool accept(char c) {
    if (at_ == list_.size() || list_[at_] != c) return false;
    ++at_;
    return true;
  }

  void check_limits(std::size_t names, std::size_t bytes) const {
    if (names <= most_names && bytes <= most_bytes) return;
    scanner_.fail("expected at most " + std::to_string(most_names) + " names of " +
                  std::to_string(most_bytes >> 20) + " MiB together, found more in '" + excerpt(list_) + "'");
  }
  [[noreturn]] void fail(const std::string& expected) const {
    const std::string_view left = list_.substr(at_);
    scanner_.fail("expected " + expected + " in '" + excerpt(list_) + "', found " +
                  (left.empty() ? "its end" : "'" + excerpt(left) + "'"));
  }
  [[noreturn]] void fail_range(std::string_view first, std::string_view last) const {
    scanner_.fail("expected a range that counts up, found '" + std::string(first) + "-" + std::string(last) +
                  "'");
  }

  std::string_view list_;
  const Scanner& scanner_;
  std::size_t &names_, &bytes_;
  std::size_t at_ = 0;
};

// Expands the lists of one file. A few characters may stand for many names, so all of them together may be
// 2^20 names and 32 MiB at most.
class NameLists {
 public:
  // `scanner` says where a list stands, and must outlive this.
  explicit NameLists(const Scanner& scanner) : scanner_(scanner) {}

  // Appends the names of `list`, which holds no blanks, to `names`. Throws ArgumentError.
  void expand(std::string_view list, std::vector<std::string>& names) {
    Expander(list, scanner_, names_, bytes_).expand(names);
  }

 private:
  const Scanner& scanner_;
  std::size_t names_ = 0, bytes_ = 0;  // so far
};

}  // namespace

std::vector<std::string> read_node_list(std::string_view text, const std::string& file) {
  Scanner scan(text, file);
  NameLists lists(scan);
  std::vector<std::string> names;
  while (scan.next_line()) {
    while (!scan.at_end() && !scan.accept("#")) {
      // A list that goes on behind a blank or in the next line may say so with a comma.
      if (scan.accept(",")) continue;
      if (scan.rest().starts_with('"')) {
        names.emplace_back(scan.quoted("a name"));
        continue;
      }
      std::string_view list = scan.word("a list of names");
      if (list.find('"') != std::string_view::npos) {
        scan.fail("expected a blank before the first quotation mark of '" + excerpt(list) + "'");
      }
      if (list.ends_with(',')) list.remove_suffix(1);
      lists.expand(list, names);
    }
  }
  return names;
}

// Slurm's topology.conf for the plugin topology/tree: a line a switch, with its nodes or the switches below
// it.
//
//   SwitchName=leaf1 Nodes=node[101-124]
//   SwitchName=spine Switches=leaf[1-2] LinkSpeed=100
//
// It knows neither ports nor GUIDs, and how many cables a pair has: every pair gets one, ports are numbered
// as they come (downward first), and GUIDs are those of the families. A node on several switches is an
// adapter with several ports. Source: topology.conf(5).

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
  Reader(std::string_view text, const std::string& file) : scan_(text, file), lists_(scan_) {}

  Topology read() {
    while (scan_.next_line()) read_line();
    if (records_.empty()) scan_.fail("expected 'SwitchName=... Nodes=...' or 'Switches=...', found none");
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
    const auto [at, added] = by_name_.emplace(record.name, records_.size());
    if (!added) {
      scan_.fail("a second line of switch '" + excerpt(record.name) + "'; the first is line " +
                 std::to_string(records_[at->second].line));
    }
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

  void count_ports() {
    for (Record& record : records_) {
      record.ports += static_cast<std::int32_t>(record.nodes.size() + record.switches.size());
      for (const std::string& below : record.switches) {
        const auto found = by_name_.find(below);
        if (found == by_name_.end()) {
          scan_.fail_at(record.line, "switch '" + excerpt(below) + "' has no line of its own");
        }
        ++records_[found->second].ports;
      }
    }
    for (const Record& record : records_) {
      const auto ports = static_cast<std::size_t>(record.ports);
      if (ports > most_switch_ports) fail_ports(record, ports);
    }
  }

  Topology build() {
    TopologyBuilder builder(scan_.file());
    std::vector<std::int32_t> next_up(records_.size());
    for (std::size_t s = 0; s < records_.size(); ++s) {
      const Record& record = records_[s];
      builder.add_switch({.name = record.name, .guid = 0x20000000 + s, .ports = record.ports});
      next_up[s] = static_cast<std::int32_t>(record.nodes.size() + record.switches.size());
    }
    for (std::size_t s = 0; s < records_.size(); ++s) {
      std::int32_t port = 0;
      for (const std::string& node : records_[s].nodes) {
        builder.connect_host(add_host(builder, node), static_cast<std::int32_t>(s), ++port);
      }
      for (const std::string& below : records_[s].switches) {
        const std::size_t other = by_name_.at(below);
        builder.connect(static_cast<std::int32_t>(s), ++port, static_cast<std::int32_t>(other),
                        ++next_up[other]);
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
  std::vector<Record> records_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<std::string, Adapter> adapters_;
};

}  // namespace

Topology read_slurm_topology(std::string_view text, const std::string& file) {
  return Reader(text, file).read();
}

}  // namespace sortlast::fabric
