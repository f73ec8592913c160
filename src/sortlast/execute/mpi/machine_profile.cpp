// MachineProfile.
//
// An automatic choice must be the same in every run, so that the result has the same bits. A compositor that
// measured for 0.03 s when it was made chose at random between two algorithms with similar predicted times:
// 12 compositors of 6 ranks made 3 different pictures. It therefore measures nothing. The cores and ranks of
// a node, which the defaults do not know, are counted: they are the same as long as the job has the same
// placement.
#include "sortlast/execute/mpi/machine_profile.hpp"

#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/neighbours.hpp"
#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/schedule/cost/profile.hpp"
#include "sortlast/tune.hpp"

namespace sortlast {
namespace {

// Message from rank 0 to the others.
struct Shared {
  Machine machine;
  std::array<char, 1024> source{};  // empty: no profile was found
};

std::string the_others() { return "all ranks to agree on a machine profile"; }

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// ---- The name of this machine --------------------------------------------------------------------

constexpr std::size_t most_in_name = 60;

// Converts text to a part of a file name: lower-case letters and digits, anything else as one hyphen.
std::string part_of_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || (c == '.' && !name.empty())) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name = name.substr(0, most_in_name);
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  return name;
}

// The host name without digits, in which the nodes of a cluster differ.
std::string host() {
  std::array<char, 256> text{};
  if (gethostname(text.data(), text.size() - 1) != 0) return "";
  std::string name = text.data();
  std::erase_if(name, [](unsigned char c) { return std::isdigit(c) != 0; });
  return name;
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 1);
  }
  return "";
}

// The first words of the library's version text: "MPICH Version: 4.2.3", "Open MPI v4.1.4".
std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
  int length = 0;
  check_mpi(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string_view all(text.data());
  return std::string(all.substr(0, all.find_first_of(",\n")));
}

std::string cache_folder() {
  std::string folder = variable("XDG_CACHE_HOME");
  if (folder.starts_with('/')) return folder;
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache";
}

// The profile in a file. `source` names it; if it was measured elsewhere, a note of that is added.
MachineProfile read_profile(const std::string& path, std::string source) {
  const Profile profile = load_profile(path);
  if (!profile.measured_on.empty() && profile.measured_on != machine_name())
    source += " (measured on another machine, " + profile.measured_on + "; this is " + machine_name() + ")";
  return {profile.machine, source};
}

}  // namespace

std::string machine_name() {
  std::string name;
  const std::string cores = std::to_string(sysconf(_SC_NPROCESSORS_CONF)) + "-cores";
  for (const std::string& part : {host(), processor(), cores, mpi_library()}) {
    const std::string text = part_of_name(part);
    if (!text.empty()) name += (name.empty() ? "" : "_") + text;
  }
  return name;
}

std::string kept_profile_path() {
  const std::string folder = cache_folder();
  return folder.empty() ? "" : folder + "/sortlast/" + machine_name() + ".json";
}

std::optional<MachineProfile> find_profile(const Options& options) {
  if (const auto* machine = std::get_if<Machine>(&options.profile))
    return MachineProfile{*machine, "the machine that was passed"};
  if (const std::string& path = std::get<std::string>(options.profile); !path.empty())
    return read_profile(path, path);

  const std::string named = variable("SORTLAST_PROFILE");
  if (!named.empty()) {
    try {
      return read_profile(named, named + " (SORTLAST_PROFILE)");
    } catch (const ArgumentError& error) {
      throw ArgumentError(std::string(error.what()) + " (named by SORTLAST_PROFILE)");
    }
  }

  const std::string kept = kept_profile_path();
  std::error_code failure;
  if (kept.empty() || !std::filesystem::exists(kept, failure)) return std::nullopt;
  try {
    return read_profile(kept, kept + " (sortlast tune --keep)");
  } catch (const ArgumentError& error) {
    throw ArgumentError(
        std::string(error.what()) +
        " (the profile kept for this machine; renew it with sortlast tune --keep, or remove it)");
  }
}

MachineProfile agree_on_profile(const Communicator& comm, const Alarm& alarm, const Node& node,
                                const std::optional<MachineProfile>& found) {
  Shared shared;
  if (found) {
    shared.machine = found->machine;
    std::strncpy(shared.source.data(), found->source.c_str(), shared.source.size() - 1);
  }
  shared = broadcast(comm, alarm, the_others, shared);
  if (shared.source[0] != '\0') return {shared.machine, shared.source.data()};

  if (node.everybody()) return {{}, "the defaults, as all ranks share a machine"};
  const CoreShares shares = share_cores(comm, alarm, node, the_others);
  Machine machine;
  machine.cores = shares.least_cores();
  machine.ranks = shares.most_ranks();
  return {machine, "the defaults, as no profile is kept (sortlast tune --keep)"};
}

}  // namespace sortlast
