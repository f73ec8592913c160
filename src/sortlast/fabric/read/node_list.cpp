// Bracket lists: "node[001-004,7]b[1-2],login". Numbers keep the zeros of the first of their range; of
// several brackets the last counts fastest. Source: Slurm, src/common/hostlist.c. A name with blanks, as
// adapters have, stands in quotation marks between blanks, commas and ends of lines, and holds no brackets.
#include "sortlast/fabric/read/node_list.hpp"

#include <algorithm>
#include <charconv>

#include "sortlast/fabric/read.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::size_t most_names = std::size_t{1} << 20;
constexpr std::size_t most_digits = 18;

// Expands one list, which may not hold blanks.
class Expander {
 public:
  Expander(std::string_view list, const Scanner& scanner, std::vector<std::string>& names)
      : list_(list), scanner_(scanner), names_(names) {}

  void expand() {
    do {
      const std::vector<std::string> added = read_item();
      if (names_.size() + added.size() > most_names) fail_many();
      names_.insert(names_.end(), added.begin(), added.end());
    } while (accept(','));
    if (at_ != list_.size()) fail("',' or the end of the list");
  }

 private:
  // One item: pieces of text and brackets in turn.
  std::vector<std::string> read_item() {
    std::vector<std::string> heads{""};
    const std::size_t begin = at_;
    while (at_ < list_.size() && list_[at_] != ',' && list_[at_] != ']') {
      heads = accept('[') ? extend(heads, read_bracket()) : extend(heads, {read_text()});
    }
    if (at_ == begin) fail("a name");
    return heads;
  }

  std::string read_text() {
    const std::size_t begin = at_;
    at_ = std::min(list_.find_first_of("[],", at_), list_.size());
    return std::string(list_.substr(begin, at_ - begin));
  }

  // 001-004,7] : the numbers as text.
  std::vector<std::string> read_bracket() {
    std::vector<std::string> numbers;
    do {
      const std::string_view first = read_digits();
      const std::string_view last = accept('-') ? read_digits() : first;
      const std::int64_t from = value(first), to = value(last);
      if (to < from) fail_range(first, last);
      if (static_cast<std::uint64_t>(to - from) >= most_names - numbers.size()) fail_many();
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

  std::vector<std::string> extend(const std::vector<std::string>& heads,
                                  const std::vector<std::string>& tails) const {
    if (heads.size() * tails.size() > most_names) fail_many();
    std::vector<std::string> result;
    result.reserve(heads.size() * tails.size());
    for (const std::string& head : heads) {
      for (const std::string& tail : tails) result.push_back(head + tail);
    }
    return result;
  }

  bool accept(char c) {
    if (at_ == list_.size() || list_[at_] != c) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string_view left = list_.substr(at_);
    scanner_.fail("expected " + expected + " in '" + excerpt(list_) + "', found " +
                  (left.empty() ? "its end" : "'" + excerpt(left) + "'"));
  }
  [[noreturn]] void fail_range(std::string_view first, std::string_view last) const {
    scanner_.fail("expected a range that counts up, found '" + std::string(first) + "-" + std::string(last) +
                  "'");
  }
  [[noreturn]] void fail_many() const {
    scanner_.fail("expected at most " + std::to_string(most_names) + " names, found more in '" +
                  excerpt(list_) + "'");
  }

  std::string_view list_;
  const Scanner& scanner_;
  std::vector<std::string>& names_;
  std::size_t at_ = 0;
};

}  // namespace

void expand_node_list(std::string_view list, const Scanner& scanner, std::vector<std::string>& names) {
  Expander(list, scanner, names).expand();
}

std::vector<std::string> read_node_list(std::string_view text, const std::string& file) {
  Scanner scan(text, file);
  std::vector<std::string> names;
  while (scan.next_line()) {
    while (!scan.at_end() && !scan.accept("#")) {
      // A list that goes on behind a blank or in the next line may say so with a comma.
      if (scan.accept(",")) continue;
      if (scan.rest().starts_with('"')) {
        names.emplace_back(scan.quoted("a name"));
        continue;
      }
      std::string_view list = scan.word("a list of names");
      if (list.find('"') != std::string_view::npos) {
        scan.fail("expected a blank before the first quotation mark of '" + excerpt(list) + "'");
      }
      if (list.ends_with(',')) list.remove_suffix(1);
      expand_node_list(list, scan, names);
    }
  }
  return names;
}

}  // namespace sortlast::fabric
