// Parts shared by all families, and the families by name, for the command line: "pgft:18,12;1,9;1,2".
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/topology/family_parts.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::uint64_t first_host_guid = 0x10000000;
constexpr std::uint64_t first_switch_guid = 0x20000000;

std::string padded(std::int64_t number, std::size_t digits) {
  const std::string text = std::to_string(number);
  return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

}  // namespace

Host family_host(std::int64_t a, std::int32_t port) {
  const std::uint64_t guid = first_host_guid + 16 * static_cast<std::uint64_t>(a);
  return {.name = "host" + padded(a, 5) + " HCA-1",
          .guid = guid,
          .port_guid = guid + static_cast<std::uint64_t>(port),
          .port = port};
}

Switch family_switch(std::int32_t level, std::int64_t index, std::int32_t ports) {
  const auto first = first_switch_guid + static_cast<std::uint64_t>(level * most_level_switches);
  return {.name = "sw-L" + std::to_string(level) + "-" + padded(index, 4),
          .guid = first + static_cast<std::uint64_t>(index),
          .ports = ports};
}

void check_parameter(std::string_view family, const std::string& name, std::int64_t value,
                     std::int64_t least) {
  if (value >= least) return;
  throw ArgumentError(std::string(family) + ": " + name + " is " + std::to_string(value) + "; expected " +
                      std::to_string(least) + " or more");
}

void check_levels(std::string_view family, const std::string& name, std::int32_t levels) {
  check_parameter(family, name, levels);
  if (levels <= most_family_levels) return;
  throw ArgumentError(std::string(family) + ": " + name + " is " + std::to_string(levels) +
                      "; expected 1 to " + std::to_string(most_family_levels));
}

std::int64_t bounded_product(std::string_view family, std::string_view what, std::int64_t a, std::int64_t b,
                             std::int64_t most) {
  if (a == 0 || b <= most / a) return a * b;
  throw ArgumentError(std::string(family) + ": too many " + std::string(what) + "; there may be " +
                      std::to_string(most));
}

std::string join(const Counts& counts, std::string_view separator) {
  std::string text;
  for (const std::int32_t count : counts) {
    if (!text.empty()) text += separator;
    text += std::to_string(count);
  }
  return text;
}

namespace {

using Lists = std::vector<Counts>;

std::string usages() {
  std::string text;
  for (const Family& family : families()) text += "\n  " + family.usage;
  return text;
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw ArgumentError("topology '" + std::string(text) + "': " + why + "; expected one of" + usages());
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

std::int32_t parse_number(std::string_view text, std::string_view number) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size()) {
    refuse(text, "'" + std::string(number) + "' is no whole number");
  }
  return value;
}

Lists parse_lists(std::string_view text, std::string_view parameters) {
  Lists lists;
  for (const std::string_view part : split(parameters, ';')) {
    lists.emplace_back();
    for (const std::string_view number : split(part, ',')) lists.back().push_back(parse_number(text, number));
  }
  return lists;
}

// Checks the number of a family's parameters; make_topology() adds the rejected text to the message.
void expect_lists(const Lists& lists, std::size_t count) {
  if (lists.size() == count) return;
  throw ArgumentError(std::to_string(lists.size()) + " lists of parameters instead of " +
                      std::to_string(count) + " (';' stands between lists)");
}

Counts scalars(const Lists& lists, std::size_t count) {
  expect_lists(lists, 1);
  if (lists[0].size() == count) return lists[0];
  throw ArgumentError(std::to_string(lists[0].size()) + " parameters instead of " + std::to_string(count));
}

Topology make_grid(const Lists& lists, Topology (*build)(const Counts&, std::int32_t)) {
  if (lists.size() == 1) return build(lists[0], 1);
  expect_lists(lists, 2);
  return build(lists[0], scalars({lists[1]}, 1)[0]);
}

