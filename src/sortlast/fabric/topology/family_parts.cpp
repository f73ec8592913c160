#include "sortlast/fabric/topology/family_parts.hpp"

#include <string>

#include "sortlast/error.hpp"

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

}  // namespace sortlast::fabric
