// Port counters as printed by the diagnostic tools. All of them count words of 4 bytes.
//
//   # Port extended counters: Lid 73 port 35 (CapMask: 0x5A00)          perfquery -x 73 35
//   PortSelect:......................35
//   PortXmitData:....................2147483648
//   PortRcvData:.....................1073741824
//
//   Data Counters for 0x2c5eab0300b87b40 "leaf-04"                      ibqueryerrors --counters
//      GUID 0x2c5eab0300b87b40 port 35: [PortXmitData == 2147483648 (8.000GB)] [PortRcvData == 17 (68.000B)]
//   Errors for 0x2c5eab0300b87b40 "leaf-04"                             ibqueryerrors --data
//      GUID 0x2c5eab0300b87b40 port 35: [PortXmitWait == 12] [PortXmitData == 2147483648 (8.000GB)]
//
// Sums over all ports of a device ("port ALL", port 255) and a switch's own port 0 are ignored. The section
// PM_INFO of ibdiagnet2.db_csv has a row per port, whose columns have the same names (see db_csv.cpp).
// Source: rdma-core, infiniband-diags/perfquery.c and ibqueryerrors.c, libibmad/fields.c.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sortlast/fabric/loads.hpp"
#include "sortlast/fabric/read/db_csv.hpp"
#include "sortlast/fabric/read/net.hpp"
#include "sortlast/fabric/read/tool_output.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int64_t word_bytes = 4;
constexpr std::int64_t most_words = std::numeric_limits<std::int64_t>::max() / word_bytes;
constexpr std::int64_t full_counter = 0xFFFFFFFF;
constexpr std::int64_t all_ports = 255;
constexpr std::array titles{"# Port extended counters:", "# Port counters:"};

class Reader {
 public:
  Reader(const Topology& topology, std::string_view text, const std::string& file)
      : topology_(topology),
        scan_(text, file),
        sent_(static_cast<std::size_t>(topology.channels()), -1),
        received_(sent_) {
    for (Vertex v = 0; v < topology.vertices(); ++v) {
      const bool host = topology.is_host(v);
      const std::int32_t lid = host ? topology.host(v).lid : topology.switch_at(topology.switch_of(v)).lid;
      const std::int32_t lids = host ? std::int32_t{1} << std::clamp(topology.host(v).lmc, 0, 7) : 1;
      for (std::int32_t i = 0; lid > 0 && i < lids; ++i) {
        const auto [at, added] = by_lid_.emplace(lid + i, v);
        if (!added) at->second = -1;
      }
      if (!host) {
        by_guid_[topology.switch_at(topology.switch_of(v)).guid].push_back(v);
        continue;
      }
      by_guid_[topology.host(v).guid].push_back(v);
      if (topology.host(v).port_guid != topology.host(v).guid) {
        by_guid_[topology.host(v).port_guid].push_back(v);
      }
    }
  }

  std::vector<std::int64_t> read() {
    if (is_db_csv(scan_.text())) {
      read_database();
    } else {
      while (scan_.next_line()) {
        if (!scan_.at_end()) read_line();
      }
    }
    if (!any_) {
      where_->fail(
          "expected counters as perfquery -x, ibqueryerrors --counters or ibdiagnet's PM_INFO have them, "
          "found none");
    }
    std::vector<std::int64_t> bytes = sent_;
    for (Channel c = 0; c < topology_.channels(); ++c) {
      const auto at = static_cast<std::size_t>(c);
      if (bytes[at] >= 0 || !topology_.target(c).connected()) continue;
      bytes[at] = received_[static_cast<std::size_t>(topology_.reverse(c))];
    }
    return bytes;
  }

 private:
  void read_line() {
    for (const char* title : titles) {
      if (scan_.accept(title))
        return read_title(std::string_view(title).find("extended") == std::string_view::npos);
    }
    if (scan_.accept("GUID ")) return read_report();
    if (scan_.accept("PortXmitData:")) return read_counter(sent_);
    if (scan_.accept("PortRcvData:")) return read_counter(received_);
  }

  // "... Lid 73 port 35 (CapMask: 0x5A00)"
  void read_title(bool narrow) {
    narrow_ = narrow;
    if (!scan_.accept("Lid "))
      scan_.fail_expected("'Lid N port M'; query ports by LID or GUID, not by direct routes");
    const std::int64_t lid = scan_.decimal("a LID", 1, most_lid);
    if (!scan_.accept("port ")) scan_.fail_expected("'port N'");
    const std::int64_t port = scan_.decimal("a port", 0, all_ports);
    const auto found = by_lid_.find(static_cast<std::int32_t>(lid));
    if (found == by_lid_.end()) {
      scan_.fail("the fabric has no vertex with LID " + std::to_string(lid) +
                 "; counters and fabric must be of the same time");
    }
    if (found->second < 0) {
      scan_.fail("several nodes of the fabric have LID " + std::to_string(lid) +
                 ", in different subnets; read a file of one subnet, or query ports by GUID (ibqueryerrors)");
    }
    channel_ = channel(found->second, port);
    known_ = true;
  }

