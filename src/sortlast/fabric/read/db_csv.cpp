// ibdiagnet2.db_csv: the nodes, ports and links that ibdiagnet found, and the ports' counters.
//
//   START_NODES
//   NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID,DeviceID,...
//   "leaf-1",65,2,1,1,0x00000000a0000000,0x00000000a0000000,0x00000000a0000000,54002,...
//   END_NODES
//   START_PORTS
//   NodeGuid,PortGuid,PortNum,MKey,GIDPrfx,MSMLID,LID,...,LinkWidthActv,...,LinkSpeedActv,LMC,...
//   START_LINKS
//   NodeGuid1,PortNum1,NodeGuid2,PortNum2
//   START_PM_INFO
//   NodeGUID,PortGUID,PortNumber,...,PortXmitData,...,PortXmitDataExtended,...
//
// Versions of ibdiagnet differ in their columns, and in the case of their letters; columns are found by name.
// NodeType is 1 for adapters, 2 for switches, 3 for routers. The active width has one bit of 1x, 4x, 8x, 12x
// and 2x, and the active speed one bit of SDR, DDR, QDR, (from bit 8) FDR, EDR, HDR, NDR, XDR, (bit 16)
// FDR10. Port 0 of a switch has its LID. Source: ibdiagnet(1), and the files of public tools that read it.
#include "sortlast/fabric/read/db_csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/read/formats.hpp"
#include "sortlast/fabric/read/net.hpp"

namespace sortlast::fabric {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool is_db_csv(std::string_view text) {
  ToolOutput scan(text, "");
  while (scan.next_line()) {
    if (scan.at_end() || scan.accept("#")) continue;
    return scan.accept("START_") || scan.accept("INDEX_TABLE");
  }
  return false;
}

bool DbCsv::find(std::string_view section) {
  const std::string begin = "START_" + std::string(section);
  while (scan_.next_line()) {
    if (trimmed(scan_.line()) != begin) continue;
    section_ = section;
    if (!scan_.next_line()) scan_.fail("expected the columns of " + begin + ", found the end of the file");
    split();
    columns_.clear();
    for (const std::string& column : row_) columns_.push_back(lower(column));
    return true;
  }
  return false;
}

bool DbCsv::next_row() {
  while (scan_.next_line()) {
    if (scan_.at_end()) continue;
    const std::string_view line = trimmed(scan_.line());
    if (line == "END_" + section_) return false;
    if (line.starts_with("START_")) break;
    split();
    if (row_.size() != columns_.size()) {
      scan_.fail("expected " + std::to_string(columns_.size()) + " columns of " + section_ + ", found " +
                 std::to_string(row_.size()));
    }
    return true;
  }
  scan_.fail("expected END_" + section_ + " after its rows; the file may be truncated");
}

// Fields are separated by commas. A field in quotation marks may contain commas, and its own quotation marks
// end it only before a comma.
void DbCsv::split() {
  row_.clear();
  const std::string_view line = scan_.line();
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t", at), line.size());
    std::size_t end = std::min(line.find(',', begin), line.size());
    if (begin < line.size() && line[begin] == '"') {
      const std::size_t quote = std::min(line.find("\",", begin + 1), line.size());
      end = quote == line.size() ? line.size() : quote + 1;
    }
    std::string_view field = trimmed(line.substr(begin, end - begin));
    if (field.size() > 1 && field.front() == '"' && field.back() == '"')
      field = field.substr(1, field.size() - 2);
    row_.emplace_back(field);
    at = end + 1;
  }
}

std::ptrdiff_t DbCsv::index(std::string_view column) const {
  for (std::size_t begin = 0; begin <= column.size();) {
    const std::size_t end = std::min(column.find('|', begin), column.size());
    const auto found = std::ranges::find(columns_, column.substr(begin, end - begin));
    if (found != columns_.end()) return found - columns_.begin();
    begin = end + 1;
  }
  return -1;
}

std::string_view DbCsv::text(std::string_view column) const {
  const std::ptrdiff_t at = index(column);
  if (at < 0) {
    scan_.fail("the section " + section_ + " has no column " +
               std::string(column.substr(0, column.find('|'))));
  }
  return row_[static_cast<std::size_t>(at)];
}

std::uint64_t DbCsv::hex(std::string_view column) const {
  const std::string_view found = text(column);
  Scanner number(found, scan_.file());
  number.next_line();
  try {
    const std::uint64_t value = number.hex("a number");
    if (number.at_end()) return value;
  } catch (const ArgumentError&) {  // NOLINT(bugprone-empty-catch): the error below names the column
  }
  scan_.fail("expected a number in hex for " + std::string(column.substr(0, column.find('|'))) + ", found '" +
             excerpt(found) + "'");
}

std::int64_t DbCsv::decimal(std::string_view column, std::int64_t least, std::int64_t most) const {
  const std::int64_t value = optional(column);
  if (index(column) >= 0 && value >= least && value <= most) return value;
  scan_.fail("expected " + std::string(column.substr(0, column.find('|'))) + " (" + std::to_string(least) +
             " to " + std::to_string(most) + "), found '" + excerpt(text(column)) + "'");
}

