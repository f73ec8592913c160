// Machine profiles: whatever is automatic is chosen by them, alike on every run and on every rank.
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast/tune.hpp"

namespace sortlast {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::Scene;

// Machines on which different algorithms are the fastest: messages cost nothing but their latency, and
// nothing but their bytes.
Machine machine_of_latency() {
  return {.alpha = 1e-2, .beta = 1e-14, .node_alpha = 1e-2, .node_beta = 1e-14};
}
Machine machine_of_bytes() { return {.alpha = 1e-9, .beta = 1e-7, .node_alpha = 1e-9, .node_beta = 1e-7}; }

// Every rank has a folder for kept profiles of its own, which is empty at first.
class MachineProfiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("sortlast-profiles-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    for (const char* name : {"XDG_CACHE_HOME", "SORTLAST_PROFILE"}) {
      const char* const value = std::getenv(name);
      before_[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
      unsetenv(name);
    }
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }

  void TearDown() override {
    for (const auto& [name, value] : before_) {
      if (value) setenv(name.c_str(), value->c_str(), 1);
      if (!value) unsetenv(name.c_str());
    }
    std::filesystem::remove_all(folder_);
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
  }

  // The algorithm that a compositor with these options takes for a dense image, and how it explains that.
  std::pair<std::string, std::string> choice(const Options& options) const {
    std::mt19937 random(5);
    const Scene scene(p_, {}, {64, 64}, random, false);
    Compositor compositor(MPI_COMM_WORLD, options);
    compositor.composite(testing::image_of(scene, rank_));
    return {compositor.algorithm(), compositor.explain()};
  }

  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  std::filesystem::path folder_;
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(MachineProfiles, EveryCompositorChoosesAlikeAndGivesTheSameBits) {
  std::mt19937 random(3);
  const Scene scene(p_, {}, {192, 128}, random, false);
  for (const std::optional<Machine>& machine :
       {std::optional<Machine>(), std::optional(Machine{.cores = 2})}) {
    std::set<std::string> algorithms;
    std::optional<Frame> first;
    for (int made = 0; made < 50; ++made) {
      Options options{.node_ranks = 2};
      if (machine) options.profile = *machine;
      Compositor compositor(MPI_COMM_WORLD, options);
      const auto whole = compositor.gather(compositor.composite(testing::image_of(scene, rank_)));
      algorithms.insert(compositor.algorithm());
      if (whole && first) scene.expect_same_bits(*whole, *first);
      if (whole && !first) first = whole;
      if (p_ > 2 && !machine)
        expect_contains(compositor.explain(), "on figures from the defaults, as no profile");
    }
    EXPECT_EQ(algorithms.size(), 1);
  }
}

TEST_F(MachineProfiles, ComeFromTheFirstPlaceThatHasOne) {
  if (p_ < 4) GTEST_SKIP() << "fewer ranks have no choice";
  const auto by = [this](const Machine& machine) {
    return choice({.node_ranks = 1, .profile = machine}).first;
  };
  const std::string latency = by(machine_of_latency());
  const std::string bytes = by(machine_of_bytes());
  if (p_ > 4 && latency == bytes) GTEST_SKIP() << "both machines choose alike for so many ranks";
  ASSERT_NE(latency, bytes);

  // What is kept, if nothing else is told. Of rank 0: the others have none.
  if (rank_ == 0) {
    EXPECT_EQ(keep_profile(machine_of_latency()), kept_profile_path());
  }
  auto [algorithm, explained] = choice({.node_ranks = 1});
  EXPECT_EQ(algorithm, latency);
  expect_contains(explained, "on figures from ");
  expect_contains(explained, ".json (sortlast tune --keep)");
  if (rank_ == 0) expect_contains(explained, kept_profile_path());

  // Then that of the environment, of an option, and the one that is passed.
  save_machine(machine_of_bytes(), file("bytes.json"));
  save_machine(machine_of_latency(), file("latency.json"));
  setenv("SORTLAST_PROFILE", file("bytes.json").c_str(), 1);
  std::tie(algorithm, explained) = choice({.node_ranks = 1});
  EXPECT_EQ(algorithm, bytes);
  expect_contains(explained, "bytes.json (SORTLAST_PROFILE)");
  std::tie(algorithm, explained) = choice({.node_ranks = 1, .profile = file("latency.json")});
  EXPECT_EQ(algorithm, latency);
  expect_contains(explained, "latency.json, taking");
  std::tie(algorithm, explained) = choice({.node_ranks = 1, .profile = machine_of_bytes()});
  EXPECT_EQ(algorithm, bytes);
  expect_contains(explained, "the machine that was passed");

  // A file may tell where it was measured. That it was elsewhere is told.
  const std::string numbers = to_json(machine_of_latency()).substr(1);
  write(file("here.json"), "{\"measured_on\": \"" + machine_name() + "\"," + numbers);
  write(file("there.json"), "{\"measured_on\": \"there\"," + numbers);
  std::tie(algorithm, explained) = choice({.node_ranks = 1, .profile = file("here.json")});
  EXPECT_EQ(algorithm, latency);
  expect_contains(explained, "here.json, taking");
  std::tie(algorithm, explained) = choice({.node_ranks = 1, .profile = file("there.json")});
  EXPECT_EQ(algorithm, latency);
  expect_contains(explained, "there.json (measured on another machine, there; this is ");

  // Rank 0's file counts, and the others need none.
  std::tie(algorithm, explained) =
      choice({.node_ranks = 1, .profile = rank_ == 0 ? file("latency.json") : "/nowhere/profile.json"});
  EXPECT_EQ(algorithm, latency);
  testing::expect_same_on_all_ranks(explained.substr(0, explained.find("It sent")));
}

TEST_F(MachineProfiles, ThatAreWrongAreTheSameErrorOnEveryRank) {
  const auto error = [](const Options& options) {
    std::string text;
    try {
      const Compositor compositor(MPI_COMM_WORLD, options);
      ADD_FAILURE() << "no exception";
    } catch (const Error& wrong) {
      text = wrong.what();
    }
    testing::expect_same_on_all_ranks(text);
    return text;
  };
  expect_contains(error({.profile = "/nowhere/profile.json"}), "/nowhere/profile.json: cannot be read");
  setenv("SORTLAST_PROFILE", "/nowhere/else.json", 1);
  const std::string named = error({});
  expect_contains(named, "/nowhere/else.json: cannot be read");
  expect_contains(named, "SORTLAST_PROFILE");
  unsetenv("SORTLAST_PROFILE");
  expect_contains(error({.profile = Machine{.beta = -1}}), "'beta' is -1");
  if (p_ > 1) {
    const Machine other{.beta = rank_ == 0 ? 1e-9 : 1e-10};
    expect_contains(error({.profile = other}), "profile: ");
  }

  // A kept file names itself, and how to renew it. It is read where something is chosen by it.
  write(kept_profile_path(), "{\"alpha\": 1}");
  const std::string kept = error({});
  expect_contains(kept, ".json:1: 'beta' is missing");
  expect_contains(kept, "renew it with sortlast tune --keep, or remove it");
  EXPECT_NO_THROW(Compositor(MPI_COMM_WORLD, {.algorithm = "shift"}));
}

TEST_F(MachineProfiles, AreKeptUnderANameThatOneCanRead) {
  const std::string path = kept_profile_path();
  EXPECT_EQ(path.rfind(folder_.string() + "/sortlast/", 0), 0);
  expect_contains(path, "cores_");
  EXPECT_EQ(path.find_first_of(" \n\t"), std::string::npos);
  const Machine machine{.alpha = 3e-6, .cores = 7, .ranks = 5};
  EXPECT_EQ(keep_profile(machine), path);
  EXPECT_EQ(load_machine(path), machine);
  EXPECT_EQ(keep_profile(Machine{}), path);  // again, in its place
  EXPECT_EQ(load_machine(path), Machine{});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "sortlast"), {}), 1);

  // Where no folder can be made, it says so.
  write(file("in-the-way"), "");
  setenv("XDG_CACHE_HOME", file("in-the-way").c_str(), 1);
  expect_contains(error_of<ArgumentError>([&] { keep_profile({}); }), "cannot be written");
  setenv("XDG_CACHE_HOME", "relative", 1);  // which is to be ignored
  EXPECT_EQ(kept_profile_path().find("relative"), std::string::npos);
}

