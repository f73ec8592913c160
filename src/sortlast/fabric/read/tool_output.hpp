// Saved output of a tool, including the messages of the tool and its libraries, and the prompt at which it
// was typed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sortlast/scan.hpp"

namespace sortlast::fabric {

// A Scanner that skips messages, also in the middle of a line: standard output is written in blocks, standard
// error immediately. It also skips shell prompts above the output, "[root@head ~]# ibnetdiscover", and a
// prompt without a command below it.
class ToolOutput : public Scanner {
 public:
  using Scanner::Scanner;

  bool next_line() override;
  void rewind() override;
  // The file's name; if messages report failed queries, with their number and what may be `missing`.
  std::string name(std::string_view missing) const;

 private:
  bool next_without_messages();
  bool skips_line();

  std::int64_t failures_ = 0;
  std::string joined_;  // a line split by messages
  bool begun_ = false;  // the output has begun, after prompts and comments
};

}  // namespace sortlast::fabric
