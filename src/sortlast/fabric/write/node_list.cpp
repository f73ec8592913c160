// Bracket lists: names that follow each other and count up become a range, "node[001-004,007],login". The
// order of the list stays as it is, so reading it back gives the same names.
#include <charconv>
#include <cstdint>

#include "sortlast/error.hpp"
#include "sortlast/fabric/write/names.hpp"
#include "sortlast/fabric/write.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::size_t most_digits = 18;

struct Split {
  std::string_view head;    // "node"
  std::string_view digits;  // "001"; empty: the name ends otherwise
};

Split split(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
  if (name.size() - begin > most_digits) begin = name.size() - most_digits;
  return {name.substr(0, begin), name.substr(begin)};
}

// The number after `digits`, with as many leading zeros as it needs to be as long.
std::string next_number(std::string_view digits) {
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const std::string next = std::to_string(number + 1);
  return std::string(digits.size() > next.size() ? digits.size() - next.size() : 0, '0') + next;
}

// Names that share a head and stand next to each other.
class Group {
 public:
  explicit Group(const Split& first) : head_(first.head) { begin_range(first.digits); }

  bool add(const Split& name) {
    if (name.digits.empty() || name.head != head_ || first_.empty()) return false;
    if (next_ == name.digits) {
      last_ = name.digits;
      next_ = next_number(last_);
      ++count_;
    } else {
      end_range();
      begin_range(name.digits);
    }
    return true;
  }

  std::string text() {
    if (first_.empty()) return std::string(head_);
    end_range();
    return std::string(head_) + (many_ ? "[" + ranges_ + "]" : ranges_);
  }

 private:
  void begin_range(std::string_view digits) {
    first_ = last_ = digits;
    next_ = digits.empty() ? "" : next_number(digits);
    count_ = 1;
  }

  void end_range() {
    many_ = many_ || !ranges_.empty() || count_ > 1;
    if (!ranges_.empty()) ranges_ += ',';
    ranges_ += first_;
    if (count_ > 1) ranges_.append("-").append(last_);
  }

  std::string_view head_, first_, last_;  // of the range that is open
  std::string next_;                      // number that would extend it
  std::string ranges_;                    // that are closed
  std::int64_t count_ = 0;
  bool many_ = false;
};

}  // namespace

std::string fold_node_list(const std::vector<std::string>& names) {
  std::string list;
  const auto append = [&list](const std::string& text) { list += (list.empty() ? "" : ",") + text; };
  std::vector<Group> open;  // none or one
  for (const std::string& name : names) {
    if (!is_plain_name(name)) {
      throw ArgumentError("'" + name +
                          "' cannot stand in a list of names: expected letters, digits, '.', '_' "
                          "and '-'");
    }
    const Split parts = split(name);
    if (!open.empty() && open.back().add(parts)) continue;
    if (!open.empty()) append(open.back().text());
    open.assign(1, Group(parts));
  }
  if (!open.empty()) append(open.back().text());
  return list;
}

}  // namespace sortlast::fabric
