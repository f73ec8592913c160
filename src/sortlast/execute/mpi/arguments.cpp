// Arguments.
//
// For long values, such as orders of many ranks, the description begins where they first differ.
#include "sortlast/execute/mpi/arguments.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace sortlast {
namespace {

constexpr std::size_t listed = 8;  // maximum number of runs of ranks named in a text

// FNV-1a, 64 bits, continuing from a hash.
std::uint64_t hash_on(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

// The same, one number at a time.
std::uint64_t hash_on(std::uint64_t hash, const std::vector<std::int32_t>& numbers) {
  for (const std::int32_t number : numbers) {
    hash = (hash ^ static_cast<std::uint32_t>(number)) * 1099511628211ULL;
    hash ^= hash >> 32;  // otherwise the upper half never affects the lower
  }
  return hash;
}

// The arguments of a group of ranks, by name.
struct Parsed {
  std::map<std::string, std::string> values;
  std::vector<int> ranks;
};

Parsed parse(const Group& group) {
  Parsed parsed{{}, group.ranks};
  std::istringstream lines(group.text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) parsed.values[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return parsed;
}

// "0-2, 5"
std::string list_ranks(const std::vector<int>& ranks) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (runs++ == listed) return text + ", ...";
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
    if (last > i) text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

// The ranks with each value of an argument, ordered by their lowest ranks.
std::vector<Group> by_value(const std::vector<Parsed>& groups, const std::string& name) {
  std::vector<Group> values;
  for (const Parsed& group : groups) {
    const auto found = group.values.find(name);
    const std::string value = found == group.values.end() ? "" : found->second;
    auto same =
        std::find_if(values.begin(), values.end(), [&](const Group& one) { return one.text == value; });
    if (same == values.end()) same = values.insert(same, {value, {}});
    same->ranks.insert(same->ranks.end(), group.ranks.begin(), group.ranks.end());
  }
  for (Group& value : values) std::sort(value.ranks.begin(), value.ranks.end());
  return values;
}

constexpr std::size_t shown = 120;  // maximum characters of a long value

// Where to begin to show values: at the entry where long ones first differ.
std::size_t first_difference(const std::vector<Group>& values) {
  constexpr std::size_t most = 40;  // characters of their common beginning
  const std::string& first = values.front().text;
  std::size_t same = first.size();
  bool is_long = false;
  for (const auto& [value, ranks] : values) {
    is_long = is_long || value.size() > shown;
    const auto [own, other] = std::mismatch(first.begin(), first.end(), value.begin(), value.end());
    same = std::min(same, static_cast<std::size_t>(own - first.begin()));
  }
  if (!is_long || same == 0) return 0;
  const std::size_t end = first.find_last_of(", ", same - 1);
  const std::size_t begin = end == std::string::npos ? 0 : end + 1;
  return same - begin > most ? same - most : begin;
}

// "size: 64x64 on ranks 0-2; 32x32 on rank 3", or nothing if all values are the same.
std::string difference(const std::vector<Parsed>& groups, const std::string& name) {
  const std::vector<Group> values = by_value(groups, name);
  if (values.size() < 2) return "";
  std::string text = name + ": ";
  const std::size_t begin = first_difference(values);
  if (begin > 0) {
    const std::string before = values.front().text.substr(0, begin);
    const auto commas = std::count(before.begin(), before.end(), ',');
    const auto entries = commas > 0 ? commas : std::count(before.begin(), before.end(), ' ');
    text += entries > 0 ? "alike before entry " + std::to_string(entries) + " (the first is 0), "
                        : "alike before character " + std::to_string(begin) + ", ";
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& whole = values[i].text;
    std::string value = whole.empty() ? "(none)" : whole.substr(std::min(begin, whole.size()), shown);
    if (value.empty()) value = "(its end)";
    if (begin + shown < whole.size()) value += "...";
    text += (i == 0 ? "" : "; ") + value + " on " + list_ranks(values[i].ranks);
  }
  return text;
}

// "wrong argument on ranks 1, 3: image is float64; expected ..." for the ranks that have a problem.
std::string problems(const std::vector<Parsed>& groups) {
  std::string text;
  for (const Group& problem : by_value(groups, "problem")) {
    if (problem.text.empty()) continue;
    text += (text.empty() ? "" : " | ") + ("wrong argument on " + list_ranks(problem.ranks)) + ": " +
            problem.text;
  }
  return text;
}

}  // namespace

std::string describe_difference(const std::vector<Group>& groups, const std::vector<int>& others) {
  const std::string rest = others.empty() ? "" : "; and others on " + list_ranks(others);
  std::vector<Parsed> parsed;
  for (const Group& group : groups) parsed.push_back(parse(group));

  // A different call explains all other differences, and so does a wrong argument.
  const std::string call = difference(parsed, "call");
  if (!call.empty()) return "ranks disagree: " + call + rest;
  const std::string wrong = problems(parsed);
  if (!wrong.empty()) return wrong + rest;
  std::set<std::string> names;
  for (const Parsed& group : parsed) {
    for (const auto& [name, value] : group.values) names.insert(name);
  }
  std::string all;
  for (const std::string& name : names) {
    const std::string text = difference(parsed, name);
    if (!text.empty()) all += (all.empty() ? "" : " | ") + text;
  }
  return "ranks disagree: " + (all.empty() ? "in nothing that their arguments show" : all) + rest;
}

void Arguments::add(std::string_view name, std::string value) {
  std::replace(value.begin(), value.end(), '\n', ' ');
  hash_ = hash_on(hash_on(hash_on(hash_on(hash_, name), "="), value), "\n");
  all_.push_back({std::string(name), std::move(value), {}});
}

void Arguments::add(std::string_view name, std::vector<std::int32_t> ranks) {
  if (ranks.empty()) {
    add(name, text_of_ranks(ranks));
    return;
  }
  hash_ = hash_on(hash_on(hash_on(hash_on(hash_, name), "=["), ranks), "\n");
  all_.push_back({std::string(name), {}, std::move(ranks)});
}

std::string Arguments::text() const {
  std::string lines;
  for (const Argument& argument : all_)
    lines += argument.name + "=" + (argument.ranks.empty() ? argument.value : text_of_ranks(argument.ranks)) +
             "\n";
  return lines;
}

std::string text_of_ranks(const std::vector<std::int32_t>& ranks) {
  std::string all;
  for (const std::int32_t rank : ranks) {
    all += all.empty() ? '[' : ',';
    all += std::to_string(rank);
  }
  return ranks.empty() ? std::string("rank order") : all + "]";
}

}  // namespace sortlast
