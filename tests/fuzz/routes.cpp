// Forwarding tables, for a topology whose LIDs are known and for one whose LIDs have to be learnt.
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"
#include "target.hpp"

using namespace sortlast::fabric;
namespace fuzz = sortlast::fuzz;

namespace {

void read(const std::shared_ptr<const Topology>& topology, std::string_view text) {
  const Routes routes = read_routes(topology, text, fuzz::file);
  for (std::int32_t s = 0; s < topology->switches(); ++s) {
    for (Vertex v = 0; v < topology->vertices(); ++v) {
      for (std::int32_t plane = 0; plane < routes.forwarding->planes(); ++plane) {
        fuzz::expect(routes.forwarding->port(s, v, plane) <= topology->switch_at(s).ports);
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto unnamed = std::make_shared<const Topology>(k_ary_n_tree(2, 2));
  static const auto named = std::make_shared<const Topology>(assign_lids(*unnamed));
  fuzz::run(data, size, [](std::string_view text) { read(named, text); });
  return fuzz::run(data, size, [](std::string_view text) { read(unnamed, text); });
}
