// Loads: bytes on the channels of a fabric, predicted and counted by its ports, and the data rates of links.
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

// Data rate [byte/s] of one direction of a link with this signalling rate [Gbit/s]. Up to QDR the coding
// leaves 8 of 10 bits, for FDR 64 of 66; later rates are named after their data rate. 0 if the rate is
// unknown.
SORTLAST_API double data_rate(double gbps);

// Bytes that cross each channel over all stages of a pattern with their repetitions. Walks every flow. Throws
// as contention() does, and if bytes add up to more than 2^63 - 1.
SORTLAST_API std::vector<std::int64_t> channel_bytes(const Routes& routes, const Pattern& pattern,
                                                     const Placement& placement);

// Bytes carried by each channel, from the counters of the port that it leaves or, if those are missing, of
// the port that it enters; -1 if the file has neither. The text is the output of any number of calls of
// `perfquery -x LID PORT`, or of `ibqueryerrors --counters` or `--data`, or an ibdiagnet2.db_csv with its
// section PM_INFO; these count in words of 4 bytes.
// Counters with only 32 bits, from perfquery without -x, stop at their maximum, and one that has reached it
// is rejected. Throws ArgumentError, with file and line, for a malformed line, a port that the fabric does
// not have or that occurs twice, and a text without counters.
SORTLAST_API std::vector<std::int64_t> read_counters(const Topology& topology, std::string_view text,
                                                     const std::string& file);

}  // namespace sortlast::fabric
