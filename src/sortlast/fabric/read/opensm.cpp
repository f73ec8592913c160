// Forwarding tables as OpenSM and the diagnostic tools dump them, all the same list of (switch, LID, port):
//
//   Unicast lids [0-168] of switch Lid 2 guid 0x0000000020100000 ('sw-L1-0000'):      opensm-lfts.dump,
//   0x0001 001 # Channel Adapter portguid 0x0000000010000001: 'host00000 HCA-1'       opensm -R file
//
//   Unicast lids [0x0-0xa8] of switch DR path slid 0; ... guid 0x20100000 (sw-L1-0000):   dump_fts, ibroute
//     Lid  Out   Destination
//   0x0001 001 : (Channel Adapter portguid 0x0000000010000001: 'host00000 HCA-1')
//
//   dump_ucast_routes: Switch 0x0000000020100000                                      opensm.fdbs
//   LID    : Port : Hops : Optimal
//   0x0001 : 001  : 01   : yes
//   0x0002 : UNREACHABLE
//
//   osm_ucast_mgr_dump_ucast_routes: Switch 0x0000000020100000                        ibdiagnet2.fdbs, then
//   PLFT_NUM: 0                                                                       as opensm.fdbs
//
// Sources: OpenSM, osm_dump.c and osm_ucast_file.c; infiniband-diags, dump_fts.c; ibdiagnet(1), the .fdbs
// file.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/read/lids.hpp"
#include "sortlast/fabric/read/net.hpp"
#include "sortlast/fabric/read/tool_output.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int64_t no_path = 255;
// Tables of several planes may be larger only if the file is: it has a line for each known entry.
constexpr std::int64_t most_entries = std::int64_t{1} << 28;

// Titles and ends of tables.
constexpr std::array switch_titles{"dump_ucast_routes: Switch", "osm_ucast_mgr_dump_ucast_routes: Switch"};
constexpr std::array titles{"#", "LID ", "Lid ", "Port "};

struct Entry {
  std::int32_t lid = 0;
  std::int32_t port = 0;        // no_path: unreachable
  std::uint64_t port_guid = 0;  // of the destination; 0: not given
};

class Reader {
 public:
  Reader(const Topology& topology, std::string_view text, const std::string& file)
      : topology_(topology), scan_(text, file), lids_(topology) {
    for (std::int32_t s = 0; s < topology.switches(); ++s) switches_.emplace(topology.switch_at(s).guid, s);
  }

  // Name of the tables, noting failed queries that may have left gaps.
  std::string name() const { return scan_.name("tables"); }

  std::shared_ptr<const Tables> read() {
    if (!lids_.complete()) learn_lids();
    scan_.rewind();
    planes_ = lids_.planes();
    check_size();
    auto tables = std::make_shared<Tables>(topology_, planes_);
    Entry entry;
    while (next_entry(entry)) enter(*tables, entry);
    if (switch_ < 0) scan_.fail("expected 'Unicast lids ... of switch ... guid 0x...', found no table");
    return tables;
  }

 private:
  void learn_lids() {
    Entry entry;
    while (next_entry(entry)) {
      if (entry.port_guid != 0) lids_.learn(entry.lid, entry.port_guid);
    }
  }

  // A single host with many LIDs gives all vertices as many planes.
  void check_size() const {
    const std::int64_t entries =
        std::int64_t{topology_.switches()} * topology_.vertices() * static_cast<std::int64_t>(planes_);
    const std::int64_t most = std::max(most_entries, std::ssize(scan_.text()));
    if (planes_ == 1 || entries <= most) return;
    scan_.fail("expected tables of at most " + std::to_string(most) + " entries, found a host of " +
               std::to_string(planes_) + " LIDs, and so " + std::to_string(planes_) + " tables of " +
               std::to_string(entries / planes_) + " entries");
  }

  // Reads the next line of a table; false: there is none. A table's title names its switch.
  bool next_entry(Entry& entry) {
    while (scan_.next_line()) {
      if (scan_.at_end()) continue;
      if (scan_.rest().starts_with("0x")) {
        entry = read_entry();
        return true;
      }
      read_title();
    }
    return false;
  }

  Entry read_entry() {
    Entry entry;
    const std::uint64_t lid = scan_.hex("a LID");
    if (lid > static_cast<std::uint64_t>(most_lid))
      scan_.fail("LID " + std::to_string(lid) + " is too large");
    entry.lid = static_cast<std::int32_t>(lid);
    (void)scan_.accept(":");
    entry.port = static_cast<std::int32_t>(scan_.accept("UNREACHABLE") ? no_path
                                                                       : scan_.decimal("a port", 0, no_path));
    if (scan_.skip_past("portguid ")) entry.port_guid = scan_.hex("a port GUID");
    return entry;
  }

