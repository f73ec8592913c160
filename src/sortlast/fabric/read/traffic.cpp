// Traffic: "stage source destination [bytes]" a line, # begins a comment, all numbers from 0.
#include <algorithm>
#include <limits>

#include "sortlast/fabric/read.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int64_t most_stages = 1 << 20;
constexpr std::int64_t most_participants = 1 << 20;
constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max() >> 1;

}  // namespace

std::shared_ptr<const Pattern> read_traffic(std::string_view text, const std::string& file) {
  Scanner scan(text, file);
  std::vector<std::vector<Flow>> stages;
  std::int32_t p = 0;
  while (scan.next_line()) {
    if (scan.at_end() || scan.accept("#")) continue;
    const auto stage = static_cast<std::size_t>(scan.decimal("a stage", 0, most_stages - 1));
    Flow flow;
    flow.source = static_cast<std::int32_t>(scan.decimal("a source", 0, most_participants - 1));
    flow.destination = static_cast<std::int32_t>(scan.decimal("a destination", 0, most_participants - 1));
    flow.bytes = 1;
    if (!scan.at_end() && !scan.rest().starts_with('#')) flow.bytes = scan.decimal("bytes", 0, most_bytes);
    if (!scan.accept("#")) scan.expect_end();
    if (flow.source == flow.destination) {
      scan.fail("participant " + std::to_string(flow.source) + " sends to itself; leave the line out");
    }
    if (stages.size() <= stage) stages.resize(stage + 1);
    stages[stage].push_back(flow);
    p = std::max({p, flow.source + 1, flow.destination + 1});
  }
  if (stages.empty()) scan.fail("expected lines 'stage source destination [bytes]', found none");
  return traffic_pattern(file, p, std::move(stages));
}

}  // namespace sortlast::fabric
