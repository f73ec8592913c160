// Slurm's topology.conf, by way of the recognition of formats.
#include "sortlast/fabric/files.hpp"
#include "target.hpp"

using namespace sortlast::fabric;
namespace fuzz = sortlast::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](std::string_view text) {
    fuzz::expect(read_topology(text, fuzz::file).switches() > 0);
  });
}
