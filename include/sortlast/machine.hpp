// Machine: the measured figures of a communicator's machine, from which times are predicted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sortlast {

// Times are of one rank that has a core to itself; choose.hpp says how ranks share. The defaults are those of
// "auto" without a profile: a network of 100 Gbit/s between nodes, and in a node what was measured on two
// cores of a server of 2023 with images that do not fit the caches.
struct Machine {
  double alpha = 2e-6;         // latency of a message between nodes [s]
  double beta = 1e-10;         // a byte between nodes, on the link that a node's ranks share [s]
  double node_alpha = 2e-6;    // latency of a message within a node [s]
  double node_beta = 1.2e-10;  // a byte within a node, by message [s]
  double gamma_read = 3e-11;   // to read a byte in blending [s]
  double gamma_write = 3e-11;  // to write a byte in blending [s]
  double copy = 1e-10;         // to copy a byte [s]
  std::int32_t cores = 0;      // cores of a node for its ranks; 0: one for each
  std::int32_t ranks = 1;      // ranks of a node, where the setting does not say on which node each one is

  bool operator==(const Machine&) const = default;
};

// Throws ArgumentError: a time that is negative or not finite, cores < 0, ranks < 1.
void check_machine(const Machine& machine);

// A profile is one JSON object with each of the members above, by name, once: {"alpha": 2e-06, ...}.
// Numbers come back exactly.
std::string to_json(const Machine& machine);

// `source` names the text in messages. Throws ArgumentError, with the line and the member: not such an
// object, a member that is not known, missing, twice, negative or (cores, ranks) not whole.
Machine machine_from_json(std::string_view text, std::string_view source);

// The same with a file. Throw ArgumentError if it cannot be read or written.
Machine load_machine(const std::string& path);
void save_machine(const Machine& machine, const std::string& path);

}  // namespace sortlast
