// ibnetdiscover's output and ibsim's netlists. What is read can be written and comes back.
#include <optional>

#include "sortlast/fabric/files.hpp"
#include "target.hpp"

using namespace sortlast::fabric;
namespace fuzz = sortlast::fuzz;

namespace {

// Some names cannot be written.
std::optional<std::string> written(const Topology& topology) {
  try {
    return write_ibnetdiscover(topology);
  } catch (const sortlast::ArgumentError&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](std::string_view text) {
    const Topology topology = read_ibnetdiscover(text, fuzz::file);
    const std::optional<std::string> again = written(topology);
    if (!again) return;
    const Topology back = read_ibnetdiscover(*again, fuzz::file);
    fuzz::expect(back.hosts() == topology.hosts() && back.switches() == topology.switches());
    fuzz::expect(back.links() == topology.links());
    fuzz::expect(write_ibnetdiscover(back) == *again);
  });
}
