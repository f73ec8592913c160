// Node name maps. Names that are given can be found again.
#include "rails.hpp"
#include "sortlast/fabric/files.hpp"
#include "target.hpp"

using namespace sortlast::fabric;
namespace fuzz = sortlast::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Topology topology = fuzz::rails();
  return fuzz::run(data, size, [](std::string_view text) {
    const NodeNames names = read_node_name_map(text, fuzz::file);
    const Topology renamed = with_names(topology, names);
    for (std::int32_t h = 0; h < topology.hosts(); ++h) {
      const auto found = names.find(topology.host(h).guid);
      fuzz::expect(renamed.host(h).name == (found == names.end() ? topology.host(h).name : found->second));
    }
  });
}
