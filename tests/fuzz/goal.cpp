// GOAL text. What is read can be written and comes back, as traffic and as a program; and a program runs to
// its end, or its ranks are found to wait for each other.
#include <sstream>

#include "sortlast/error.hpp"
#include "sortlast/simulate/program.hpp"
#include "sortlast/simulate/traffic.hpp"
#include "target.hpp"

using namespace sortlast::simulate;
namespace fuzz = sortlast::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](std::string_view text) {
    const Traffic traffic = read_goal(text, fuzz::file);
    check(traffic);
    constexpr std::int32_t most_written = 1000;  // ranks may be a million, and empty
    if (traffic.tasks > most_written) return;
    std::ostringstream written;
    write_goal(traffic, written);
    fuzz::expect(read_goal(written.str(), fuzz::file) == traffic);

    const Program program = read_program(text, fuzz::file);
    std::ostringstream whole;
    write_program(program, whole);
    fuzz::expect(read_program(whole.str(), fuzz::file) == program);
    (void)simulate_loggops(program);
  });
}
