// Lists of names in brackets: "node[001-004,7],login".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sortlast::fabric {

// Expands the lists of one file. A few characters may stand for many names, so all lists together are limited
// to 2^20 names and 32 MiB. As in Slurm, empty names between commas are skipped.
class NameLists {
 public:
  // Appends the names of `list` to `names`. `fail` throws an error with the position of the list.
  using Fail = std::function<void(const std::string& message)>;
  void expand(std::string_view list, std::vector<std::string>& names, const Fail& fail);

 private:
  std::size_t names_ = 0, bytes_ = 0;  // so far
};

}  // namespace sortlast::fabric
