// Hosts by the names that users write.
#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/placement/machine_names.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

namespace {

using Index = std::multimap<std::string, std::int32_t, std::less<>>;

std::string first_word(const std::string& name) { return name.substr(0, name.find(' ')); }

// Levenshtein distance: number of edits that turn one name into the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j < row.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string quoted(const std::string& name) { return "'" + excerpt(name) + "'"; }

// " (near: 'host00012', ...)", or nothing if no name is similar.
std::string near_names(const Index& words, const std::string& name) {
  constexpr std::size_t most_names = 3, longest = 1000;
  if (name.size() > longest) return {};
  std::multimap<std::size_t, std::string> near;
  for (auto at = words.begin(); at != words.end(); at = words.upper_bound(at->first)) {
    const std::size_t longer = std::max(at->first.size(), name.size());
    const std::size_t shorter = std::min(at->first.size(), name.size());
    if (3 * (longer - shorter) > name.size()) continue;  // lower bound of the edits
    const std::size_t edits = distance(at->first, name);
    if (3 * edits <= name.size()) near.emplace(edits, at->first);
  }
  std::string text;
  std::size_t count = 0;
  for (auto at = near.begin(); at != near.end() && count < most_names; ++at, ++count) {
    text += (text.empty() ? " (near: " : ", ") + quoted(at->second);
  }
  return text.empty() ? text : text + ")";
}

class Finder {
 public:
  explicit Finder(const Topology& topology) : topology_(topology) {
    for (std::int32_t h = 0; h < topology.hosts(); ++h) {
      const Host& host = topology.host(h);
      names_.emplace(host.name, h);
      words_.emplace(first_word(host.name), h);
      machines_.add(first_word(host.name), h);
      if (host.port_guid != 0) port_guids_.emplace(host.port_guid, h);
      if (host.guid != 0) guids_.emplace(host.guid, h);
    }
  }

  // Hosts that a name may refer to.
  std::vector<std::int32_t> matches(const std::string& name) const {
    std::vector<std::int32_t> found = values(names_, name);
    if (found.empty()) found = values(words_, name);
    if (!found.empty()) return found;
    const std::size_t skip = name.starts_with("0x") || name.starts_with("0X") ? 2 : 0;
    std::uint64_t guid = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + skip, end, guid, 16);
    if (error != std::errc() || stop != end) return machines_.find(name);
    found = values(port_guids_, guid);
    if (found.empty()) found = values(guids_, guid);
    return found.empty() ? machines_.find(name) : found;
  }

  std::string not_found(const std::vector<std::string>& names) const {
    constexpr std::size_t most_names = 5;
    std::string text = "the fabric has no host";
    for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) {
      text += (i == 0 ? " " : ", ") + quoted(names[i]) + near_names(words_, names[i]);
    }
    if (names.size() > most_names) text += ", nor " + std::to_string(names.size() - most_names) + " others";
    return text;
  }

  std::string ambiguous(const std::string& name, const std::vector<std::int32_t>& found) const {
    std::string text = quoted(name) + " may be any of " + std::to_string(found.size()) + " hosts";
    for (std::size_t i = 0; i < 2; ++i) {
      const Host& host = topology_.host(found[i]);
      text += (i == 0 ? ": '" : ", '") + topology_.label(found[i]) + "' port " + std::to_string(host.port);
    }
    return text + (found.size() > 2 ? ", ...;" : ";") +
           " give the whole name (in a list: in quotation marks) or the port's GUID";
  }

 private:
  template <typename Map, typename Key>
  static std::vector<std::int32_t> values(const Map& map, const Key& key) {
    std::vector<std::int32_t> found;
    const auto [begin, end] = map.equal_range(key);
    for (auto at = begin; at != end; ++at) found.push_back(at->second);
    return found;
  }

  const Topology& topology_;
  Index names_, words_;
  MachineNames machines_;
  std::multimap<std::uint64_t, std::int32_t> port_guids_, guids_;
};

}  // namespace

std::vector<std::int32_t> find_hosts(const Topology& topology, const std::vector<std::string>& names) {
  const Finder finder(topology);
  std::vector<std::int32_t> hosts;
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    const std::vector<std::int32_t> found = finder.matches(name);
    if (found.size() > 1) throw ArgumentError(finder.ambiguous(name, found));
    if (found.empty()) {
      unknown.push_back(name);
    } else {
      hosts.push_back(found.front());
    }
  }
  if (!unknown.empty()) throw ArgumentError(finder.not_found(unknown));
  return hosts;
}

}  // namespace sortlast::fabric
