// Lists of names in brackets, as in Slurm and in the tools that adopted its notation.
//
// "node[001-004,7]b[1-2],login": numbers keep the leading zeros of the first number of their range; if there
// are several brackets, the last one varies fastest. Source: Slurm, src/common/hostlist.c.
#include "sortlast/fabric/read/name_lists.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "sortlast/scan.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::size_t most_names = std::size_t{1} << 20;
constexpr std::size_t most_bytes = std::size_t{1} << 25;
constexpr std::size_t most_digits = 18;

// A part of a name: one text, or the numbers of a bracket.
using Part = std::vector<std::string>;

// Reads a list item by item. The names of an item are counted before they are expanded.
class Expander {
 public:
  Expander(std::string_view list, const NameLists::Fail& fail, std::size_t& names, std::size_t& bytes)
      : list_(list), fail_(fail), names_(names), bytes_(bytes) {}

  void expand(std::vector<std::string>& result) {
    do {
      if (at_ == list_.size() || list_[at_] == ',') continue;
      const std::vector<Part> parts = read_item();
      std::string name;
      write_out(parts, 0, name, result);
    } while (accept(','));
    if (at_ != list_.size()) fail("',' or the end of the list");
  }

 private:
  // One item: pieces of text and brackets in turn.
  std::vector<Part> read_item() {
    std::vector<Part> parts;
    std::size_t count = 1, bytes = 0;  // of all names of the item
    while (at_ < list_.size() && list_[at_] != ',' && list_[at_] != ']') {
      parts.push_back(accept('[') ? read_bracket() : Part{read_text()});
      const Part& part = parts.back();
      std::size_t added = 0;
      for (const std::string& text : part) added += text.size();
      check_limits(names_ + count * part.size(), bytes_ + bytes * part.size() + added * count);
      bytes = bytes * part.size() + added * count;
      count *= part.size();
    }
    if (parts.empty()) fail("a name");
    names_ += count;
    bytes_ += bytes;
    return parts;
  }

  // All names that begin with `name` and continue with one element of each part from number `first`; the last
  // part varies fastest.
  static void write_out(const std::vector<Part>& parts, std::size_t first, std::string& name,
                        std::vector<std::string>& result) {
    while (first < parts.size() && parts[first].size() == 1) name += parts[first++].front();
    if (first == parts.size()) {
      result.push_back(name);
      return;
    }
    const std::size_t head = name.size();
    for (const std::string& text : parts[first]) {
      name.resize(head);
      write_out(parts, first + 1, name += text, result);
    }
  }

  std::string read_text() {
    const std::size_t begin = at_;
    at_ = std::min(list_.find_first_of("[],", at_), list_.size());
    return std::string(list_.substr(begin, at_ - begin));
  }

  // 001-004,7] : the numbers as text.
  Part read_bracket() {
    Part numbers;
    do {
      const std::string_view first = read_digits();
      const std::string_view last = accept('-') ? read_digits() : first;
      const std::int64_t from = value(first), to = value(last);
      if (to < from) fail_range(first, last);
      if (static_cast<std::uint64_t>(to - from) >= most_names - numbers.size())
        check_limits(most_names + 1, 0);
      for (std::int64_t number = from; number <= to; ++number) {
        const std::string digits = std::to_string(number);
        numbers.push_back(std::string(first.size() - std::min(first.size(), digits.size()), '0') + digits);
      }
    } while (accept(','));
    if (!accept(']')) fail("',', '-' or ']' in a bracket");
    return numbers;
  }

  std::string_view read_digits() {
    const std::size_t end = std::min(list_.find_first_not_of("0123456789", at_), list_.size());
    const std::string_view digits = list_.substr(at_, end - at_);
    if (digits.empty() || digits.size() > most_digits) fail("a number of up to 18 digits");
    at_ = end;
    return digits;
  }

  static std::int64_t value(std::string_view digits) {
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }

  bool accept(char c) {
    if (at_ == list_.size() || list_[at_] != c) return false;
    ++at_;
    return true;
  }

  void check_limits(std::size_t names, std::size_t bytes) const {
    if (names <= most_names && bytes <= most_bytes) return;
    fail_("expected at most " + std::to_string(most_names) + " names of " + std::to_string(most_bytes >> 20) +
          " MiB together, found more in '" + excerpt(list_) + "'");
  }
  void fail(const std::string& expected) const {
    const std::string_view left = list_.substr(at_);
    fail_("expected " + expected + " in '" + excerpt(list_) + "', found " +
          (left.empty() ? "its end" : "'" + excerpt(left) + "'"));
  }
  void fail_range(std::string_view first, std::string_view last) const {
    fail_("expected a range that counts up, found '" + excerpt(first) + "-" + excerpt(last) + "'");
  }

  std::string_view list_;
  const NameLists::Fail& fail_;
  std::size_t &names_, &bytes_;
  std::size_t at_ = 0;
};

}  // namespace

void NameLists::expand(std::string_view list, std::vector<std::string>& names, const Fail& fail) {
  Expander(list, fail, names_, bytes_).expand(names);
}

}  // namespace sortlast::fabric
