// Scanner of line-based text: lines, words and numbers, with errors that name the file and line.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace sortlast {

// Reads a text line by line, and each line word by word from a cursor. Lines end with LF or CRLF, which is
// optional after the last one. Skips blanks (space, tab) before each token. Holds views of the text.
class Scanner {
 public:
  Scanner(std::string_view text, std::string file);
  virtual ~Scanner() = default;

  // Advance to the next line. Returns false at the end of the text.
  virtual bool next_line();
  // The words of the next line that has any before a comment. Returns false at the end of the text.
  bool next_words(std::vector<std::string_view>& words, std::string_view comment);
  std::string_view line() const { return line_; }
  std::string_view rest() const { return line_.substr(at_); }  // of the line, from the cursor
  std::int64_t line_number() const { return number_; }         // from 1
  const std::string& file() const { return file_; }
  std::string_view text() const { return text_; }
  virtual void rewind();  // to before the first line

  bool at_end();                          // whether only blanks are left of the line
  bool accept(std::string_view token);    // consumes the token if it is next
  bool skip_past(std::string_view what);  // to the end of its next occurrence in this line; false: not found

  // Each throws ArgumentError "FILE:LINE: expected WHAT, found ...".
  void expect(std::string_view token);
  std::int64_t decimal(std::string_view what, std::int64_t least, std::int64_t most);
  std::uint64_t hex(std::string_view what);        // "0x10", "10"; up to 64 bits
  std::string_view quoted(std::string_view what);  // "..." without the quotes
  std::string_view word(std::string_view what);    // up to the next blank
  void expect_end();
  // Parse a word that is a whole number from 0 to `most` immediately followed by `unit`.
  std::int64_t number(std::string_view word, std::string_view unit = "",
                      std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;

  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail(const std::string& message) const;  // "FILE:LINE: message"
  [[noreturn]] void fail_at(std::int64_t line, const std::string& message) const;

 protected:
  void set_line(std::string_view line);  // replaces the current line; must outlive its use

 private:
  void skip_blanks();

  std::string_view text_;
  std::string file_;
  std::string_view line_;
  std::size_t next_ = 0;  // where the next line begins
  std::size_t at_ = 0;    // cursor in the line
  std::int64_t number_ = 0;
};

// The beginning of a text without control characters, to be quoted in a message.
std::string excerpt(std::string_view text);

}  // namespace sortlast
