// ibdiagnet2.db_csv: sections of rows with named columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/fabric/read/tool_output.hpp"

namespace sortlast::fabric {

// Whether a text is such a file: it has a line "START_..." or "INDEX_TABLE".
bool is_db_csv(std::string_view text);

class DbCsv {
 public:
  DbCsv(std::string_view text, const std::string& file) : scan_(text, file) {}

  // Calls use() for every row of a section ("LINKS"), from the first line of the file. Returns whether the
  // file has the section.
  template <typename Use>
  bool visit(std::string_view section, Use&& use) {
    scan_.rewind();
    if (!find(section)) return false;
    while (next_row()) use();
    return true;
  }
  // As visit(), but throws ArgumentError if the section is missing.
  template <typename Use>
  void require(std::string_view section, Use&& use) {
    if (!visit(section, use)) fail_missing(section);
  }

  // Of the current row. `column`: alternatives separated by '|', in lower case. The section must have it.
  std::string_view text(std::string_view column) const;
  std::uint64_t hex(std::string_view column) const;
  std::int64_t decimal(std::string_view column, std::int64_t least, std::int64_t most) const;
  // A number in decimal or, after 0x, in hex; -1 if there is no such column, or "N/A" in it.
  std::int64_t optional(std::string_view column) const;

  const Scanner& scanner() const { return scan_; }
  std::string name() const { return scan_.name("nodes"); }

 private:
  bool find(std::string_view section);
  bool next_row();
  void split();
  std::ptrdiff_t index(std::string_view column) const;
  [[noreturn]] void fail_missing(std::string_view section) const;

  ToolOutput scan_;
  std::string section_;
  std::vector<std::string> columns_;  // in lower case
  std::vector<std::string> row_;
};

}  // namespace sortlast::fabric
