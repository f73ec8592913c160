// Machine: the measured figures of a communicator's machine, and their profile in JSON.
#include "sortlast/machine.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <variant>

#include "sortlast/error.hpp"
#include "sortlast/schedule/cost/profile.hpp"

namespace sortlast {
namespace {

struct Member {
  std::string_view name;
  std::variant<double Machine::*, std::int32_t Machine::*> value;
  double least = 0;
};

constexpr std::array members{
    Member{"alpha", &Machine::alpha},
    Member{"beta", &Machine::beta},
    Member{"node_alpha", &Machine::node_alpha},
    Member{"node_beta", &Machine::node_beta},
    Member{"gamma_read", &Machine::gamma_read},
    Member{"gamma_write", &Machine::gamma_write},
    Member{"copy", &Machine::copy},
    Member{"cores", &Machine::cores},
    Member{"ranks", &Machine::ranks, 1},
};

std::string names() {
  std::string list;
  for (const Member& member : members) list += (list.empty() ? "" : ", ") + std::string(member.name);
  return list;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string too_small(const Member& member, const std::string& number) {
  return quoted(member.name) + " is " + number + ", less than " +
         std::to_string(static_cast<int>(member.least));
}

double value(const Machine& machine, const Member& member) {
  return std::visit([&machine](auto value) -> double { return machine.*value; }, member.value);
}

// Parser for the JSON objects that profiles consist of.
class Reader {
 public:
  Reader(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  Profile read() {
    Profile profile;
    expect('{');
    do {
      read_member(profile);
    } while (take(','));
    expect('}');
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!seen_[i]) fail(quoted(members[i].name) + " is missing");
    }
    skip_space();
    if (at_ != text_.size()) fail("expected nothing after the closing brace");
    return profile;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const auto read = text_.substr(0, at_);
    const auto line = 1 + std::count(read.begin(), read.end(), '\n');
    throw ArgumentError(std::string(source_) + ":" + std::to_string(line) + ": " + what +
                        "; a profile is a JSON object with the numbers " + names());
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  bool take(char wanted) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) fail("expected '" + std::string(1, wanted) + "'");
  }

  std::string_view read_name() {
    expect('"');
    const std::size_t end = text_.find_first_of("\"\n", at_);
    if (end == std::string_view::npos || text_[end] == '\n') fail("expected the name of a member, in quotes");
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end + 1;
    return name;
  }

  void read_member(Profile& profile) {
    const std::string_view name = read_name();
    if (name == "measured_on") {
      expect(':');
      profile.measured_on = read_text();
      return;
    }
    if (name == "provenance" || name == "settings") {
      expect(':');
      pass_over_object();
      return;
    }
    const auto* const member = std::find_if(members.begin(), members.end(),
                                            [name](const Member& other) { return other.name == name; });
    if (member == members.end()) fail(quoted(name) + " is not known");
    bool& seen = seen_[static_cast<std::size_t>(member - members.begin())];
    if (seen) fail(quoted(name) + " is there twice");
    seen = true;
    expect(':');
    const double number = read_number(*member);
    if (const auto* const real = std::get_if<double Machine::*>(&member->value)) {
      profile.machine.*(*real) = number;
      return;
    }
    if (number != std::floor(number) || number > std::numeric_limits<std::int32_t>::max()) {
      fail(quoted(name) + " is not a whole number");
    }
    profile.machine.*std::get<std::int32_t Machine::*>(member->value) = static_cast<std::int32_t>(number);
  }

  // The text between the quotes, with escapes unchanged.
  std::string_view read_text() {
    expect('"');
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size() || text_[at_] != '"') fail("expected a text, in quotes");
    return text_.substr(begin, at_++ - begin);
  }

  // Skip an object meant only for readers: strings, numbers, true, false and null.
  void pass_over_object() {
    expect('{');
    if (take('}')) return;
    do {
      read_text();
      expect(':');
      skip_space();
      if (at_ < text_.size() && text_[at_] == '"') {
        read_text();
        continue;
      }
      const std::size_t end = std::min(text_.find_first_of(",} \t\r\n", at_), text_.size());
      if (end == at_) fail("expected a text, a number, true, false or null");
      at_ = end;
    } while (take(','));
    expect('}');
  }

  double read_number(const Member& member) {
    skip_space();
    double number = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc{} || !std::isfinite(number)) fail(quoted(member.name) + " is not a number");
    if (number < member.least) fail(too_small(member, std::string(begin, end)));
    at_ += static_cast<std::size_t>(end - begin);
    return number;
  }

  std::string_view text_;
  std::string_view source_;
  std::size_t at_ = 0;
  std::array<bool, members.size()> seen_{};
};

}  // namespace

void check_machine(const Machine& machine) {
  for (const Member& member : members) {
    const double number = value(machine, member);
    if (!std::isfinite(number)) {
      throw ArgumentError("machine: " + quoted(member.name) + " is not finite; expected seconds");
    }
    if (number < member.least) throw ArgumentError("machine: " + too_small(member, std::to_string(number)));
  }
}

std::string to_json(const Machine& machine) {
  std::string text = "{";
  for (const Member& member : members) {
    const double number = value(machine, member);
    std::array<char, 32> digits{};
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text += text.size() > 1 ? ",\n  \"" : "\n  \"";
    text += std::string(member.name) + "\": " + std::string(digits.data(), end);
  }
  return text + "\n}\n";
}

Machine machine_from_json(std::string_view text, std::string_view source) {
  return Reader(text, source).read().machine;
}

Profile load_profile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw ArgumentError(path + ": cannot be read; expected a profile of this machine");
  }
  return Reader(text.str(), path).read();
}

Machine load_machine(const std::string& path) { return load_profile(path).machine; }

void save_machine(const Machine& machine, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << to_json(machine) << std::flush))
    throw ArgumentError(path + ": the profile cannot be written");
}

}  // namespace sortlast
