// Collectives by name, and those in which every rank exchanges: ring, recursive doubling and halving, chain.
//
// ring                 all-reduce: p - 1 stages in which every rank sends a block on and adds its own
//                      (reduce-scatter), and p - 1 in which the sums circulate. All stages have the same p
//                      transfers i -> i + 1, so one is stored, with 2 (p - 1) repetitions. Any p.
// recursive-doubling   all-reduce: at stage j every rank exchanges its whole vector with rank i xor 2^j.
// recursive-halving    all-reduce (Rabenseifner): at stage j every rank exchanges with i xor 2^j one half of
//                      the data that it still has to reduce, and then, in reverse order, the reduced data.
//                      Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
//                      MPICH" (2005), describes both. The nearest partners exchange the largest parts. If p
//                      is not a power of two, let 2^k < p < 2^(k+1): among the first 2 (p - 2^k) ranks, each
//                      even rank first gives its vector to the next rank, which returns the result at the
//                      end.
// chain                every rank sends to the next one, and then every rank to the previous one: activations
//                      and gradients of a pipeline.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/pattern/collective.hpp"

namespace sortlast::fabric {

namespace {

Stages ring(std::int32_t p, std::int64_t bytes) {
  if (p == 1) return {};
  const std::int64_t block = part_of(bytes, p);
  return {.count = 1,
          .flows =
              [=](std::int64_t) {
                std::vector<Flow> flows;
                flows.reserve(static_cast<std::size_t>(p));
                for (std::int32_t i = 0; i < p; ++i) flows.push_back({i, i + 1 < p ? i + 1 : 0, block});
                return flows;
              },
          .repeats = [=](std::int64_t) { return 2 * (std::int64_t{p} - 1); }};
}

// The ranks of recursive algorithms: a power of two of members, some of which stand in for the other ranks.
class Recursion {
 public:
  explicit Recursion(std::int32_t p)
      : members_(static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(p)))),
        others_(p - members_) {}

  std::int32_t doublings() const { return std::bit_width(static_cast<std::uint32_t>(members_)) - 1; }
  std::int64_t members() const { return members_; }
  bool has_others() const { return others_ > 0; }

  // Flows between all members that differ in bit j of their numbers.
  std::vector<Flow> exchange(std::int32_t j, std::int64_t bytes) const {
    std::vector<Flow> flows;
    for (std::int32_t member = 0; member < members_; ++member) {
      flows.push_back({rank(member), rank(member ^ (1 << j)), bytes});
    }
    return flows;
  }

  // Flows from the other ranks to the members that stand in for them, or back.
  std::vector<Flow> substitution(bool back, std::int64_t bytes) const {
    std::vector<Flow> flows;
    for (std::int32_t i = 0; i < others_; ++i) {
      flows.push_back(back ? Flow{2 * i + 1, 2 * i, bytes} : Flow{2 * i, 2 * i + 1, bytes});
    }
    return flows;
  }

 private:
  std::int32_t rank(std::int32_t member) const {
    return member < others_ ? 2 * member + 1 : member + others_;
  }

  std::int32_t members_, others_;
};

// The stages of the members, numbered from 0; substitution comes before and after them if there are other
// ranks.
Stages with_others(const Recursion& ranks, std::int64_t bytes, std::int64_t count,
                   std::function<std::vector<Flow>(std::int64_t)> flows) {
  if (!ranks.has_others()) return {.count = count, .flows = std::move(flows)};
  return {.count = count + 2, .flows = [=, flows = std::move(flows)](std::int64_t stage) {
            if (stage == 0 || stage == count + 1) return ranks.substitution(stage > 0, bytes);
            return flows(stage - 1);
          }};
}

Stages recursive_doubling(std::int32_t p, std::int64_t bytes) {
  const Recursion ranks(p);
  return with_others(ranks, bytes, ranks.doublings(), [=](std::int64_t stage) {
    return ranks.exchange(static_cast<std::int32_t>(stage), bytes);
  });
}

Stages recursive_halving(std::int32_t p, std::int64_t bytes) {
  const Recursion ranks(p);
  const std::int64_t k = ranks.doublings(), block = part_of(bytes, ranks.members());
  return with_others(ranks, bytes, 2 * k, [=](std::int64_t stage) {
    const auto j = static_cast<std::int32_t>(stage < k ? stage : 2 * k - 1 - stage);
    return ranks.exchange(j, (ranks.members() >> (j + 1)) * block);
  });
}

Stages chain(std::int32_t p, std::int64_t bytes) {
  if (p == 1) return {};
  return {.count = 2, .flows = [=](std::int64_t stage) {
            std::vector<Flow> flows;
            for (std::int32_t i = 0; i + 1 < p; ++i) {
              flows.push_back(stage == 0 ? Flow{i, i + 1, bytes} : Flow{i + 1, i, bytes});
            }
            return flows;
          }};
}

