// Arguments: those of a call by name, with a hash, and what differs between those of several ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sortlast {

// The arguments of a call by name. Orders of many ranks become text only where ranks disagree, as that takes
// longer than a frame may.
class Arguments {
 public:
  explicit Arguments(std::string_view call) : call_(call) {
    constexpr std::size_t usual = 10;
    all_.reserve(usual);
    add("call", call_);
  }

  void add(std::string_view name, std::string value);
  void add(std::string_view name, std::vector<std::int32_t> ranks);

  const std::string& call() const { return call_; }
  // Of all names and values.
  std::uint64_t hash() const { return hash_; }
  // "name=value" lines.
  std::string text() const;

 private:
  struct Argument {
    std::string name;
    std::string value;
    std::vector<std::int32_t> ranks;  // in place of the value, if there are any
  };

  std::string call_;
  std::vector<Argument> all_;
  std::uint64_t hash_ = 14695981039346656037ULL;
};

// Ranks as their order is shown: "[0,2,1]"; "rank order" for none.
std::string text_of_ranks(const std::vector<std::int32_t>& ranks);

// Ranks that passed the same arguments.
struct Group {
  std::string text;        // of the Arguments
  std::vector<int> ranks;  // ascending
};

// What a MismatchError says of ranks that did not all pass the same: another call, or else wrong arguments,
// or else the arguments that differ, long ones from where they do. `others`: ranks of further groups.
std::string describe_difference(const std::vector<Group>& groups, const std::vector<int>& others);

}  // namespace sortlast
