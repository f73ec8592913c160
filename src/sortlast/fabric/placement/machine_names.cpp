#include "sortlast/fabric/placement/machine_names.hpp"

namespace sortlast::fabric {

namespace {

// "n01" of "n01.cluster.example"; empty for addresses, such as "10.0.0.1".
std::string_view short_name(std::string_view name) {
  const std::string_view found = name.substr(0, name.find('.'));
  return found.find_first_not_of("0123456789") == std::string_view::npos ? std::string_view() : found;
}

// Whether one of two names is the other plus a domain.
bool differ_by_domain(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return a.size() < b.size() && b.starts_with(a) && b[a.size()] == '.';
}

}  // namespace

void MachineNames::add(const std::string& name, std::int32_t number) {
  names_.emplace(name, number);
  const std::string_view found = short_name(name);
  if (!found.empty()) short_.emplace(std::string(found), std::pair(name, number));
}

std::vector<std::int32_t> MachineNames::exactly(std::string_view name) const {
  std::vector<std::int32_t> found;
  const auto [begin, end] = names_.equal_range(name);
  for (auto at = begin; at != end; ++at) found.push_back(at->second);
  return found;
}

std::vector<std::int32_t> MachineNames::find(std::string_view name) const {
  std::vector<std::int32_t> found = exactly(name);
  if (!found.empty()) return found;
  name = name.substr(name.find('@') + 1);  // npos + 1 is 0
  found = exactly(name);
  if (!found.empty() || short_name(name).empty()) return found;
  const auto [begin, end] = short_.equal_range(short_name(name));
  for (auto at = begin; at != end; ++at) {
    if (differ_by_domain(name, at->second.first)) found.push_back(at->second.second);
  }
  return found;
}

}  // namespace sortlast::fabric
