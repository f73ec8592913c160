// Machines by the names used in lists: with or without a domain, and with or without a user in front.
//
// A fabric may have short names where resource managers have long ones, or the reverse: rdma-ndd describes
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

  // The numbers of the machines with this name, else of those named by the part after "user@", else of those
  // with the same name except for a domain.
  std::vector<std::int32_t> find(std::string_view name) const;

 private:
  std::vector<std::int32_t> exactly(std::string_view name) const;

  std::multimap<std::string, std::int32_t, std::less<>> names_;
  std::multimap<std::string, std::pair<std::string, std::int32_t>, std::less<>>
      short_;  // up to the first dot
};

}  // namespace sortlast::fabric
