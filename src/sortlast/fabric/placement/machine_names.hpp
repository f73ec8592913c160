// Machines by the names that lists have for them: with or without a domain, and with a user in front.
//
// A fabric has short names where resource managers have long ones, or the other way round: rdma-ndd describes
// devices by the host name up to its first dot.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sortlast::fabric {

class MachineNames {
 public:
  void add(const std::string& name, std::int32_t number);

  // The numbers of the machines that a name of a list means: the ones with this name; else the ones with its
  // part behind "user@"; else the ones with the same name but for a domain.
  std::vector<std::int32_t> find(std::string_view name) const;

 private:
  std::vector<std::int32_t> exactly(std::string_view name) const;

  std::multimap<std::string, std::int32_t, std::less<>> names_;
  std::multimap<std::string, std::pair<std::string, std::int32_t>, std::less<>>
      short_;  // up to the first dot
};

}  // namespace sortlast::fabric
