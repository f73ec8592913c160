// Deadlock: what to say when packets wait and nothing moves any more.
#pragma once

#include <string>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::simulate {

// The first packet of the queue behind channel `held` waits for one of `wanted`.
struct WaitingQueue {
  fabric::Channel held = 0;
  std::vector<fabric::Channel> wanted;
};

// Names the cycle of buffers that wait for each other. If there is none, messages wait for messages: then
// `message_waits`, which says so, is all there is to say.
std::string describe_deadlock(const fabric::Topology& topology, const std::vector<WaitingQueue>& waiting,
                              const std::string& message_waits);

}  // namespace sortlast::simulate
