// The output of ibnetdiscover, and the netlists of ibsim, which are a subset of it.
//
//   switchguid=0x2010000b(2010000b)
//   Switch  24 "S-000000002010000b"     # "sw-L1-0011" base port 0 lid 32 lmc 0
//   [1]     "H-0000000010000840"[1](10000841)       # "host00132 HCA-1" lid 69 4xSDR
//
//   caguid=0x10000840
//   Ca      1 "H-0000000010000840"      # "host00132 HCA-1"
//   [1](10000841)   "S-000000002010000b"[1]         # lid 69 lmc 0 "sw-L1-0011" lid 32 4xSDR
//
// A blank line ends a record. A router's record begins with Rt. Text after # is a comment to ibsim; in
// ibnetdiscover's output it holds names, LIDs and rates. Sources: infiniband-diags, src/ibnetdiscover.c;
// ibsim, ibsim/sim_net.c.
#include <algorithm>
#include <array>

#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/read/net.hpp"
#include "sortlast/fabric/read/tool_output.hpp"

namespace sortlast::fabric {

namespace {

// Attributes of the next record that a topology does not store, and the titles of ibnetdiscover -g.
constexpr std::array ignored{"vendid=", "devid=", "numports", "Chassis", "Non-Chassis", "Hostname:"};
constexpr std::array guid_attributes{"switchguid=", "caguid=", "rtguid="};
constexpr std::array adapters{"Ca", "Hca"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// GUID in an identifier like "H-0000000010000840"; 0: it holds none.
std::uint64_t guid_of(std::string_view id, const std::string& file) {
  const bool holds_one = id.size() > 2 && id.size() <= 18 && id[1] == '-' &&
                         id.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
  if (!holds_one) return 0;
  Scanner scanner(id.substr(2), file);
  scanner.next_line();
  return scanner.hex("a GUID");
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : scan_(text, file), net_(scan_) {}

  Topology read() {
    while (scan_.next_line()) read_line();
    if (!any_record_) scan_.fail("expected records of switches and adapters, found none");
    return net_.topology(scan_.name("nodes"));
  }

 private:
  void read_line() {
    if (scan_.at_end()) {
      in_record_ = false;
      return;
    }
    if (scan_.accept("#")) return;
    for (const char* attribute : guid_attributes) {
      if (scan_.accept(attribute)) return read_guid(guid_);
    }
    if (scan_.accept("sysimgguid=")) return read_guid(system_guid_);
    for (const char* start : ignored) {
      if (scan_.accept(start)) return;
    }
    if (scan_.accept("Switch")) return read_node({.is_switch = true});
    if (scan_.accept("Rt")) return read_node({.is_router = true});
    for (const char* adapter : adapters) {
      if (scan_.accept(adapter)) return read_node({});
    }
    if (!in_record_) scan_.fail_expected("a record of a node (Switch, Ca, Hca, Rt)");
    if (!scan_.accept("[")) scan_.fail_expected("a port ([N] \"...\"[M])");
    read_port();
  }

  // switchguid=0x20100000(20100000)
  void read_guid(std::uint64_t& guid) {
    guid = scan_.hex("a GUID");
    if (scan_.accept("(")) {
      scan_.hex("a GUID");
      scan_.expect(")");
    }
    if (!scan_.accept("#")) scan_.expect_end();
  }

  // Switch  24 "S-..."  # "name" enhanced port 0 lid 32 lmc 0
  void read_node(Net::Node node) {
    node.line = scan_.line_number();
    node.ports = static_cast<std::int32_t>(scan_.decimal("the number of ports", 1, most_ports));
    node.id = scan_.quoted("the node's identifier");
    if (node.id.empty()) scan_.fail("expected the node's identifier between the quotes, found nothing");
    node.guid = guid_ != 0 ? guid_ : guid_of(node.id, scan_.file());
    node.system_guid = system_guid_;
    guid_ = system_guid_ = 0;
    if (!scan_.accept("#")) {
      scan_.expect_end();
    } else {
      const Comment comment = read_comment();
      node.name = comment.name;
      node.lid = std::max(comment.before.lid, comment.after.lid);
    }
    node_ = net_.add(std::move(node));
    in_record_ = any_record_ = true;
  }

  // [1](guid)  "S-..."[1](guid)  w=4  # ...
  void read_port() {
    const Net::Node& node = net_.node(node_);
    const auto port = static_cast<std::int32_t>(scan_.decimal("a port of this node", 1, node.ports));
    scan_.expect("]");
    Net::Port said;
    said.line = scan_.line_number();
    said.near.guid = read_end_details();
    said.far_id = scan_.quoted("the identifier of what the cable leads to");
    if (scan_.accept("[")) {
      said.far_port = static_cast<std::int32_t>(scan_.decimal("a port", 1, most_ports));
      scan_.expect("]");
    }
    said.far.guid = read_end_details();
    // Options of ibsim: w=, s= and e= are widths and speeds allowed on the simulated port.
    while (!scan_.at_end() && !scan_.accept("#")) {
      if (scan_.word("an option").find('=') == std::string_view::npos) {
        scan_.fail_expected("options (w=4) or a comment after the link");
      }
    }
    const Comment comment = read_comment();
    said.gbps = comment.gbps;
    said.far.lid = comment.after.lid;
    said.near.lid = comment.before.lid;
    said.near.lmc = comment.before.lmc;
    net_.add_port(node_, port, std::move(said));
  }

  // Reads "[ext 12]" of a chassis, and a port GUID in parentheses; 0: none.
  std::uint64_t read_end_details() {
    if (scan_.accept("[ext")) {
      scan_.decimal("an external port", 0, 0xFFFF);
      scan_.expect("]");
    }
    if (!scan_.accept("(")) return 0;
    const std::uint64_t guid = scan_.hex("a port GUID");
    scan_.expect(")");
    return guid;
  }

  // Contents of a comment: a name in quotes, LIDs before and after it, and a rate. Anything else is free
  // text.
  struct Comment {
    std::string name;
    Net::Side before, after;
    double gbps = 0;
  };
  Comment read_comment() {
    Comment comment;
    bool named = false;
    while (!scan_.at_end()) {
      if (!named && scan_.rest().front() == '"') {
        comment.name = scan_.quoted("a name");
        named = true;
        continue;
      }
      const std::string_view word = scan_.word("a word");
      const bool number = !scan_.at_end() && is_digit(scan_.rest().front());
      Net::Side& side = named ? comment.after : comment.before;
      if (word == "lid" && number) {
        side.lid = static_cast<std::int32_t>(scan_.decimal("a LID", 0, most_lid));
      } else if (word == "lmc" && number) {
        side.lmc = static_cast<std::int32_t>(scan_.decimal("an LMC", 0, most_lmc));
      } else if (comment.gbps == 0) {
        comment.gbps = rate_of(word);
      }
    }
    return comment;
  }

  ToolOutput scan_;
  Net net_;
  std::uint64_t guid_ = 0, system_guid_ = 0;  // for the next record
  std::size_t node_ = 0;                      // of the current record
  bool in_record_ = false, any_record_ = false;
};

}  // namespace

Topology read_ibnetdiscover(std::string_view text, const std::string& file) {
  return Reader(text, file).read();
}

}  // namespace sortlast::fabric
