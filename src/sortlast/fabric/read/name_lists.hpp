// Lists of names in brackets: "node[001-004,7],login".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/scan.hpp"

namespace sortlast::fabric {

// Expands the lists of one file. A few characters may stand for many names, so all of them together may be
// 2^20 names and 32 MiB at most.
class NameLists {
 public:
  // `scanner` says where a list stands, and must outlive this.
  explicit NameLists(const Scanner& scanner) : scanner_(scanner) {}

  // Appends the names of `list` to `names`. Throws ArgumentError.
  void expand(std::string_view list, std::vector<std::string>& names);

 private:
  const Scanner& scanner_;
  std::size_t names_ = 0, bytes_ = 0;  // so far
};

}  // namespace sortlast::fabric