std::int64_t DbCsv::optional(std::string_view column) const {
  const std::ptrdiff_t at = index(column);
  if (at < 0) return -1;
  std::string_view found = row_[static_cast<std::size_t>(at)];
  if (found.empty() || found == "N/A" || found == "NA") return -1;
  const bool in_hex = found.starts_with("0x") || found.starts_with("0X");
  if (in_hex) found.remove_prefix(2);
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(found.data(), found.data() + found.size(), value, in_hex ? 16 : 10);
  if (error == std::errc::result_out_of_range) return std::numeric_limits<std::int64_t>::max();
  if (error != std::errc() || end != found.data() + found.size() || value < 0) {
    scan_.fail("expected a number for " + columns_[static_cast<std::size_t>(at)] + ", found '" +
               excerpt(found) + "'");
  }
  return value;
}

void DbCsv::fail_missing(std::string_view section) const {
  scan_.fail("the file has no section START_" + std::string(section) +
             "; run ibdiagnet without --skip and with --enable_output db_csv");
}

namespace {

double active_rate(std::int64_t width, std::int64_t speed) {
  static constexpr std::array widths{std::pair(1, "1x"), std::pair(2, "4x"), std::pair(4, "8x"),
                                     std::pair(8, "12x"), std::pair(16, "2x")};
  static constexpr std::array lanes{
      std::pair(1, 2.5),         std::pair(2, 5.0),         std::pair(4, 10.0),
      std::pair(1 << 8, 14.0),   std::pair(1 << 9, 25.0),   std::pair(1 << 10, 50.0),
      std::pair(1 << 11, 100.0), std::pair(1 << 12, 200.0), std::pair(1 << 16, 10.0)};
  for (const auto& [bit, name] : widths) {
    if (bit != width) continue;
    for (const auto& [flag, gbps] : lanes) {
      if (flag == speed) return rate_of(name, gbps);
    }
  }
  return 0;
}

struct PortRow {
  Net::Side side;
  double gbps = 0;
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : rows_(text, file), net_(rows_.scanner()) {}

  Topology read() {
    rows_.require("NODES", [this] { read_node(); });
    rows_.visit("PORTS", [this] { read_port(); });
    for (Net::Node& node : nodes_) {
      const auto port = ports_.find({node.guid, 0});
      if (node.is_switch && port != ports_.end()) node.lid = port->second.side.lid;
      net_.add(node);
    }
    rows_.require("LINKS", [this] { read_link(); });
    return net_.topology(rows_.name());
  }

 private:
  void read_node() {
    const std::int64_t kind = rows_.decimal("nodetype", 1, 3);
    const std::uint64_t guid = guid_of("nodeguid");
    nodes_.push_back({.id = std::to_string(guid),
                      .name = std::string(rows_.text("nodedesc")),
                      .guid = guid,
                      .is_switch = kind == 2,
                      .is_router = kind == 3,
                      .ports = static_cast<std::int32_t>(rows_.decimal("numports", 1, most_ports)),
                      .system_guid = rows_.hex("systemimageguid|nodeguid"),
                      .line = rows_.scanner().line_number()});
  }

  void read_port() {
    const std::uint64_t guid = guid_of("nodeguid");
    const auto number = static_cast<std::int32_t>(rows_.decimal("portnum|portnumber", 0, most_ports));
    PortRow& port = ports_[{guid, number}];
    port.side.guid = rows_.hex("portguid|nodeguid");
    port.side.lid = small("lid", most_lid);
    port.side.lmc = small("lmc", most_lmc);
    port.gbps = active_rate(rows_.optional("linkwidthactv"), rows_.optional("linkspeedactv"));
  }

  std::uint64_t guid_of(std::string_view column) const {
    const std::uint64_t guid = rows_.hex(column);
    if (guid == 0) rows_.scanner().fail("expected the GUID of a node, found 0");
    return guid;
  }

  // 0 for a column that is missing or holds N/A.
  std::int32_t small(std::string_view column, std::int64_t most) const {
    const std::int64_t value = rows_.optional(column);
    return value < 0 ? 0 : static_cast<std::int32_t>(rows_.decimal(column, 0, most));
  }

  void read_link() {
    const std::uint64_t near = guid_of("nodeguid1"), far = guid_of("nodeguid2");
    const std::string id = std::to_string(near);
    if (!net_.knows(id)) rows_.scanner().fail("NodeGuid1 is the GUID of no node in the section NODES");
    const std::size_t node = net_.number(id);
    const auto near_port = static_cast<std::int32_t>(rows_.decimal("portnum1", 1, net_.node(node).ports));
    const auto far_port = static_cast<std::int32_t>(rows_.decimal("portnum2", 1, most_ports));
    const PortRow* a = row(near, near_port);
    const PortRow* b = row(far, far_port);
    const auto side = [this](const PortRow* port, std::uint64_t guid) {
      const bool host = port != nullptr && net_.knows(std::to_string(guid)) &&
                        !net_.node(net_.number(std::to_string(guid))).is_switch;
      return host ? port->side : Net::Side{};
    };
    net_.add_port(node, near_port,
                  {.far_id = std::to_string(far),
                   .far_port = far_port,
                   .near = side(a, near),
                   .far = side(b, far),
                   .gbps = a != nullptr && a->gbps > 0 ? a->gbps
                           : b != nullptr              ? b->gbps
                                                       : 0,
                   .line = rows_.scanner().line_number()});
  }

  const PortRow* row(std::uint64_t guid, std::int32_t port) const {
    const auto found = ports_.find({guid, port});
    return found == ports_.end() ? nullptr : &found->second;
  }

  DbCsv rows_;
  Net net_;
  std::vector<Net::Node> nodes_;
  std::map<std::pair<std::uint64_t, std::int32_t>, PortRow> ports_;
};

}  // namespace

Topology read_db_csv(std::string_view text, const std::string& file) { return Reader(text, file).read(); }

}  // namespace sortlast::fabric
