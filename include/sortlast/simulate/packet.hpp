// Packet simulator: traffic on a fabric, packet by packet, for every cycle in which something happens.
//
// The model follows Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection Networks",
// section 3.1: virtual cut-through, input-buffered switches, out-of-band credits, one cycle per phit and hop.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/progress.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

enum class Arbitration {
  random,      // one of the input ports that request an output port, at random
  round_robin  // the next input port after the one served last
};

// How one of m ports with equally many credits is chosen.
enum class Ties {
  uniform,  // each with probability 1 / m
  fsin      // as in FSIN: the first with 2 / (m + 1), the others with 1 / (m + 1)
};

// When the first packet of a queue chooses among its ports.
enum class Requests {
  each_cycle,  // in every cycle until it leaves
  persistent   // once, when it reaches the head of its queue; it waits for that port until it leaves
};

struct PacketOptions {
  std::int32_t packet_bytes = 64;
  std::int32_t packet_phits = 16;   // cycles that a packet takes on a link; 1 .. 65,536
  std::int32_t switch_cycles = 1;   // from a head's arrival at a switch until it may leave; 1 .. packet_phits
  std::int32_t buffer_packets = 4;  // per input port of a switch
  std::int32_t injection_packets = 8;  // queue of each host
  Arbitration arbitration = Arbitration::random;
  Ties ties = Ties::uniform;
  Requests requests = Requests::each_cycle;
  std::uint64_t seed = 17;
  double link_bytes_per_second = 1.25e9;  // converts cycles to seconds, and computations to cycles
  std::int64_t sample_cycles = 0;         // interval between samples of the buffers; 0: none
  bool message_log = false;
  // Average share of each host's link taken by background packets, each from one host to another drawn at
  // random; 0 .. 0.99. They end with the traffic, and count in link_loads, packet_hops and occupation.
  double background = 0;
  Progress progress = {};  // fraction of the packets that have arrived
};

// Packets in the buffers of switches at one moment, by level of the switch (index 0: switches without a
// level).
struct OccupationSample {
  std::int64_t cycle = 0;
  std::vector<std::int64_t> packets;
};

struct MessageRecord {
  Traffic::Message message = 0;
  std::int64_t iteration = 0;
  std::int64_t start = 0;  // cycle in which its first packet entered the injection queue ...
  std::int64_t end = 0;    // ... and the cycle after its last phit arrived
};

// Histogram of a duration: exact count, mean and extremes, percentiles within 1/32.
class SORTLAST_API Histogram {
 public:
  // `count` values in [first, last].
  struct Bin {
    std::int64_t first = 0, last = 0, count = 0;
  };

  // `cycles` is at least 0. Values below 32 have a bin each; above, each octave is divided into 32 bins.
  void add(std::int64_t cycles) {
    ++bins_[bin_of(cycles)];
    ++count_;
    sum_ += cycles;
    squares_ += static_cast<double>(cycles) * static_cast<double>(cycles);
    if (cycles > max_) max_ = cycles;
    if (cycles < min_) min_ = cycles;
  }

  std::int64_t count() const { return count_; }
  double mean() const;                // 0 without values
  double standard_deviation() const;  // 0 without values
  std::int64_t min() const { return count_ > 0 ? min_ : 0; }
  std::int64_t max() const { return max_; }
  // Smallest value that `part` (0 to 1) of all values do not exceed, rounded up to the end of its bin.
  std::int64_t percentile(double part) const;
  // Bins from the minimum to the maximum, including empty ones between them.
  std::vector<Bin> bins() const;

  bool operator==(const Histogram&) const = default;

 private:
  static constexpr int sub_bits = 5;
  static constexpr std::int64_t sub_bins = std::int64_t{1} << sub_bits;

  static std::size_t bin_of(std::int64_t cycles) {
    const auto value = static_cast<std::uint64_t>(cycles);
    if (cycles < sub_bins) return static_cast<std::size_t>(value);
    const int shift = static_cast<int>(std::bit_width(value)) - 1 - sub_bits;
    return static_cast<std::size_t>((static_cast<std::uint64_t>(shift) << sub_bits) + (value >> shift));
  }
  static std::int64_t last_of(std::size_t bin);  // largest value of a bin

  std::array<std::int64_t, static_cast<std::size_t>(sub_bins) * 40> bins_{};
  std::int64_t count_ = 0, sum_ = 0, max_ = 0, min_ = INT64_MAX;
  double squares_ = 0;
};

struct PacketResult {
  std::int64_t cycles = 0;    // until everything had ended: the last cycle in which a phit moved, plus one
  double seconds = 0;         // cycles times the time of a phit on the link
  std::int64_t messages = 0;  // arrived
  std::int64_t packets = 0;   // arrived
  std::int64_t background_packets = 0;  // arrived
  std::int64_t packet_hops = 0;         // links crossed by packets, host links included
  Histogram delay;  // cycles of each packet from its injection queue to the arrival of its tail
  std::vector<std::int64_t> link_loads;      // by channel of the topology: packets
  std::vector<OccupationSample> occupation;  // if sample_cycles > 0
  std::vector<MessageRecord> log;            // if message_log: in order of arrival
  std::int64_t bytes_used = 0;               // memory of the simulation, without the topology
};

// Adaptive shortest paths: among the ports on a shortest path to the destination, a packet requests the one
// with most credits, chosen at random if several have as many. Requests says when it chooses. Task i runs on
// host placement[i]; no host has two tasks. Equal arguments give equal runs. Throws ArgumentError for a
// placement or option that does not fit, and for unreachable hosts; Error if packets or messages deadlock,
// with the cycle of waits; Error("cancelled").
SORTLAST_API PacketResult simulate_packets(const fabric::Topology& topology, const Traffic& traffic,
                                           const fabric::Placement& placement,
                                           const PacketOptions& options = {});

// Static routes: a packet takes the one port in the tables. Virtual lanes are not modelled.
SORTLAST_API PacketResult simulate_packets(const fabric::Routes& routes, const Traffic& traffic,
                                           const fabric::Placement& placement,
                                           const PacketOptions& options = {});

// Tasks on consecutive hosts from `first_host`. Throws ArgumentError if they do not fit.
SORTLAST_API fabric::Placement consecutive_hosts(const fabric::Topology& topology, std::int32_t tasks,
                                                 std::int32_t first_host = 0);

}  // namespace sortlast::simulate
