#include "sortlast/scan.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Whether a number that ends here ends in the middle of a word.
bool goes_on(const char* end, std::string_view text) {
  if (end == text.data() + text.size()) return false;
  return (*end >= '0' && *end <= '9') || (*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z');
}

}  // namespace

std::string excerpt(std::string_view text) {
  constexpr std::size_t most = 48;
  std::string shown(text.substr(0, most));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; },
      ' ');
  return text.size() > most ? shown + "..." : shown;
}

Scanner::Scanner(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

bool Scanner::next_line() {
  at_ = 0;
  if (next_ >= text_.size()) {
    line_ = {};
    return false;
  }
  const std::size_t end = std::min(text_.find('\n', next_), text_.size());
  line_ = text_.substr(next_, end - next_);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  next_ = end + 1;
  ++number_;
  return true;
}

bool Scanner::next_words(std::vector<std::string_view>& words, std::string_view comment) {
  words.clear();
  while (words.empty() && next_line()) {
    line_ = line_.substr(0, line_.find(comment));
    while (!at_end()) words.push_back(word("a word"));
  }
  return !words.empty();
}

void Scanner::set_line(std::string_view line) {
  line_ = line;
  at_ = 0;
}

void Scanner::rewind() {
  line_ = {};
  next_ = at_ = 0;
  number_ = 0;
}

void Scanner::skip_blanks() {
  while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
}

bool Scanner::at_end() {
  skip_blanks();
  return at_ == line_.size();
}

bool Scanner::accept(std::string_view token) {
  skip_blanks();
  if (!rest().starts_with(token)) return false;
  at_ += token.size();
  return true;
}

bool Scanner::skip_past(std::string_view what) {
  const std::size_t found = line_.find(what, at_);
  if (found == std::string_view::npos) return false;
  at_ = found + what.size();
  return true;
}

void Scanner::expect(std::string_view token) {
  if (!accept(token)) fail_expected("'" + std::string(token) + "'");
}

std::int64_t Scanner::decimal(std::string_view what, std::int64_t least, std::int64_t most) {
  skip_blanks();
  const std::string_view left = rest();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), value);
  if (error != std::errc() || value < least || value > most || goes_on(end, left)) {
    fail_expected(std::string(what) + " (" + std::to_string(least) + " to " + std::to_string(most) + ")");
  }
  at_ += static_cast<std::size_t>(end - left.data());
  return value;
}

std::uint64_t Scanner::hex(std::string_view what) {
  skip_blanks();
  std::string_view left = rest();
  const std::size_t prefix = left.starts_with("0x") || left.starts_with("0X") ? 2 : 0;
  left.remove_prefix(prefix);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), value, 16);
  if (error != std::errc() || goes_on(end, left)) fail_expected(std::string(what) + " in hex");
  at_ += prefix + static_cast<std::size_t>(end - left.data());
  return value;
}

std::string_view Scanner::quoted(std::string_view what) {
  skip_blanks();
  const std::string_view left = rest();
  const std::size_t end = left.starts_with('"') ? left.find('"', 1) : std::string_view::npos;
  if (end == std::string_view::npos) fail_expected(std::string(what) + " in double quotes");
  at_ += end + 1;
  return left.substr(1, end - 1);
}

std::string_view Scanner::word(std::string_view what) {
  skip_blanks();
  const std::string_view left = rest();
  const auto end = std::find_if(left.begin(), left.end(), is_blank);
  const std::string_view found = left.substr(0, static_cast<std::size_t>(end - left.begin()));
  if (found.empty()) fail_expected(what);
  at_ += found.size();
  return found;
}

void Scanner::expect_end() {
  if (!at_end()) fail_expected("the end of the line");
}

std::int64_t Scanner::number(std::string_view word, std::string_view unit, std::int64_t most) const {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || value < 0 || word.substr(static_cast<std::size_t>(end - word.data())) != unit) {
    fail("'" + excerpt(word) + "' is no whole number" +
         (unit.empty() ? "" : " followed by '" + std::string(unit) + "'"));
  }
  if (value > most) fail("'" + excerpt(word) + "' is too large; expected at most " + std::to_string(most));
  return value;
}

void Scanner::fail_expected(std::string_view what) const {
  std::string_view left = rest();
  left.remove_prefix(std::min(left.find_first_not_of(" \t"), left.size()));
  fail("expected " + std::string(what) + ", found " +
       (left.empty() ? "the end of the line" : "'" + excerpt(left) + "'"));
}

// Errors in an empty text are reported at line 1.
void Scanner::fail(const std::string& message) const { fail_at(std::max<std::int64_t>(number_, 1), message); }

void Scanner::fail_at(std::int64_t line, const std::string& message) const {
  throw ArgumentError(file_ + ":" + std::to_string(line) + ": " + message);
}

}  // namespace sortlast
