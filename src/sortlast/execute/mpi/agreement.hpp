// Agreement: all ranks passed the same arguments, or all throw the same error, before any pixel moves.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/execute/plan/choice.hpp"

namespace sortlast {

// The arguments of a call by name. Orders of many ranks become text only where ranks disagree, as that takes
// longer than a frame may.
class Arguments {
 public:
  explicit Arguments(std::string_view call) : call_(call) { add("call", call_); }

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

// Collective: whether all ranks brought the same hash.
using Compare = std::function<bool(std::uint64_t hash)>;

// By one small reduction over `comm`, which also makes `least` the least of all ranks' (null: nothing).
// Throws TimeoutError if a rank does not come.
Compare compare_by_reduction(const Communicator& comm, const Alarm& alarm, std::string call,
                             std::uint64_t* least = nullptr);

// Ranks that passed the same arguments.
struct Group {
  std::string text;        // of the Arguments
  std::vector<int> ranks;  // ascending
};

// What a MismatchError says of ranks that did not all pass the same: another call, or else wrong arguments,
// or else the arguments that differ, long ones from where they do. `others`: ranks of further groups.
std::string describe_difference(const std::vector<Group>& groups, const std::vector<int>& others);

// Collective. Returns if every rank passed the same arguments and no problem; `compare` is all that it
// costs then. Otherwise throws the same on every rank: an ArgumentError with the problem if all ranks have
// the same, else a MismatchError that names the arguments that differ, with the ranks and their values.
// `problem`: what is wrong with this rank's own arguments, or empty.
void agree(const Communicator& comm, const Alarm& alarm, Arguments arguments, const std::string& problem,
           const Compare& compare);

// As compare_by_reduction(), in the same reduction as the sum of all ranks' coverage; `least` and
// `coverage` go in as this rank's and come out as those of all. All ranks have to compare in this way,
// whatever their call.
Compare compare_with_coverage(const Communicator& comm, const Alarm& alarm, std::string call,
                              std::uint64_t& least, Coverage& coverage);

}  // namespace sortlast
