// Lists of names in brackets: "node[001-004,7],login".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sortlast::fabric {

// Expands the lists of one file. A few characters may stand for many names, so all of them together may be
// 2^20 names and 32 MiB at most. As Slurm does, it skips empty names between commas.
class NameLists {
 public:
  // Appends the names of `list` to `names`. `fail` throws an error that says where the list stands.
  using Fail = std::function<void(const std::string& message)>;
  void expand(std::string_view list, std::vector<std::string>& names, const Fail& fail);

 private:
  std::size_t names_ = 0, bytes_ = 0;  // so far
};

}  // namespace sortlast::fabric
