// iblinkinfo: one line per port of every node, under a header with the node, or after it (--line).
//
//   CA: gpu01 mlx5_0:
//         0x00000000c0000001      7    1[  ] ==( 4X      106.25 Gbps Active/  LinkUp)==>       1    1[  ]
//         "leaf-1" ( )
//   Switch: 0x00000000a0000000 leaf-1:
//              1    1[  ] ==( 4X      106.25 Gbps Active/  LinkUp)==>       7    1[  ] "gpu01 mlx5_0" ( )
//              1    2[  ] ==(                Down/ Polling)==>             [  ] "" ( )
//
//   0x00000000a0000000 "                leaf-1"      1    1[  ] ==( ..)==>  0x00000000c0000001      7    1[
//   ] "gpu01 .." ( )
//
// A line has the port's GUID (of adapters only, or with --line; all ports of a switch share one), its LID,
// its number, and in brackets the number on the chassis; then the rate per lane; then the same of the other
// end. Without --line the other end has no GUID, and is found by its LID. As in a port report, GUIDs of
// adapters are missing: each of their ports is treated as a separate adapter. With --line the kind of a node
// is missing too: a switch has lines for all its ports, an adapter's port GUID has one. Source:
// infiniband-diags, iblinkinfo.c.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sortlast/fabric/read/formats.hpp"
#include "sortlast/fabric/read/net.hpp"
#include "sortlast/fabric/read/tool_output.hpp"

namespace sortlast::fabric {

namespace {

enum class Kind { unknown, adapter, router, network_switch };

// Rates per lane of the generations; a lane of FDR to XDR signals a little faster than its nominal rate.
double nominal(double lane_gbps) {
  static constexpr std::array pairs{std::pair(14.0625, 14.0), std::pair(25.78125, 25.0),
                                    std::pair(53.125, 50.0), std::pair(106.25, 100.0),
                                    std::pair(212.5, 200.0)};
  for (const auto& [signalled, named] : pairs) {
    if (lane_gbps == signalled) return named;
  }
  return lane_gbps;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file)
      : scan_(text, file), net_(scan_), by_lid_(!names_far_guids(text)) {}

  Topology read() {
    while (scan_.next_line()) {
      if (!scan_.at_end() && !scan_.accept("#")) read_line();
    }
    if (cables_.empty()) {
      scan_.fail("expected ports with a cable as iblinkinfo prints them (==( 4X .. LinkUp)==>), found none");
    }
    find_kinds();
    for (Net::Node& node : nodes_) net_.add(node);
    for (Cable& cable : cables_) {
      const Net::Node& near = nodes_[cable.near];
      net_.add_port(net_.number(near.id), cable.near_port,
                    {.far_id = nodes_[cable.far].id,
                     .far_port = cable.far_port,
                     .near = side(cable.near),
                     .far = side(cable.far),
                     .gbps = cable.gbps,
                     .line = cable.line});
    }
    return net_.topology(scan_.name("nodes"));
  }

 private:
  struct End {
    std::uint64_t guid = 0;
    std::int32_t lid = 0, port = 0;
  };
  struct Cable {
    std::size_t near = 0, far = 0;
    std::int32_t near_port = 0, far_port = 0;
    double gbps = 0;
    std::int64_t line = 0;
  };
  struct Known {
    Kind kind = Kind::unknown;
    std::int32_t lid = 0;
    std::int32_t lines = 0;  // of its own ports
  };

  static bool names_far_guids(std::string_view text) {
    static constexpr std::string_view arrow = "==>";
    for (std::size_t at = text.find(arrow); at != text.npos; at = text.find(arrow, at + 1)) {
      const std::size_t far = text.find_first_not_of(" \t", at + arrow.size());
      if (far != text.npos && text.substr(far).starts_with("0x")) return true;
    }
    return false;
  }

  void read_line() {
    if (read_header()) return;
    const std::string_view line = scan_.line();
    if (line.find("==(") == line.npos) {
      scan_.fail_expected("a node (Switch: 0x.. NAME:, CA: NAME:) or a port (.. ==( 4X .. LinkUp)==> ..)");
    }
    read_port();
  }

  bool read_header() {
    if (scan_.accept("Switch: ") || scan_.accept("Switch 0x")) {
      kind_ = Kind::network_switch;
    } else if (scan_.accept("CA: ")) {
      kind_ = Kind::adapter;
    } else if (scan_.accept("RT: ")) {
      kind_ = Kind::router;
    } else {
      return false;
    }
    guid_ = kind_ == Kind::network_switch ? scan_.hex("the switch's GUID") : 0;
    scan_.at_end();
    name_ = scan_.rest().substr(0, scan_.rest().rfind(':'));
    return true;
  }

