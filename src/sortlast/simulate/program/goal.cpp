// GOAL text: one block per rank, with labelled sends, receives and computations, and their requirements.
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/scan.hpp"
#include "sortlast/simulate/program.hpp"

namespace sortlast::simulate {
namespace {

using Kind = Program::Kind;
using Words = std::vector<std::string_view>;

constexpr std::int64_t most_ranks = 1 << 20;
constexpr std::string_view any = "-1";  // rank or tag of a receive

// The text with comments between /* and */ replaced by blanks, so that lines keep their numbers.
std::string without_comments(std::string_view text, const std::string& name) {
  std::string plain(text);
  std::size_t at = 0;
  while ((at = plain.find('/', at)) < plain.size()) {
    if (plain.compare(at, 2, "//") == 0) {
      at = std::min(plain.find('\n', at), plain.size());
    } else if (plain.compare(at, 2, "/*") == 0) {
      const std::size_t end = plain.find("*/", at + 2);
      if (end == std::string::npos) {
        const auto line =
            1 + std::count(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        throw Error(name + ":" + std::to_string(line) + ": the comment that begins with /* does not end");
      }
      for (; at < end + 2; ++at) {
        if (plain[at] != '\n') plain[at] = ' ';
      }
    } else {
      ++at;
    }
  }
  return plain;
}

// The actions of a rank, in the order of the text; requirements are numbered within the rank.
struct Block {
  std::vector<Program::Action> actions;
  std::vector<std::vector<Program::Requirement>> required;  // by action
  bool seen = false;
};

class GoalText {
 public:
  GoalText(std::string_view text, const std::string& name) : scan_(text, name) {}

  void read() {
    Words words;
    if (!next(words) || words.size() != 2 || words[0] != "num_ranks") scan_.fail("expected 'num_ranks N'");
    const auto ranks = static_cast<std::size_t>(scan_.number(words[1], "", most_ranks));
    if (ranks < 1) scan_.fail("expected at least 1 rank, found 0");
    blocks_.resize(ranks);
    while (next(words)) read_block(words);
  }

  Program program(std::string name) && {
    Program made;
    made.name = std::move(name);
    made.ranks = static_cast<std::int32_t>(blocks_.size());
    made.first.push_back(0);
    made.first_requirement.push_back(0);
    for (Block& block : blocks_) {
      const std::int32_t begin = made.first.back();
      made.actions.insert(made.actions.end(), block.actions.begin(), block.actions.end());
      for (const std::vector<Program::Requirement>& required : block.required) {
        for (const auto& [action, start_only] : required) {
          made.requirements.push_back({begin + action, start_only});
        }
        made.first_requirement.push_back(static_cast<std::int64_t>(made.requirements.size()));
      }
      made.first.push_back(static_cast<std::int32_t>(made.actions.size()));
      block = {};
    }
    return made;
  }

 private:
  bool next(Words& words) { return scan_.next_words(words, "//"); }
  std::int32_t rank_of(std::string_view word) const {
    return static_cast<std::int32_t>(scan_.number(word, "", most_ranks));
  }

  void read_block(Words& words) {
    if (words.size() != 3 || words[0] != "rank" || words[2] != "{") scan_.fail("expected 'rank R {'");
    const std::int32_t rank = rank_of(words[1]);
    const std::string name = "rank " + std::to_string(rank);
    if (static_cast<std::size_t>(rank) >= blocks_.size()) {
      scan_.fail(name + " of " + std::to_string(blocks_.size()));
    }
    Block& block = blocks_[static_cast<std::size_t>(rank)];
    if (block.seen) scan_.fail(name + " is there twice");
    block.seen = true;
    labels_.clear();
    while (next(words)) {
      if (words[0] == "}") return;
      if (words.size() == 3 && (words[1] == "requires" || words[1] == "irequires")) {
        const Program::Requirement required{action_of(words[2]), words[1] == "irequires"};
        block.required[static_cast<std::size_t>(action_of(words[0]))].push_back(required);
      } else {
        read_action(words, rank, block);
      }
    }
    scan_.fail("the block of " + name + " does not end");
  }

  std::int32_t action_of(std::string_view label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end()) scan_.fail("no action has the label '" + excerpt(label) + "'");
    return found->second;
  }

  // [label:] send|recv|calc ...
  void read_action(Words& words, std::int32_t rank, Block& block) {
    if (words[0].back() == ':') {
      const std::string_view label = words[0].substr(0, words[0].size() - 1);
      if (!labels_.emplace(label, static_cast<std::int32_t>(block.actions.size())).second) {
        scan_.fail("the label '" + excerpt(label) + "' is there twice");
      }
      words.erase(words.begin());
    }
    if (words.empty()) scan_.fail("a label without an action");
    Program::Action action{.peer = rank};
    std::size_t options = 2;
    if (words[0] == "calc" && words.size() >= 2) {
      action.kind = Kind::compute;
      action.size = scan_.number(words[1]);
    } else {
      read_message(words, rank, action);
      options = 4;
    }
    for (; options < words.size(); options += 2) {
      if (options + 1 == words.size()) scan_.fail("'" + excerpt(words[options]) + "' has no value");
      read_option(words[options], words[options + 1], action);
    }
    block.actions.push_back(action);
    block.required.emplace_back();
  }

  void read_message(const Words& words, std::int32_t rank, Program::Action& action) const {
    const bool sends = words[0] == "send";
    if ((!sends && words[0] != "recv") || words.size() < 4 || words[2] != (sends ? "to" : "from")) {
      scan_.fail("expected 'send BYTESb to R', 'recv BYTESb from R', 'calc NS' or 'A requires B'");
    }
    action.kind = sends ? Kind::send : Kind::receive;
    action.size = scan_.number(words[1], "b");
    action.peer = !sends && words[3] == any ? Program::any : rank_of(words[3]);
    if (action.peer == Program::any) return;
    if (static_cast<std::size_t>(action.peer) >= blocks_.size()) {
      scan_.fail("there is no rank " + std::to_string(action.peer));
    }
    if (action.peer == rank) {
      scan_.fail("rank " + std::to_string(rank) + " sends to or receives from itself");
    }
  }

  void read_option(std::string_view what, std::string_view value, Program::Action& action) const {
    if (what == "tag") {
      const bool takes_any = action.kind == Kind::receive && value == any;
      action.tag = takes_any ? Program::any : scan_.number(value);
    } else if (what == "cpu") {
      action.cpu = static_cast<std::int32_t>(scan_.number(value, "", Program::most_units - 1));
    } else if (what == "nic") {
      action.nic = static_cast<std::int32_t>(scan_.number(value, "", Program::most_units - 1));
    } else {
      scan_.fail("'" + excerpt(what) + "' is none of tag, cpu, nic");
    }
  }

  Scanner scan_;
  std::vector<Block> blocks_;                                  // by rank
  std::unordered_map<std::string_view, std::int32_t> labels_;  // of the current rank
};

// "s5": action 5 of its rank, which sends; "r5" receives, "c5" computes.
std::string label(const Program& program, std::int32_t action, std::int32_t first) {
  const Kind kind = program.actions[static_cast<std::size_t>(action)].kind;
  const char letter = kind == Kind::send ? 's' : kind == Kind::receive ? 'r' : 'c';
  return letter + std::to_string(action - first);
}

void write_action(const Program::Action& action, std::ostream& out) {
  if (action.kind == Kind::compute) {
    out << "calc " << action.size;
  } else {
    const bool sends = action.kind == Kind::send;
    out << (sends ? "send " : "recv ") << action.size << (sends ? "b to " : "b from ") << action.peer
        << " tag " << action.tag;
  }
  if (action.cpu != 0) out << " cpu " << action.cpu;
  if (action.nic != 0) out << " nic " << action.nic;
  out << '\n';
}

}  // namespace

Program read_program(std::string_view text, std::string name) {
  const bool commented = text.find("/*") != std::string_view::npos;
  const std::string plain = commented ? without_comments(text, name) : std::string();
  GoalText goal(commented ? plain : text, name);
  goal.read();
  Program program = std::move(goal).program(std::move(name));
  check(program);
  return program;
}

void write_program(const Program& program, std::ostream& out) {
  check(program);
  out << "num_ranks " << program.ranks << '\n';
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(program.ranks); ++rank) {
    const std::int32_t begin = program.first[rank], end = program.first[rank + 1];
    out << "rank " << rank << " {\n";
    for (std::int32_t a = begin; a < end; ++a) {
      out << label(program, a, begin) << ": ";
      write_action(program.actions[static_cast<std::size_t>(a)], out);
    }
    for (std::int32_t a = begin; a < end; ++a) {
      const std::int64_t* const required = program.first_requirement.data() + a;
      for (std::int64_t i = required[0]; i < required[1]; ++i) {
        const auto& [other, start_only] = program.requirements[static_cast<std::size_t>(i)];
        out << label(program, a, begin) << (start_only ? " irequires " : " requires ")
            << label(program, other, begin) << '\n';
      }
    }
    out << "}\n";
  }
}

}  // namespace sortlast::simulate
