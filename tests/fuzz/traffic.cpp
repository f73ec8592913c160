// Traffic by stages.
#include "sortlast/fabric/files.hpp"
#include "target.hpp"

using namespace sortlast::fabric;
namespace fuzz = sortlast::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](std::string_view text) {
    const auto pattern = read_traffic(text, fuzz::file);
    fuzz::expect(pattern->stages() > 0 && !pattern->flows(pattern->stages() - 1).empty());
  });
}
