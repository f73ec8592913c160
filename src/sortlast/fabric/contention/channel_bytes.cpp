// Bytes of a whole pattern on every channel, and the data rate of a channel.
#include <cstddef>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention/stages.hpp"
#include "sortlast/fabric/loads.hpp"
#include "sortlast/fabric/read/net.hpp"

namespace sortlast::fabric {

double data_rate(double gbps) {
  constexpr double bits = 8, giga = 1e9;
  const std::string name = name_of_rate(gbps);
  double part = 1;
  if (name.ends_with("SDR") || name.ends_with("DDR") || name.ends_with("QDR")) part = 0.8;
  if (name.ends_with("FDR")) part = 14.0625 / 14 * 64 / 66;
  return gbps * part * giga / bits;
}

std::vector<std::int64_t> channel_bytes(const Routes& routes, const Pattern& pattern,
                                        const Placement& placement) {
  check_placement(*routes.topology, pattern, placement);
  const PathWalker walker(routes);
  std::vector<std::int64_t> result(static_cast<std::size_t>(routes.topology->channels()), 0);
  PathRows path;
  path.resize(1);
  for (std::int64_t stage = 0; stage < pattern.stages(); ++stage) {
    const std::int64_t repeats = pattern.repeats(stage);
    for (const Flow& flow : pattern.flows(stage)) {
      const std::int32_t source = placement[static_cast<std::size_t>(flow.source)];
      const std::int32_t destination = placement[static_cast<std::size_t>(flow.destination)];
      if (source < 0 || destination < 0) continue;
      walker.walk_whole(source, destination, path, 0);
      std::int64_t bytes = 0;
      bool too_many = __builtin_mul_overflow(flow.bytes, repeats, &bytes);
      for (const Channel c : path.row(0)) {
        std::int64_t& sum = result[static_cast<std::size_t>(c)];
        too_many = __builtin_add_overflow(sum, bytes, &sum) || too_many;
      }
      if (too_many) {
        throw ArgumentError("a pattern with more than 2^63 - 1 bytes on a link; make its messages shorter");
      }
    }
  }
  return result;
}

}  // namespace sortlast::fabric