struct Entry {
  Collective collective;
  Stages (*make)(std::int32_t p, std::int64_t bytes) = nullptr;
  Stages (*make_with)(std::int32_t p, std::int64_t bytes, std::int32_t number) = nullptr;
  std::int32_t number = 0;  // default of the number after the colon; 0: it is required
};

const std::array<Entry, 12>& entries() {
  static const std::array<Entry, 12> all = {{
      {{"ring", "All-reduce round a ring: 2 (p - 1) stages with the same transfers."}, ring},
      {{"recursive-halving", "All-reduce: halves are exchanged and added up, and gathered backwards."},
       recursive_halving},
      {{"rail-ring:K", "All-reduce on nodes of K ranks: on the node, and a ring on each rail, as NCCL does."},
       nullptr,
       rail_ring},
      {{"recursive-doubling", "All-reduce: whole vectors are exchanged at distance 1, 2, 4, ..."},
       recursive_doubling},
      {{"double-tree:C", "All-reduce along NCCL's two binary trees, in C pieces one behind the other (1)."},
       nullptr,
       double_tree,
       1},
      {{"binomial-broadcast", "From rank 0 to all along a binomial tree."}, binomial_broadcast},
      {{"binomial-reduce", "From all to rank 0 along a binomial tree."}, binomial_reduce},
      {{"pairwise", "All-to-all in p - 1 stages: to the next rank, to the next but one, ..."}, pairwise},
      {{"bruck", "All-to-all in log2 p stages, in which blocks are passed on."}, bruck},
      {{"rail:K", "All-to-all on nodes of K ranks: on the node first, then to the same rail of others."},
       nullptr,
       rail},
      {{"all-to-all", "All-to-all in one stage."}, at_once},
      {{"chain", "To the next rank, and then to the one before: the stages of a pipeline."}, chain},
  }};
  return all;
}

// "rail" of "rail:8".
std::string_view plain(std::string_view name) { return name.substr(0, name.find(':')); }

const Entry& entry_of(std::string_view name) {
  std::string names;
  for (const Entry& entry : entries()) {
    if (plain(entry.collective.name) == plain(name)) return entry;
    names += (names.empty() ? "" : ", ") + entry.collective.name;
  }
  throw ArgumentError("no collective '" + std::string(name) + "'; expected one of " + names);
}

std::int32_t number_of(std::string_view name, const Entry& entry) {
  constexpr std::int32_t most = 1 << 20;
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos && entry.number > 0) return entry.number;
  std::int32_t number = 0;
  const char* const end = name.data() + name.size();
  if (colon != std::string_view::npos) {
    const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, number);
    if (error != std::errc() || stop != end) number = 0;
  }
  if (number >= 1 && number <= most) return number;
  throw ArgumentError("'" + std::string(name) + "'; expected " + entry.collective.name +
                      " with a number from 1 to " + std::to_string(most));
}

Stages make(std::string_view name, std::int32_t p, std::int64_t bytes) {
  const Entry& entry = entry_of(name);
  constexpr std::int64_t most_bytes = std::int64_t{1} << 62;
  if (p < 1) {
    throw ArgumentError(std::string(name) + " of " + std::to_string(p) + " ranks; expected at least 1");
  }
  if (bytes < 0 || bytes > most_bytes) {
    throw ArgumentError(std::string(name) + " of " + std::to_string(bytes) + " bytes; expected 0 to 2^62");
  }
  if (entry.make_with != nullptr) return entry.make_with(p, bytes, number_of(name, entry));
  if (name != entry.collective.name) {
    throw ArgumentError("'" + std::string(name) + "'; " + entry.collective.name + " takes no number");
  }
  return entry.make(p, bytes);
}

class Made final : public Pattern {
 public:
  Made(std::string_view name, std::int32_t p, std::int64_t bytes)
      : name_(name), p_(p), made_(make(name, p, bytes)) {}

  std::string name() const override { return name_; }
  std::int32_t participants() const override { return p_; }
  std::int64_t stages() const override { return made_.count; }
  std::vector<Flow> flows(std::int64_t stage) const override { return made_.flows(stage); }
  std::int64_t repeats(std::int64_t stage) const override { return made_.repeats(stage); }
  bool is_shift() const override { return made_.is_shift; }

 private:
  std::string name_;
  std::int32_t p_;
  Stages made_;
};

}  // namespace

const std::vector<Collective>& collectives() {
  static const std::vector<Collective> all = [] {
    std::vector<Collective> list;
    for (const Entry& entry : entries()) list.push_back(entry.collective);
    return list;
  }();
  return all;
}

std::shared_ptr<const Pattern> collective_pattern(std::string_view name, std::int32_t p, std::int64_t bytes) {
  return std::make_shared<Made>(name, p, bytes);
}

}  // namespace sortlast::fabric
