// opensm-subnet.lst: one directed link per line, each end in braces. Ports, LID and PN are hexadecimal.
//
//   { CA-SM Ports:01 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:000000 DevID:0000 Rev:000000A1
//     {host00000 HCA-1} LID:0001 PN:01 } { SW Ports:18 ... } PHY=4x LOG=ACT SPD=2.5
//
// ibdiagnet writes the same format, with comments first and possibly more fields after SPD. Sources: OpenSM,
// osm_dump.c, dump_topology_node; ibdiagnet(1), the .lst file.
#include <charconv>

#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/read/net.hpp"
#include "sortlast/fabric/read/tool_output.hpp"

namespace sortlast::fabric {

namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : scan_(text, file), net_(scan_) {}

  Topology read() {
    bool any = false;
    while (scan_.next_line()) {
      if (scan_.at_end() || scan_.accept("#")) continue;
      read_link();
      any = true;
    }
    if (!any) scan_.fail("expected links ('{ SW Ports:...'), found none");
    return net_.topology(scan_.name("nodes"));
  }

 private:
  struct End {
    Net::Node node;
    std::int32_t port = 0;
    Net::Side side;  // of an adapter's port
  };

  void read_link() {
    const End near = read_end(), far = read_end();
    scan_.expect("PHY=");
    const std::string_view width = scan_.word("a width (4x)");
    scan_.expect("LOG=");
    scan_.word("a state (ACT)");
    scan_.expect("SPD=");
    const std::string_view speed = scan_.word("a speed (2.5)");
    while (!scan_.at_end()) {
      if (scan_.word("a field").find('=') == std::string_view::npos) {
        scan_.fail_expected("the end of the line, or more fields (NAME=VALUE)");
      }
    }

    const std::size_t node = enter(near.node);
    enter(far.node);
    net_.add_port(node, near.port,
                  {.far_id = far.node.id,
                   .far_port = far.port,
                   .near = near.side,
                   .far = far.side,
                   .gbps = rate_of(width, lane_rate(speed)),
                   .line = scan_.line_number()});
  }

  // { SW Ports:18 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:.. Rev:.. {name} LID:0002 PN:01 }
  End read_end() {
    scan_.expect("{");
    const std::string_view kind = scan_.word("SW, CA or Rt");
    const std::string_view plain = kind.substr(0, kind.find('-'));
    if (plain != "SW" && plain != "CA" && plain != "Rt") {
      scan_.fail("expected a node of kind SW, CA or Rt, found '" + excerpt(kind) + "'");
    }
    End end;
    end.node.is_switch = plain == "SW";
    end.node.is_router = plain == "Rt";
    end.node.line = scan_.line_number();
    scan_.expect("Ports:");
    end.node.ports = number("the number of ports", 1, most_ports);
    end.node.system_guid = guid("SystemGUID:");
    end.node.guid = guid("NodeGUID:");
    end.node.id = std::to_string(end.node.guid);
    const std::uint64_t port_guid = guid("PortGUID:");
    for (const char* field : {"VenID:", "DevID:", "Rev:"}) guid(field);
    end.node.name = read_name();
    const std::int32_t lid = number("a LID", 0, most_lid);
    scan_.expect("PN:");
    end.port = number("a port of the node", 1, end.node.ports);
    scan_.expect("}");
    if (end.node.is_switch) {
      end.node.lid = lid;
    } else {
      end.side = {.lid = lid, .lmc = 0, .guid = port_guid};
    }
    return end;
  }

  std::uint64_t guid(const char* field) {
    scan_.expect(field);
    return scan_.hex("a number");
  }

  std::int32_t number(const std::string& what, std::int64_t least, std::int64_t most) {
    const std::uint64_t value = scan_.hex(what);
    if (value < static_cast<std::uint64_t>(least) || value > static_cast<std::uint64_t>(most)) {
      scan_.fail("expected " + what + " (" + std::to_string(least) + " to " + std::to_string(most) +
                 "), found " + std::to_string(value));
    }
    return static_cast<std::int32_t>(value);
  }

  // A name may contain braces; it ends before the LID.
  std::string read_name() {
    scan_.expect("{");
    const std::string_view left = scan_.rest();
    if (!scan_.skip_past("} LID:")) scan_.fail_expected("a name in braces, and 'LID:'");
    return std::string(left.substr(0, left.find("} LID:")));
  }

  static double lane_rate(std::string_view speed) {
    if (speed == "FDR10") return 10;
    double rate = 0;
    const auto [end, error] = std::from_chars(speed.data(), speed.data() + speed.size(), rate);
    return error == std::errc() && end == speed.data() + speed.size() && rate > 0 && rate < 1e6 ? rate : 0;
  }

  // Every line repeats the descriptions of its nodes.
  std::size_t enter(const Net::Node& node) {
    if (!net_.knows(node.id)) return net_.add(node);
    const Net::Node& known = net_.node(net_.number(node.id));
    if (known.is_switch != node.is_switch || known.ports != node.ports || known.lid != node.lid) {
      scan_.fail("'" + excerpt(node.name) + "' differs in kind, ports or LID from what line " +
                 std::to_string(known.line) + " says");
    }
    return net_.number(node.id);
  }

  ToolOutput scan_;
  Net net_;
};

}  // namespace

Topology read_subnet_list(std::string_view text, const std::string& file) {
  return Reader(text, file).read();
}

}  // namespace sortlast::fabric
