// OpenSM's node name map (--node-name-map), which gives devices names that their firmware does not have.
//
//   # spines
//   0x2c5eab0300c26280 "spine-02"
//   0xe09d730300858d88 "a06-p1-dgx-02-c06 HCA-6"   # without quotation marks the name extends to the end or #
//
// A GUID may be decimal, as read by strtoull(). Source: rdma-core, util/node_name_map.c.
#include <charconv>
#include <string>
#include <string_view>

#include "sortlast/fabric/files.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

namespace {

std::uint64_t read_guid(Scanner& scan) {
  if (scan.rest().starts_with("0x") || scan.rest().starts_with("0X")) return scan.hex("a GUID");
  const std::string_view word = scan.rest().substr(0, scan.rest().find_first_of(" \t#"));
  std::uint64_t guid = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), guid);
  if (error != std::errc() || stop != word.data() + word.size()) {
    scan.fail_expected("a GUID in hex, such as 0x2c5eab0300c26280, and a name");
  }
  scan.accept(word);
  return guid;
}

std::string read_name(Scanner& scan) {
  if (scan.at_end()) scan.fail_expected("a name behind the GUID");
  std::string_view name;
  if (scan.rest().starts_with('"')) {
    name = scan.quoted("a name");
  } else {
    name = scan.rest().substr(0, scan.rest().find_first_of("\"#"));
    name = name.substr(0, name.find_last_not_of(" \t") + 1);
  }
  if (name.empty()) scan.fail_expected("a name behind the GUID");
  return std::string(name);
}

}  // namespace

NodeNames read_node_name_map(std::string_view text, const std::string& file) {
  Scanner scan(text, file);
  NodeNames names;
  while (scan.next_line()) {
    if (scan.at_end() || scan.accept("#")) continue;
    const std::uint64_t guid = read_guid(scan);
    if (guid == 0) scan.fail("expected a GUID that is not 0");
    names.emplace(guid, read_name(scan));
  }
  return names;
}

}  // namespace sortlast::fabric