  void read_title() {
    if (scan_.accept("Unicast lids")) {
      if (!scan_.skip_past(" guid ")) scan_.fail_expected("'guid 0x...' of the switch");
      return read_switch();
    }
    for (const char* title : switch_titles) {
      if (scan_.accept(title)) return read_switch();
    }
    if (scan_.accept("PLFT_NUM:")) return read_private_table();
    if (scan_.line().ends_with("lids dumped") || scan_.line().ends_with("lids dumped ")) return;
    for (const char* title : titles) {
      if (scan_.accept(title)) return;
    }
    scan_.fail_expected("'Unicast lids ... of switch ... guid 0x...', or an entry (0xLID PORT)");
  }

  // A switch may hold several tables, selected by a packet's service level, which Routes cannot represent.
  void read_private_table() {
    const std::int64_t table = scan_.decimal("the number of a private table", 0, 255);
    if (table == 0) return;
    scan_.fail("expected one table for each switch (PLFT_NUM: 0), found private table " +
               std::to_string(table) + "; its routes depend on the service level");
  }

  void read_switch() {
    const std::uint64_t guid = scan_.hex("the switch's GUID");
    const auto found = switches_.find(guid);
    if (found == switches_.end()) {
      scan_.fail("no switch of " + topology_.name() + " has the GUID that begins this table: '" +
                 excerpt(scan_.line()) + "'");
    }
    switch_ = found->second;
  }

  void enter(Tables& tables, const Entry& entry) {
    if (switch_ < 0) scan_.fail("an entry before the first table ('Unicast lids ... of switch ...')");
    if (entry.port == no_path) return;
    const Switch& on = topology_.switch_at(switch_);
    if (entry.port > on.ports) {
      scan_.fail("expected a port of '" + excerpt(on.name) + "' (0 to " + std::to_string(on.ports) +
                 "), found " + std::to_string(entry.port));
    }
    const Lids::Target target = lids_.find(entry.lid, topology_.vertex_of_switch(switch_));
    if (!check_target(entry, target)) return;
    for (std::int32_t plane = target.plane; plane < planes_; plane += lids_.planes(target.vertex)) {
      set(tables, target.vertex, entry, plane);
    }
  }

  // Whether the entry leads to a vertex of the topology. A LID without an owner in the dump itself is stale;
  // any other must be known.
  bool check_target(const Entry& entry, const Lids::Target& target) {
    if (target.vertex < 0) {
      if (entry.lid == 0 || scan_.line().ends_with("unknown node and type")) return false;
      scan_.fail("LID " + std::to_string(entry.lid) + " belongs to no vertex of " + topology_.name() +
                 "; read a topology with LIDs (ibnetdiscover) of the same time as these tables");
    }
    if (entry.port_guid == 0) return true;
    const Vertex named = lids_.find_guid(entry.port_guid);
    if (named >= 0 && named != target.vertex) {
      scan_.fail("LID " + std::to_string(entry.lid) + " is '" + topology_.label(named) + "' here and '" +
                 topology_.label(target.vertex) + "' in " + topology_.name() +
                 "; are both of the same time?");
    }
    return true;
  }

  void set(Tables& tables, Vertex destination, const Entry& entry, std::int32_t plane) {
    const std::int32_t before = tables.port(switch_, destination, plane);
    if (before != Forwarding::unreachable && before != entry.port) {
      scan_.fail("a second entry of LID " + std::to_string(entry.lid) + ", by port " +
                 std::to_string(entry.port) + "; the first says port " + std::to_string(before));
    }
    tables.set(switch_, destination, entry.port, plane);
  }

  const Topology& topology_;
  ToolOutput scan_;
  Lids lids_;
  std::unordered_map<std::uint64_t, std::int32_t> switches_;
  std::int32_t switch_ = -1;  // of the current table
  std::int32_t planes_ = 1;
};

}  // namespace

Routes read_routes(std::shared_ptr<const Topology> topology, std::string_view text, const std::string& file) {
  Reader reader(*topology, text, file);
  auto tables = reader.read();
  const std::string name = reader.name();
  return {std::move(topology), std::move(tables), name, name, {}};
}

}  // namespace sortlast::fabric
