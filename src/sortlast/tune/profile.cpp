// Figures: the machine that "auto" of a compositor predicts for.
#include "sortlast/tune/profile.hpp"

#include <array>
#include <cstdlib>
#include <cstring>

#include "sortlast/execute/mpi/collectives.hpp"
#include "sortlast/tune/probe.hpp"

namespace sortlast {
namespace {

constexpr double probe_seconds = 0.03;

}  // namespace

std::optional<Figures> load_profile(const std::string& path) {
  const char* const variable = std::getenv("SORTLAST_PROFILE");
  const std::string file = path.empty() && variable != nullptr ? variable : path;
  if (file.empty()) return std::nullopt;
  return Figures{load_machine(file), file};
}

Figures agree_on_figures(const Communicator& comm, const Alarm& alarm, const Node& node,
                         const std::optional<Figures>& loaded) {
  struct Shared {
    Machine machine;
    std::array<char, 256> source{};  // empty: there is no profile
  };
  Shared shared;
  if (loaded) {
    shared.machine = loaded->machine;
    std::strncpy(shared.source.data(), loaded->source.c_str(), shared.source.size() - 1);
  }
  shared = broadcast(comm, alarm, all_ranks_to_call("Compositor"), shared);
  if (shared.source[0] != '\0') return {shared.machine, shared.source.data()};
  if (node.everybody()) return {{}, "its defaults, as all ranks share a machine"};
  return {probe(comm, alarm, node, probe_seconds), "a short measurement"};
}

}  // namespace sortlast