TEST_F(MachineProfiles, OfAMeasurementAreTheSameOnAllRanks) {
  int told = 0;
  int total = 0;
  const MachineReport report =
      measure_machine(MPI_COMM_WORLD, {.seconds = 0.3, .node_ranks = 2, .progress = [&](int done, int all) {
                                         EXPECT_EQ(done, told++);
                                         total = all;
                                       }});
  EXPECT_EQ(total, 3);
  EXPECT_EQ(told, 4);
  EXPECT_EQ(report.ranks, p_);
  EXPECT_FALSE(report.messages);
  testing::expect_same_on_all_ranks(to_json(report.machine) + to_json(report.low) + to_json(report.high));
  EXPECT_LE(report.low.copy, report.machine.copy);
  EXPECT_LE(report.machine.copy, report.high.copy);
  EXPECT_TRUE(measure_machine(MPI_COMM_WORLD, {.seconds = 0.01, .node_ranks = 1}).messages);

  const std::string text = error_of<ArgumentError>([] { measure_machine(MPI_COMM_WORLD, {.seconds = 0}); });
  EXPECT_EQ(text, "seconds is 0; expected a time, more than 0");
  error_of<ArgumentError>([] { measure_machine(MPI_COMM_WORLD, {.node_ranks = -1}); });
  error_of<ArgumentError>([] { measure_machine(MPI_COMM_WORLD, {.timeout = -1}); });
  if (p_ > 1) {
    expect_contains(error_of<MismatchError>(
                        [&] { measure_machine(MPI_COMM_WORLD, {.seconds = rank_ == 0 ? 1.0 : 2.0}); }),
                    "seconds: 1 on rank 0; 2 on rank");
  }
}

TEST_F(MachineProfiles, ARankThatDoesNotComeToMeasureIsATimeout) {
  if (p_ == 1) GTEST_SKIP() << "one rank waits for nobody";
  MPI_Comm comm = MPI_COMM_NULL;  // stays, for a call on it is under way for ever
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (rank_ > 0) error_of<TimeoutError>([&] { measure_machine(comm, {.timeout = 0.3}); });
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace sortlast
