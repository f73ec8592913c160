// The bandwidth between tasks in a run of the flow simulator.
#include <cstdint>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/simulate/flow.hpp"

namespace sortlast::simulate {

std::vector<double> bandwidth_matrix(const Traffic& traffic, const FlowResult& run) {
  constexpr std::int32_t most_tasks = 16'384;  // 2 GiB
  if (traffic.tasks > most_tasks) {
    throw ArgumentError("a bandwidth matrix of " + std::to_string(traffic.tasks) +
                        " tasks is too large; expected up to " + std::to_string(most_tasks));
  }
  const std::vector<std::int32_t> source = sources(traffic);
  const auto p = static_cast<std::size_t>(traffic.tasks);
  std::vector<double> bytes(p * p, 0), seconds(p * p, 0);
  std::int64_t messages = 0;
  for (const FlowRecord& record : run.log) {
    const auto m = static_cast<std::size_t>(record.message);
    if (m >= source.size()) throw ArgumentError("the log is that of other traffic");
    if (source[m] == traffic.destination[m]) continue;
    ++messages;
    if (traffic.size[m] == 0) continue;
    const std::size_t cell =
        static_cast<std::size_t>(source[m]) * p + static_cast<std::size_t>(traffic.destination[m]);
    bytes[cell] += static_cast<double>(traffic.size[m]);
    seconds[cell] += record.end - record.start;
  }
  if (messages != run.messages) {
    throw ArgumentError("the run has no log of its messages; simulate with message_log");
  }
  for (std::size_t cell = 0; cell < bytes.size(); ++cell) {
    if (bytes[cell] > 0) bytes[cell] = seconds[cell] > 0 ? bytes[cell] / seconds[cell] : 0;
  }
  return bytes;
}

}  // namespace sortlast::simulate
