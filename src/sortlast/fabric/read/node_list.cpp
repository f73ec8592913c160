// Lists of nodes in the usual forms: names, lists in brackets, and the hostfiles of launchers.
//
//   node[001-004,7],login                  lists in brackets, over any number of lines
//   "node[001-004] mlx5_0" "node7 mlx5_0"  names with blanks, in quotation marks
//   node001 mlx5_0                         the whole name of a host, alone on its line
//   node001 slots=4 max_slots=8            Open MPI (PRRTE, "Hostfiles")
//   node001:4 binding=...                  MPICH (Hydra's user guide)
//   node001                                SLURM_HOSTFILE: one line per rank, names may repeat (srun(1))
//
// Blanks, commas and the ends of lines separate quoted names.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/nodes.hpp"
#include "sortlast/fabric/read/name_lists.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int64_t most_ranks = 1 << 20;
// Settings of a hostfile's line that do not affect the number of ranks.
constexpr std::array ignored{"max_slots", "max-slots", "ifname", "binding", "user", "port", "topo"};

// Reads the items of a line: quoted names with blanks, and words without blanks.
class ListReader {
 public:
  ListReader(std::string_view text, const std::string& file) : scan_(text, file) {}

  Scanner& scan() { return scan_; }

  // Appends the names of the item at the cursor. A list that continues after a blank or on the next line may
  // end with a comma.
  void read_item(std::vector<std::string>& names) {
    if (scan_.accept(",")) return;
    if (scan_.rest().starts_with('"')) {
      const std::string_view name = scan_.quoted("a name");
      if (name.empty()) scan_.fail("expected a name between the quotes, found nothing");
      if (name.find('[') != std::string_view::npos) return expand(name, names);
      names.emplace_back(name);
      return;
    }
    const std::string_view list = scan_.word("a list of names");
    if (list.find('"') != std::string_view::npos) {
      scan_.fail("expected a blank before the first quotation mark of '" + excerpt(list) + "'");
    }
    expand(list, names);
  }

 private:
  void expand(std::string_view list, std::vector<std::string>& names) {
    lists_.expand(list, names, [this](const std::string& message) { scan_.fail(message); });
  }

  Scanner scan_;
  NameLists lists_;
};

}  // namespace

std::vector<std::string> read_node_list(std::string_view text, const std::string& file) {
  ListReader reader(text, file);
  std::vector<std::string> names;
  while (reader.scan().next_line()) {
    while (!reader.scan().at_end() && !reader.scan().accept("#")) reader.read_item(names);
  }
  return names;
}

namespace {

class HostfileReader {
 public:
  HostfileReader(const Topology& topology, std::string_view text, const std::string& file)
      : reader_(text, file), scan_(reader_.scan()) {
    for (std::int32_t h = 0; h < topology.hosts(); ++h) names_.insert(topology.host(h).name);
  }

  std::vector<NodeRanks> read() {
    while (scan_.next_line()) read_line();
    return std::move(entries_);
  }

 private:
  void read_line() {
    if (read_whole_name()) return;
    const std::size_t first = entries_.size();
    while (!scan_.at_end() && !scan_.accept("#")) {
      if (!read_setting(first)) read_names();
    }
  }

  // A line that consists of the name of a host, with blanks.
  bool read_whole_name() {
    if (scan_.at_end()) return false;
    std::string_view line = scan_.rest();
    line = line.substr(0, line.find_last_not_of(" \t") + 1);
    if (line.find(' ') == std::string_view::npos || !names_.contains(std::string(line))) return false;
    entries_.push_back({std::string(line), 0, scan_.line_number()});
    return true;
  }

  // "slots=4" after the names of a line. The first of them is entry `first`.
  bool read_setting(std::size_t first) {
    const std::string_view word = scan_.rest().substr(0, scan_.rest().find_first_of(" \t"));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || word.starts_with('"')) return false;
    const std::string_view key = word.substr(0, equals);
    if (first == entries_.size()) scan_.fail("expected a name before '" + excerpt(word) + "'");
    if (key == "slots") {
      const std::int32_t ranks = count(word.substr(equals + 1));
      for (std::size_t i = first; i < entries_.size(); ++i) entries_[i].ranks = ranks;
    } else if (std::ranges::find(ignored, key) == ignored.end()) {
      scan_.fail("expected slots=N behind a name, found '" + excerpt(word) +
                 "'; a name that holds '=' stands in quotation marks");
    }
    scan_.word("a setting");
    return true;
  }

  std::int32_t count(std::string_view digits) {
    std::int64_t ranks = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ranks);
    if (error != std::errc() || stop != digits.data() + digits.size() || ranks < 1 || ranks > most_ranks) {
      scan_.fail("expected a number of ranks (1 to " + std::to_string(most_ranks) + "), found '" +
                 excerpt(digits) + "'");
    }
    return static_cast<std::int32_t>(ranks);
  }

  void read_names() {
    std::vector<std::string> names;
    reader_.read_item(names);
    for (std::string& name : names) {
      NodeRanks entry{std::move(name), 0, scan_.line_number()};
      const std::size_t colon = entry.name.rfind(':');
      const bool counted = colon != std::string::npos && colon > 0 && colon + 1 < entry.name.size() &&
                           entry.name.find_first_not_of("0123456789", colon + 1) == std::string::npos;
      if (counted && !names_.contains(entry.name)) {
        entry.ranks = count(std::string_view(entry.name).substr(colon + 1));
        entry.name.resize(colon);
      }
      entries_.push_back(std::move(entry));
    }
  }

  ListReader reader_;
  Scanner& scan_;
  std::unordered_set<std::string> names_;  // of all hosts
  std::vector<NodeRanks> entries_;
};

}  // namespace

std::vector<NodeRanks> read_hostfile(const Topology& topology, std::string_view text,
                                     const std::string& file) {
  return HostfileReader(topology, text, file).read();
}

}  // namespace sortlast::fabric
