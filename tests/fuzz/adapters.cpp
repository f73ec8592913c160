// Tables of adapters. Every host with a description is in one node.
#include "rails.hpp"
#include "sortlast/fabric/nodes.hpp"
#include "target.hpp"

using namespace sortlast::fabric;
namespace fuzz = sortlast::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Topology topology = fuzz::rails();
  return fuzz::run(data, size, [](std::string_view text) {
    std::int32_t hosts = 0;
    for (const Node& node : read_adapters(topology, text, fuzz::file)) {
      hosts += static_cast<std::int32_t>(node.adapters.size());
    }
    fuzz::expect(hosts == topology.hosts());
  });
}
