// Traces of FSIN. What is read can be written, and what comes back moves as much.
#include <sstream>

#include "sortlast/simulate/traffic.hpp"
#include "target.hpp"

using namespace sortlast::simulate;
namespace fuzz = sortlast::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](std::string_view text) {
    const Traffic traffic = read_fsin(text, fuzz::file);
    check(traffic);
    std::ostringstream written;
    write_fsin(traffic, written);
    const Traffic back = read_fsin(written.str(), fuzz::file);
    fuzz::expect(totals(back).messages == totals(traffic).messages);
    fuzz::expect(back.messages() == traffic.messages());
  });
}
