// The output of a tool as people keep it: with the messages of the tool and its libraries, and with the
// prompt at which it was typed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sortlast/scan.hpp"

namespace sortlast::fabric {

// A Scanner that skips messages, also in the middle of a line: standard output is written in blocks, and
// standard error at once. It also skips the shell's prompts above the output, "[root@head ~]# ibnetdiscover",
// and a prompt without a command below it.
class ToolOutput : public Scanner {
 public:
  using Scanner::Scanner;

  bool next_line() override;
  void rewind() override;
  // The file's name; if messages report queries that failed, with their number and what may be `missing`.
  std::string name(std::string_view missing) const;

 private:
  bool next_without_messages();
  bool skips_line();

  std::int64_t failures_ = 0;
  std::string joined_;  // a line that messages have split
  bool begun_ = false;  // the output has, below prompts and comments
};

}  // namespace sortlast::fabric
