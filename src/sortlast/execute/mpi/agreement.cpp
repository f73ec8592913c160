// Agreement.
//
// In the usual case everything agrees, and a reduction of a few numbers shows it: the least hash of the
// arguments and the least complement are those of one hash. Only when they are not, the texts themselves
// are gathered and compared name by name.
#include "sortlast/execute/mpi/agreement.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/backoff.hpp"

namespace sortlast {
namespace {

constexpr std::size_t listed = 8;

// FNV-1a, 64 bits.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 14695981039346656037ULL;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return value;
}

// Completes "rank r waits for ...".
std::function<std::string()> all_ranks(const std::string& call) {
  return [&call] { return "all ranks to call " + call + ", before stage 1"; };
}

std::vector<std::string> gather_texts(const Communicator& comm, const Alarm& alarm,
                                      const Arguments& arguments) {
  constexpr std::size_t room = 1024;
  const auto p = static_cast<std::size_t>(comm.size());
  const auto mine = std::make_shared<std::vector<char>>((p + 1) * room, '\0');
  char* const all = mine->data() + room;
  std::strncpy(mine->data(), arguments.text().c_str(), room - 1);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(mine->data(), room, MPI_CHAR, all, room, MPI_CHAR, comm.get(), &request),
            "MPI_Iallgather");
  wait(request, alarm, all_ranks(arguments.call()), mine);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < p; ++rank) texts.emplace_back(all + rank * room);
  return texts;
}

std::map<std::string, std::string> parse(const std::string& text) {
  std::map<std::string, std::string> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) values[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return values;
}

// "0-2, 5"
std::string list_ranks(const std::vector<int>& ranks) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (runs++ == listed) return text + ", ...";
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
    if (last > i) text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

// "size: 64x64 on ranks 0-2, 32x32 on rank 3"
std::string difference(const std::string& name, const std::vector<std::string>& values) {
  std::map<std::string, std::vector<int>> ranks_with;
  for (std::size_t rank = 0; rank < values.size(); ++rank)
    ranks_with[values[rank]].push_back(static_cast<int>(rank));
  if (ranks_with.size() < 2) return "";
  std::vector<std::pair<std::string, std::vector<int>>> groups(ranks_with.begin(), ranks_with.end());
  std::sort(groups.begin(), groups.end(),
            [](const auto& a, const auto& b) { return a.second.front() < b.second.front(); });
  std::string text = name + ": ";
  for (std::size_t i = 0; i < groups.size() && i < listed; ++i) {
    const std::string value = groups[i].first.empty() ? "(none)" : groups[i].first;
    text += (i == 0 ? "" : "; ") + value + " on " + list_ranks(groups[i].second);
  }
  return text;
}

// "wrong argument on ranks 1, 3: image is float64; expected ..." of those ranks that have a problem.
std::string problems(const std::vector<std::string>& problem_of) {
  std::map<std::string, std::vector<int>> ranks_with;
  for (std::size_t rank = 0; rank < problem_of.size(); ++rank) {
    if (!problem_of[rank].empty()) ranks_with[problem_of[rank]].push_back(static_cast<int>(rank));
  }
  std::string text;
  for (const auto& [problem, ranks] : ranks_with) {
    text += (text.empty() ? "" : " | ") + ("wrong argument on " + list_ranks(ranks)) + ": " + problem;
  }
  return text;
}

[[noreturn]] void throw_difference(const std::vector<std::string>& texts) {
  std::vector<std::map<std::string, std::string>> parsed;
  for (const std::string& text : texts) parsed.push_back(parse(text));

  std::map<std::string, std::vector<std::string>> values;  // by name, then rank
  for (const auto& one : parsed) {
    for (const auto& [name, value] : one) values.try_emplace(name, texts.size());
  }
  for (auto& [name, by_rank] : values) {
    for (std::size_t rank = 0; rank < parsed.size(); ++rank) {
      const auto found = parsed[rank].find(name);
      if (found != parsed[rank].end()) by_rank[rank] = found->second;
    }
  }

  // Another call explains the rest, and so does a wrong argument.
  const std::string call = difference("call", values.at("call"));
  if (!call.empty()) throw MismatchError("ranks disagree: " + call);
  const std::string wrong = problems(values["problem"]);
  if (!wrong.empty()) throw MismatchError(wrong);
  std::string all;
  for (const auto& [name, by_rank] : values) {
    const std::string text = difference(name, by_rank);
    if (!text.empty()) all += (all.empty() ? "" : " | ") + text;
  }
  throw MismatchError("ranks disagree: " + (all.empty() ? "arguments too long to show" : all));
}

}  // namespace

void Arguments::add(std::string_view name, std::string value) {
  std::replace(value.begin(), value.end(), '\n', ' ');
  text_ += std::string(name) + "=" + value + "\n";
}

void Arguments::add(std::string_view name, const std::vector<std::int32_t>& ranks) {
  if (ranks.empty()) {
    add(name, std::string("rank order"));
    return;
  }
  std::string all;
  for (const std::int32_t rank : ranks) all += std::to_string(rank) + ",";
  std::string shown =
      "[" + all.substr(0, std::min<std::size_t>(all.size() - 1, 48)) + (all.size() > 49 ? "..." : "") + "]";
  if (all.size() > 49)
    shown += " (" + std::to_string(ranks.size()) + " ranks, hash " + std::to_string(hash(all)) + ")";
  add(name, std::move(shown));
}

Compare compare_by_reduction(const Communicator& comm, const Alarm& alarm, std::string call,
                             std::uint64_t* least) {
  return [&comm, &alarm, call = std::move(call), least](std::uint64_t own) {
    struct Reduction {
      std::array<std::uint64_t, 3> mine;
      std::array<std::uint64_t, 3> least;
    };
    const auto reduction =
        std::make_shared<Reduction>(Reduction{{own, ~own, least == nullptr ? 0 : *least}, {}});
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallreduce(reduction->mine.data(), reduction->least.data(), 3, MPI_UINT64_T, MPI_MIN,
                             comm.get(), &request),
              "MPI_Iallreduce");
    wait(request, alarm, all_ranks(call), reduction);
    if (least != nullptr) *least = reduction->least[2];
    return reduction->least[0] == ~reduction->least[1];
  };
}

void agree(const Communicator& comm, const Alarm& alarm, Arguments arguments, const std::string& problem,
           const Compare& compare) {
  arguments.add("problem", problem);
  alarm.join_if_raised([] { return std::string("nobody, it came late"); });
  if (!compare(hash(arguments.text()))) throw_difference(gather_texts(comm, alarm, arguments));
  if (!problem.empty()) throw ArgumentError(problem);
}

}  // namespace sortlast
