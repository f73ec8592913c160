// Messages as written by the libraries of rdma-core and by ibsim:
//
//   src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status 110; Connection timed out
//   ibwarn: [4711] _do_madrpc: recv failed: Connection timed out
//   DR path slid 0; dlid 0; 0,1 -> new remote switch {2c5eab0300a00000} portnum 0 lid 3-3"leaf-1"
//
// The first begins with the name of the source file as given to the compiler: "src/...",
// "../libibnetdisc/...", or a whole path. The last is the progress shown by ibnetdiscover -s. Sources:
// rdma-core, libibnetdisc/internal.h, libibmad/mad_internal.h, libibnetdisc/ibnetdisc.c.
#include "sortlast/fabric/read/tool_output.hpp"

#include <algorithm>
#include <array>

namespace sortlast::fabric {

namespace {

constexpr std::size_t none = std::string_view::npos;

struct Message {
  std::size_t begin = none;  // in its line; none: the line holds no message
  bool failure = false;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_path(char c) { return is_digit(c) || is_letter(c) || std::string_view("_./+-").find(c) != none; }

// Beginning of the C source file's path that ends with ".c:123;" at `dot`; none: it is not a path.
std::size_t source_file(std::string_view line, std::size_t dot) {
  const std::size_t digits = dot + 3;
  const std::size_t end = line.find_first_not_of("0123456789", digits);
  if (end == none || end == digits || line[end] != ';') return none;
  std::size_t begin = dot;
  while (begin > 0 && is_path(line[begin - 1])) --begin;
  if (begin == 0) return 0;
  // If a message splits a line, the text before it may look like a part of the path.
  const std::string_view run = line.substr(begin, dot - begin);
  std::size_t first = run.size();
  for (const char* root : {"../", "./", "src/", "/"}) first = std::min(first, run.find(root));
  return begin + (first == run.size() ? 0 : first);
}

Message find_message(std::string_view line) {
  for (const char* tool : {"ibwarn: [", "ibpanic: ["}) {
    const std::size_t begin = line.find(tool);
    if (begin != none) return {begin, line.find("] sim_connect: ", begin) == none};
  }
  if (line.starts_with("DR path ") && line.find(" -> ") != none && line.find(" portnum ") != none) {
    return {0, false};
  }
  for (std::size_t dot = line.find(".c:"); dot != none; dot = line.find(".c:", dot + 1)) {
    const std::size_t begin = source_file(line, dot);
    if (begin != none) return {begin, true};
  }
  return {};
}

// "[root@head ~]# ibnetdiscover", "head:/root# ", "$ cat topology.conf", without leading blanks. A line that
// begins with '#' is a comment to the readers.
struct Prompt {
  bool found = false, has_command = false;
};
Prompt find_prompt(std::string_view line) {
  constexpr std::size_t longest = 200;
  const std::size_t sign = line.substr(0, longest).find_first_of("$#%>");
  if (sign == none || line.front() == '#') return {};
  const std::string_view before = line.substr(0, sign);
  if (before.find_first_of("=\"'{}") != none) return {};  // of a record: [1] "S-2c5e"[4] # "leaf" lid 3
  const bool place =
      before.starts_with('[') || before.find_first_of("@~") != none || before.find_first_of(" \t") == none;
  if (!place) return {};
  const std::string_view command = line.substr(sign + 1);
  const std::size_t begin = command.find_first_not_of(" \t");
  if (begin == none) return {true, false};
  return {begin > 0 && (is_letter(command[begin]) || command[begin] == '.' || command[begin] == '/'), true};
}

}  // namespace

bool ToolOutput::next_line() {
  while (next_without_messages()) {
    if (!skips_line()) return true;
  }
  return false;
}

bool ToolOutput::skips_line() {
  const std::size_t begin = line().find_first_not_of(" \t");
  if (begin == none) return false;
  const std::string_view line = this->line().substr(begin);
  const Prompt prompt = find_prompt(line);
  if (!begun_) {
    begun_ = !prompt.found && line.front() != '#';
    return prompt.found;
  }
  if (!prompt.found || prompt.has_command || !joined_.empty()) return false;
  const auto end = static_cast<std::size_t>(line.data() + line.size() - text().data());
  return text().find_first_not_of(" \t\r\n", end) == none;
}

bool ToolOutput::next_without_messages() {
  joined_.clear();
  bool split = false;
  while (Scanner::next_line()) {
    const Message message = find_message(line());
    if (message.begin == none) {
      if (!split) return true;
      joined_ += line();
      set_line(joined_);
      return true;
    }
    failures_ += message.failure ? 1 : 0;
    if (message.begin > 0) {
      joined_ += line().substr(0, message.begin);
      split = true;
    }
  }
  if (split) set_line(joined_);
  return split;
}

void ToolOutput::rewind() {
  Scanner::rewind();
  failures_ = 0;
  begun_ = false;
}

std::string ToolOutput::name(std::string_view missing) const {
  if (failures_ == 0) return file();
  return file() + " (may lack " + std::string(missing) + ": " + std::to_string(failures_) +
         (failures_ == 1 ? " message" : " messages") + " of failed queries)";
}

}  // namespace sortlast::fabric
