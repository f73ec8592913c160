// ibdiagnet2.db_csv: its fabric, and the counters of its ports.
#include "rails.hpp"
#include "sortlast/fabric/loads.hpp"
#include "sortlast/fabric/read/formats.hpp"
#include "target.hpp"

using namespace sortlast::fabric;
namespace fuzz = sortlast::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Topology rails = fuzz::rails();
  fuzz::run(data, size, [](std::string_view text) { (void)read_db_csv(text, fuzz::file); });
  return fuzz::run(data, size, [](std::string_view text) {
    const auto bytes = read_counters(rails, text, fuzz::file);
    fuzz::expect(bytes.size() == static_cast<std::size_t>(rails.channels()));
  });
}