  void read_port() {
    End near;
    Kind kind = kind_;
    std::string name = name_;
    const bool with_guid = scan_.accept("0x");
    near.guid = with_guid ? scan_.hex("a GUID") : guid_;
    if (with_guid && scan_.accept("\"")) {
      kind = Kind::unknown;
      name = name_before("==(");
    } else if (kind_ == Kind::unknown) {
      scan_.fail("expected a node (Switch: 0x.. NAME:, CA: NAME:) before its ports");
    }
    near.lid = static_cast<std::int32_t>(scan_.decimal("a LID", 0, most_lid));
    near.port = read_number("a port");
    const double gbps = read_state();

    // The other end of the cable.
    if (by_lid_ && near.lid == 0) {
      scan_.fail("the port has no LID, by which its cable's other end is found; run iblinkinfo --line");
    }
    if (scan_.accept("[")) return static_cast<void>(enter(near, kind, name));
    End far;
    if (!by_lid_) {
      if (!scan_.accept("0x")) scan_.fail_expected("the GUID of the other end, as in the lines of --line");
      far.guid = scan_.hex("a GUID");
    }
    far.lid = static_cast<std::int32_t>(scan_.decimal("a LID", 0, most_lid));
    far.port = read_number("a port");
    scan_.expect("\"");
    const std::string far_name = name_before("");
    if (by_lid_ && far.lid == 0) scan_.fail("the other end has no LID; run iblinkinfo --line");
    Cable cable{.near_port = near.port, .far_port = far.port, .gbps = gbps, .line = scan_.line_number()};
    cable.near = enter(near, kind, name);
    cable.far = enter(far, Kind::unknown, far_name, false);
    cables_.push_back(cable);
  }

  // Reads NUMBER[ EXTERNAL].
  std::int32_t read_number(const char* what) {
    const auto number = static_cast<std::int32_t>(scan_.decimal(what, 1, most_ports));
    scan_.expect("[");
    if (!scan_.skip_past("]")) scan_.fail_expected("the external port in brackets");
    return number;
  }

  // Reads ==( 4X 106.25 Gbps Active/ LinkUp) .. ==>; 0 for a port that is down.
  double read_state() {
    scan_.expect("==(");
    const std::string_view rest = scan_.rest();
    const std::size_t end = rest.find(')');
    if (end == rest.npos) scan_.fail_expected("the state of the port in parentheses");
    double gbps = 0;
    if (rest.substr(0, end).find(" Gbps") != rest.npos) {
      std::string width(scan_.word("a width (4X)"));
      std::ranges::replace(width, 'X', 'x');
      const std::string_view lane = scan_.word("a rate per lane");
      double rate = 0;
      const auto [last, error] = std::from_chars(lane.data(), lane.data() + lane.size(), rate);
      if (error != std::errc() || last != lane.data() + lane.size() || !(rate > 0 && rate < 1e6)) {
        scan_.fail("expected a rate per lane in Gbps, found '" + excerpt(lane) + "'");
      }
      gbps = rate_of(width, nominal(rate));
    }
    if (!scan_.skip_past("==>")) scan_.fail_expected("'==>' after the state of the port");
    return gbps;
  }

  // Reads a name up to its closing quotation mark, the last one before `end`; names may contain others.
  std::string name_before(std::string_view end) {
    scan_.at_end();  // blanks before the name, which --line pads
    const std::string_view rest = scan_.rest();
    const std::size_t stop = end.empty() ? rest.size() : std::min(rest.find(end), rest.size());
    const std::size_t quote = rest.substr(0, stop).rfind('"');
    if (quote == rest.npos) scan_.fail_expected("a name in double quotes");
    scan_.accept(rest.substr(0, quote + 1));
    return std::string(rest.substr(0, quote));
  }

  std::size_t enter(const End& end, Kind kind, const std::string& name, bool own = true) {
    const std::string id = by_lid_ ? "LID " + std::to_string(end.lid) : "GUID " + std::to_string(end.guid);
    const auto [at, added] = number_.emplace(id, nodes_.size());
    if (added) {
      nodes_.push_back({.id = id, .name = name, .line = scan_.line_number()});
      known_.push_back({.lid = end.lid});
    }
    Net::Node& node = nodes_[at->second];
    Known& known = known_[at->second];
    if (kind != Kind::unknown && known.kind != Kind::unknown && kind != known.kind) {
      scan_.fail("'" + excerpt(name) + "' is a node of another kind on line " + std::to_string(node.line));
    }
    if (end.guid != 0 && node.guid != 0 && end.guid != node.guid) {
      scan_.fail("'" + excerpt(name) + "' has " + id + ", as '" + excerpt(node.name) + "' on line " +
                 std::to_string(node.line));
    }
    if (known.kind == Kind::unknown) known.kind = kind;
    if (node.guid == 0) node.guid = end.guid;
    known.lines += own ? 1 : 0;
    node.ports = std::max(node.ports, end.port);
    return at->second;
  }

  // A node without a header is a switch if it has several lines.
  void find_kinds() {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const Known& known = known_[n];
      nodes_[n].is_switch =
          known.kind == Kind::network_switch || (known.kind == Kind::unknown && known.lines > 1);
      nodes_[n].is_router = known.kind == Kind::router;
      nodes_[n].lid = nodes_[n].is_switch ? known.lid : 0;
    }
  }

  Net::Side side(std::size_t n) const {
    return nodes_[n].is_switch ? Net::Side{} : Net::Side{.lid = known_[n].lid, .guid = nodes_[n].guid};
  }

  ToolOutput scan_;
  Net net_;
  bool by_lid_ = false;        // other ends are given by LID, without --line
  Kind kind_ = Kind::unknown;  // of the last header
  std::uint64_t guid_ = 0;
  std::string name_;
  std::vector<Net::Node> nodes_;
  std::vector<Known> known_;
  std::unordered_map<std::string, std::size_t> number_;
  std::vector<Cable> cables_;
};

}  // namespace

Topology read_link_info(std::string_view text, const std::string& file) { return Reader(text, file).read(); }

}  // namespace sortlast::fabric
