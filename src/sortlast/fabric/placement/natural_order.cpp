#include "sortlast/fabric/placement/natural_order.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <tuple>

namespace sortlast::fabric {

bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  // Take the digits off the front, without leading zeros.
  const auto take_number = [&](std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && digit(text[end])) ++end;
    std::string_view number = text.substr(0, end);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    text.remove_prefix(end);
    return number;
  };
  while (!a.empty() && !b.empty()) {
    if (digit(a.front()) && digit(b.front())) {
      const std::string_view x = take_number(a), y = take_number(b);
      if (x != y) return std::tuple(x.size(), x) < std::tuple(y.size(), y);
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

}  // namespace sortlast::fabric
