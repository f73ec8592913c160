// Links of a topology that look wrong, as records with names.
#pragma once

#include <string>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::python {

struct SlowRecord {
  fabric::SlowLink value;
  std::string link;
};

struct MissingRecord {
  fabric::MissingLinks value;
  std::string lower, upper;
};

std::vector<SlowRecord> slow_links(const fabric::Topology& topology);
std::vector<MissingRecord> missing_links(const fabric::Topology& topology);

}  // namespace sortlast::python
