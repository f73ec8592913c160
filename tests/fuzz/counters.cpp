// Counters of ports.
#include <algorithm>

#include "rails.hpp"
#include "sortlast/fabric/loads.hpp"
#include "target.hpp"

using namespace sortlast::fabric;
namespace fuzz = sortlast::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Topology topology = fuzz::rails();
  return fuzz::run(data, size, [](std::string_view text) {
    const std::vector<std::int64_t> bytes = read_counters(topology, text, fuzz::file);
    fuzz::expect(bytes.size() == static_cast<std::size_t>(topology.channels()));
    fuzz::expect(std::ranges::all_of(bytes, [](std::int64_t each) { return each >= -1; }));
  });
}
