// Lines and words of the text files that traffic comes in.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/error.hpp"

namespace sortlast::simulate {

// Goes through a text line by line, and knows where it is.
class Lines {
 public:
  Lines(std::string_view text, std::string name) : rest_(text), name_(std::move(name)) {}

  // The words of the next line that has any, up to a comment; false: there is none.
  bool next(std::vector<std::string_view>& words, std::string_view comment) {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++number_;
      split(line.substr(0, line.find(comment)), words);
      if (!words.empty()) return true;
    }
    return false;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(name_ + ", line " + std::to_string(number_) + ": " + what);
  }

  // A whole number of 0 or more, after which `unit` may or must stand.
  std::int64_t number(std::string_view word, std::string_view unit = "") const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || value < 0 ||
        std::string_view(end, static_cast<std::size_t>(word.data() + word.size() - end)) != unit) {
      fail("'" + std::string(word) + "' is no whole number" +
           (unit.empty() ? std::string() : " followed by '" + std::string(unit) + "'"));
    }
    return value;
  }
  std::int32_t small_number(std::string_view word) const {
    const std::int64_t value = number(word);
    if (value > 1 << 24) fail("'" + std::string(word) + "' is too large for a rank");
    return static_cast<std::int32_t>(value);
  }

 private:
  static void split(std::string_view line, std::vector<std::string_view>& words) {
    words.clear();
    constexpr std::string_view blank = " \t\r";
    for (std::size_t at = line.find_first_not_of(blank); at != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(blank, at), line.size());
      words.push_back(line.substr(at, end - at));
      at = line.find_first_not_of(blank, end);
    }
  }

  std::string_view rest_;
  std::string name_;
  std::int64_t number_ = 0;
};

}  // namespace sortlast::simulate
