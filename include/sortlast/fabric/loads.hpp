// Loads: what the channels of a fabric carry, as predicted and as the counters of its ports tell; and how
// much they can.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// Data that a link of a signalling rate [Gbit/s] carries in one direction [byte/s]: less the coding of 8 bits
// in 10 up to QDR, and of 64 in 66 of FDR; later rates are named after their data. 0: the rate is not known.
SORTLAST_API double data_rate(double gbps);

// Bytes that cross each channel over all stages of a pattern, as often as they happen. Walks every flow.
// Throws as contention() does, and for bytes that add up to more than 2^63 - 1.
SORTLAST_API std::vector<std::int64_t> channel_bytes(const Routes& routes, const Pattern& pattern,
                                                     const Placement& placement);

// Bytes that each channel has carried, by the counters of the port that it leaves, or else of the one that it
// enters; -1: neither stands in the file. The text is what `perfquery -x LID PORT`, any number of times, or
// `ibqueryerrors --counters` or `--data` print; they count in words of 4 bytes. Counters that have only 32
// bits, as those of perfquery without -x, stop at their end: one that stands there is refused. Throws
// ArgumentError, with file and line: a malformed line, a port that the fabric does not have or that has been
// told already; a text without counters.
SORTLAST_API std::vector<std::int64_t> read_counters(const Topology& topology, std::string_view text,
                                                     const std::string& file);

}  // namespace sortlast::fabric
