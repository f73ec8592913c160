// Recognise a topology by its content.
#include <algorithm>
#include <string>

#include "sortlast/fabric/read.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

Topology read_topology(std::string_view text, const std::string& file) {
  Scanner scan(text, file);
  while (scan.next_line()) {
    if (scan.at_end() || scan.accept("#")) continue;
    std::string line(scan.rest());
    std::ranges::transform(line, line.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
    if (line.starts_with("{ ")) return read_subnet_list(text, file);
    if (line.find("switchname=") != std::string::npos) return read_slurm_topology(text, file);
    if (line.starts_with("unicast lids") || line.starts_with("dump_ucast_routes")) {
      scan.fail("expected a topology, found forwarding tables; read a topology first, then these for it");
    }
    break;
  }
  return read_ibnetdiscover(text, file);
}

}  // namespace sortlast::fabric
