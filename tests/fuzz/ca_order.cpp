// opensm-ftree-ca-order.dump.
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"
#include "target.hpp"

using namespace sortlast::fabric;
namespace fuzz = sortlast::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Topology topology = k_ary_n_tree(2, 2);
  return fuzz::run(data, size, [](std::string_view text) {
    for (const std::int32_t h : read_ca_order(topology, text, fuzz::file)) {
      fuzz::expect(h >= -1 && h < topology.hosts());
    }
  });
}
