// iblinkinfo's output, with and without --line.
#include "sortlast/fabric/read/formats.hpp"
#include "target.hpp"

using namespace sortlast::fabric;
namespace fuzz = sortlast::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](std::string_view text) {
    const Topology topology = read_link_info(text, fuzz::file);
    fuzz::expect(topology.links() > 0 || topology.hosts() == 0);
  });
}