const std::array<Family, 14>& all_families() {
  static const std::array<Family, 14> all = {{
      {"crossbar", "crossbar:N", "One switch with N hosts.",
       [](const Lists& lists) { return crossbar(scalars(lists, 1)[0]); }},
      {"k-ary-n-tree", "k-ary-n-tree:K,N", "K^N hosts under N levels of K^(N-1) switches.",
       [](const Lists& lists) {
         const Counts c = scalars(lists, 2);
         return k_ary_n_tree(c[0], c[1]);
       }},
      {"var-ary-n-tree", "var-ary-n-tree:K1,..,KN",
       "A tree with its own arity at each level, as wide up as down.",
       [](const Lists& lists) {
         expect_lists(lists, 1);
         return var_ary_n_tree(lists[0]);
       }},
      {"gft", "gft:H,M,W", "Generalized fat-tree: M children and W parents everywhere.",
       [](const Lists& lists) {
         const Counts c = scalars(lists, 3);
         return gft(c[0], c[1], c[2]);
       }},
      {"xgft", "xgft:M1,..,MH;W1,..,WH", "Extended generalized fat-tree: children and parents by level.",
       [](const Lists& lists) {
         expect_lists(lists, 2);
         return xgft(lists[0], lists[1]);
       }},
      {"pgft", "pgft:M1,..,MH;W1,..,WH;P1,..,PH", "XGFT with parallel links, as fabrics are bought.",
       [](const Lists& lists) {
         expect_lists(lists, 3);
         return pgft(lists[0], lists[1], lists[2]);
       }},
      {"rlft", "rlft:PORTS,LEVELS", "Real Life Fat-Tree of most hosts with switches of PORTS ports.",
       [](const Lists& lists) {
         const Counts c = scalars(lists, 2);
         return rlft(c[0], c[1]);
       }},
      {"thin-tree", "thin-tree:K,UP,N", "K-ary N-tree with UP instead of K up-ports a switch.",
       [](const Lists& lists) {
         const Counts c = scalars(lists, 3);
         return thin_tree(c[0], c[1], c[2]);
       }},
      {"slender-tree", "slender-tree:K,UP,N", "Narrowed tree with a choice of paths on the way down too.",
       [](const Lists& lists) {
         const Counts c = scalars(lists, 3);
         return slender_tree(c[0], c[1], c[2]);
       }},
      {"mesh", "mesh:X,Y,..[;HOSTS]", "A switch at every coordinate, with HOSTS hosts each (1).",
       [](const Lists& lists) { return make_grid(lists, mesh); }},
      {"torus", "torus:X,Y,..[;HOSTS]", "A mesh whose ends are joined.",
       [](const Lists& lists) { return make_grid(lists, torus); }},
      {"dragonfly", "dragonfly:P,A,H,G",
       "G groups of A routers, all joined, each with P hosts and H links to other groups.",
       [](const Lists& lists) {
         const Counts c = scalars(lists, 4);
         return dragonfly(c[0], c[1], c[2], c[3]);
       }},
      {"dragonfly+", "dragonfly+:P,L,S,H,G",
       "G groups of L leaves with P hosts each under S spines with H links to other groups each.",
       [](const Lists& lists) {
         const Counts c = scalars(lists, 5);
         return dragonfly_plus(c[0], c[1], c[2], c[3], c[4]);
       }},
      {"hyperx", "hyperx:X,Y,..[;HOSTS]", "A grid whose switches are joined to all others of each line.",
       [](const Lists& lists) { return make_grid(lists, hyperx); }},
  }};
  return all;
}

}  // namespace

std::span<const Family> families() { return all_families(); }

Topology make_topology(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const Family& family : families()) {
    if (family.name != name) continue;
    if (colon == std::string_view::npos) {
      throw ArgumentError("topology '" + std::string(text) + "' has no parameters; expected " + family.usage);
    }
    const Lists lists = parse_lists(text, text.substr(colon + 1));
    try {
      return family.make(lists);
    } catch (const ArgumentError& error) {
      throw ArgumentError("topology '" + std::string(text) + "': " + error.what() + "; expected " +
                          family.usage);
    }
  }
  refuse(text, "there is no family '" + std::string(name) + "'");
}

}  // namespace sortlast::fabric