  void read_counter(std::vector<std::int64_t>& counters) {
    if (!known_) scan_.fail("expected a line '# Port extended counters: Lid N port M' before this one");
    while (scan_.accept(".")) {
    }
    set(counters, scan_.decimal("a counter", 0, most_words));
  }

  // "GUID 0x.. port 35: [PortXmitData == 1 (4.000B)] ..."
  void read_report() {
    const std::uint64_t guid = scan_.hex("a GUID");
    if (!scan_.accept("port ")) scan_.fail_expected("'port N'");
    if (scan_.accept("ALL")) return;
    const std::int64_t port = scan_.decimal("a port", 0, all_ports);
    channel_ = channel_of(vertices(guid), port);
    narrow_ = false;
    while (scan_.skip_past("[")) {
      if (scan_.accept("PortXmitData ==")) set(sent_, scan_.decimal("a counter", 0, most_words));
      if (scan_.accept("PortRcvData ==")) set(received_, scan_.decimal("a counter", 0, most_words));
    }
  }

  void read_database() {
    DbCsv rows(scan_.text(), scan_.file());
    where_ = &rows.scanner();
    rows.require("PM_INFO", [&] {
      const std::uint64_t guid = rows.hex("nodeguid");
      channel_ = channel_of(vertices(guid), rows.decimal("portnumber|portnum", 0, all_ports));
      read_field(rows, "portxmitdata", sent_);
      read_field(rows, "portrcvdata", received_);
    });
    where_ = &scan_;
  }

  // Prefers the counter of 64 bits.
  void read_field(const DbCsv& rows, const std::string& name, std::vector<std::int64_t>& counters) {
    std::int64_t words = rows.optional(name + "extended");
    narrow_ = words < 0;
    if (narrow_) words = rows.optional(name);
    if (words > most_words) where_->fail("the counter " + name + " is too large");
    if (words >= 0) set(counters, words);
  }

  const std::vector<Vertex>& vertices(std::uint64_t guid) const {
    const auto found = by_guid_.find(guid);
    if (found == by_guid_.end() || guid == 0) {
      where_->fail("the fabric has no vertex with this GUID; counters and fabric must be of the same time");
    }
    return found->second;
  }

  void set(std::vector<std::int64_t>& counters, std::int64_t words) {
    any_ = true;
    if (channel_ < 0) return;
    if (narrow_ && words == full_counter) {
      where_->fail("the counter has reached its end, at 32 bits; use those of 64 bits (perfquery -x)");
    }
    std::int64_t& counter = counters[static_cast<std::size_t>(channel_)];
    if (counter >= 0) {
      where_->fail("a second value of this counter of " + topology_.label(topology_.source(channel_).vertex) +
                   " port " + std::to_string(topology_.source(channel_).port) +
                   "; give one file for each time at which counters were read");
    }
    counter = words * word_bytes;
  }

  // If an adapter has several ports, the one with this number.
  Channel channel_of(const std::vector<Vertex>& vertices, std::int64_t port) const {
    for (const Vertex v : vertices) {
      if (!topology_.is_host(v) || topology_.host(v).port == port) return channel(v, port);
    }
    return channel(vertices.front(), port);
  }

  // The channel that leaves this port; -1 for port 0 and for the sum over all ports.
  Channel channel(Vertex v, std::int64_t port) const {
    if (port == 0 || port == all_ports) return -1;
    if (topology_.is_host(v)) {
      if (port == topology_.host(v).port) return v;
    } else {
      const std::int32_t s = topology_.switch_of(v);
      if (port <= topology_.switch_at(s).ports) return topology_.channel(s, static_cast<std::int32_t>(port));
    }
    where_->fail("'" + excerpt(topology_.label(v)) + "' has no port " + std::to_string(port) +
                 " in this fabric");
  }

  const Topology& topology_;
  ToolOutput scan_;
  const Scanner* where_ = &scan_;                    // for messages
  std::vector<std::int64_t> sent_, received_;        // by channel that leaves the port
  std::unordered_map<std::int32_t, Vertex> by_lid_;  // -1: several vertices have it
  std::unordered_map<std::uint64_t, std::vector<Vertex>> by_guid_;
  Channel channel_ = -1;  // of the current port
  bool narrow_ = false, known_ = false, any_ = false;
};

}  // namespace

std::vector<std::int64_t> read_counters(const Topology& topology, std::string_view text,
                                        const std::string& file) {
  return Reader(topology, text, file).read();
}

}  // namespace sortlast::fabric
