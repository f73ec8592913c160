// Arguments: the named arguments of a call with a hash, and the differences between those passed by several
// ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sortlast {

// The arguments of a call by name. Orders of many ranks are converted to text only if ranks disagree, because
// that takes longer than a whole frame should.
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
  // Hash of all names and values.
  std::uint64_t hash() const { return hash_; }
  // Lines of the form "name=value".
  std::string text() const;

 private:
  struct Argument {
    std::string name;
    std::string value;
    std::vector<std::int32_t> ranks;  // used instead of the value unless empty
  };

  std::string call_;
  std::vector<Argument> all_;
  std::uint64_t hash_ = 14695981039346656037ULL;
};

// Text of an order of ranks: "[0,2,1]"; "rank order" if empty.
std::string text_of_ranks(const std::vector<std::int32_t>& ranks);

// Ranks that passed the same arguments.
struct Group {
  std::string text;        // of the Arguments
  std::vector<int> ranks;  // ascending
};

// The text of a MismatchError: ranks made different calls, or passed wrong arguments, or passed arguments
// that differ (long ones are shown from the first difference on). `others`: ranks of further groups.
std::string describe_difference(const std::vector<Group>& groups, const std::vector<int>& others);

}  // namespace sortlast
