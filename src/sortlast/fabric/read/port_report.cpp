// ibnetdiscover -p (--ports): one line per port, with the port at the other end of its cable.
//
//   CA    12  1 0x1070fd0300000010 4x HDR - SW     5  3 0x2c5eab0300a00000 ( 'n01 mlx5_0' - 'leaf-1' )
//   SW     5 40 0x2c5eab0300a00000 4x SDR                                     'leaf-1'
//
// A line has the kind of the node, its LID, the port, and the port's GUID, which all ports of a switch share.
// GUIDs of adapters are missing, so each port of an adapter is treated as a separate adapter; a node has as
// many ports as its highest port number. Source: infiniband-diags, ibnetdiscover.c.
#include <algorithm>
#include <unordered_map>

#include "sortlast/fabric/read/formats.hpp"
#include "sortlast/fabric/read/net.hpp"
#include "sortlast/fabric/read/tool_output.hpp"

namespace sortlast::fabric {

namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : scan_(text, file), net_(scan_) {}

  Topology read() {
    while (scan_.next_line()) read_line([this](const Line& line) { collect(line); });
    for (Net::Node& node : nodes_) net_.add(std::move(node));
    scan_.rewind();
    while (scan_.next_line()) {
      read_line([this](const Line& line) {
        if (line.far.port == 0) return;
        net_.add_port(net_.number(line.near.id), line.near.port,
                      {.far_id = line.far.id,
                       .far_port = line.far.port,
                       .near = side(line.near),
                       .far = side(line.far),
                       .gbps = line.gbps,
                       .line = scan_.line_number()});
      });
    }
    return net_.topology(scan_.name("nodes"));
  }

 private:
  struct End {
    std::string kind, id, name;
    std::int32_t lid = 0, port = 0;
    std::uint64_t guid = 0;
  };
  struct Line {
    End near, far;  // far.port 0: no cable
    double gbps = 0;
  };

  static Net::Side side(const End& end) {
    return end.kind == "SW" ? Net::Side{} : Net::Side{.lid = end.lid, .guid = end.guid};
  }

  template <class Use>
  void read_line(const Use& use) {
    if (scan_.at_end() || scan_.accept("#")) return;
    Line line;
    line.near = read_end();
    const std::string_view width = scan_.word("a width (4x)"), speed = scan_.word("a speed (HDR)");
    line.gbps = rate_of(std::string(width) + std::string(speed));
    if (scan_.accept("- ")) line.far = read_end();
    read_names(line);
    use(line);
  }

  End read_end() {
    End end;
    end.kind = scan_.word("SW, CA or RT");
    if (end.kind != "SW" && end.kind != "CA" && end.kind != "RT") {
      scan_.fail("expected a node of kind SW, CA or RT, found '" + excerpt(end.kind) + "'");
    }
    end.lid = static_cast<std::int32_t>(scan_.decimal("a LID", 0, most_lid));
    end.port = static_cast<std::int32_t>(scan_.decimal("a port", 1, most_ports));
    end.guid = scan_.hex("a GUID");
    end.id = std::to_string(end.guid);
    return end;
  }

  // Reads ( 'n01 mlx5_0' - 'leaf-1' ), or 'leaf-1' for a port without a cable.
  void read_names(Line& line) {
    const bool cabled = line.far.port > 0;
    scan_.expect(cabled ? "( '" : "'");
    const std::string_view names = scan_.rest(), between = "' - '";
    const std::size_t end = names.rfind('\'');
    const std::size_t split = cabled ? names.find(between) : end;
    const std::size_t second = split + between.size();
    if (end == names.npos || split == names.npos || (cabled && second > end)) {
      scan_.fail_expected("the names of the nodes (( 'NAME' - 'NAME' ))");
    }
    line.near.name = names.substr(0, split);
    if (cabled) line.far.name = names.substr(second, end - second);
  }

  void collect(const Line& line) {
    for (const End* end : {&line.near, &line.far}) {
      if (end->port == 0) continue;
      const auto [at, added] = number_.emplace(end->id, nodes_.size());
      if (added) {
        nodes_.push_back({.id = end->id,
                          .name = end->name,
                          .guid = end->guid,
                          .is_switch = end->kind == "SW",
                          .is_router = end->kind == "RT",
                          .lid = end->kind == "SW" ? end->lid : 0,
                          .line = scan_.line_number()});
      }
      Net::Node& node = nodes_[at->second];
      if (node.is_switch != (end->kind == "SW")) {
        scan_.fail("the node with this GUID is of another kind on line " + std::to_string(node.line));
      }
      node.ports = std::max(node.ports, end->port);
    }
  }

  ToolOutput scan_;
  Net net_;
  std::vector<Net::Node> nodes_;
  std::unordered_map<std::string, std::size_t> number_;
};

}  // namespace

Topology read_port_report(std::string_view text, const std::string& file) {
  return Reader(text, file).read();
}

}  // namespace sortlast::fabric
