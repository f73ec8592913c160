// Profiles of machines: what is written comes back, and what is wrong is named with its line.
#include "sortlast/machine.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>

#include "sortlast/error.hpp"
#include "sortlast/schedule/cost/profile.hpp"

namespace sortlast {
namespace {

std::string fault(const std::function<void()>& act) {
  try {
    act();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "none";
}

TEST(Machine, ProfilesComeBackExactly) {
  Machine machine;
  machine.alpha = 1.0 / 3;
  machine.gamma_write = 1e-300;
  machine.copy = 0;
  machine.cores = 2;
  machine.ranks = 1'000'000;
  EXPECT_EQ(machine_from_json(to_json(machine), "text"), machine);
  EXPECT_NE(machine, Machine{});

  const std::string path = ::testing::TempDir() + "sortlast-profile.json";
  save_machine(machine, path);
  EXPECT_EQ(load_machine(path), machine);
  std::remove(path.c_str());
}

TEST(Machine, ProfilesMayBeInAnyOrderAndOnOneLine) {
  const char* const text = R"({"ranks":4, "cores":2,"copy" : 1E-10,"gamma_write":0,"gamma_read":1,)"
                           R"("node_beta":2.5e-1,"node_alpha":3,"beta":4,"alpha":5})";
  const Machine machine = machine_from_json(text, "text");
  EXPECT_EQ(machine.ranks, 4);
  EXPECT_EQ(machine.copy, 1e-10);
  EXPECT_EQ(machine.node_beta, 0.25);
  EXPECT_EQ(machine.alpha, 5);
}

TEST(Machine, ProfilesMayTellWhereTheyWereMeasured) {
  const Machine machine{.alpha = 3e-6, .ranks = 4};
  const std::string numbers = to_json(machine).substr(1);
  const std::string path = ::testing::TempDir() + "sortlast-profile-told.json";
  const auto read = [&](const std::string& more) {
    std::ofstream(path) << "{" << more << (more.empty() ? "" : ",") << numbers;
    const Profile profile = load_profile(path);
    EXPECT_EQ(profile.machine, machine);
    return profile.measured_on;
  };
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read(R"("measured_on": "host_cpu_2-cores_mpich-4.2.3")"), "host_cpu_2-cores_mpich-4.2.3");
  EXPECT_EQ(
      read(R"("provenance": {"cpu": "of \"X\\\", \u00fc, }", "cores" : 2 },"settings":{},"measured_on":"a")"),
      "a");
  EXPECT_EQ(read(R"("settings": {"seconds": 2.5e-1, "node_ranks": null,
                                 "keep": true})"),
            "");
  std::remove(path.c_str());
}

TEST(Machine, WrongProfilesAreExplained) {
  const std::string right = to_json(Machine{});
  const auto with = [&right](const std::string& from, const std::string& to) {
    std::string text = right;
    text.replace(text.find(from), from.size(), to);
    return fault([&text] { machine_from_json(text, "tune.json"); });
  };
  EXPECT_EQ(with("{", "{"), "none");
  EXPECT_EQ(with("\"beta\": 1e-10", "\"beta\": -1").find("tune.json:3: 'beta' is -1"), 0u);
  const std::map<std::string, std::pair<std::string, std::string>> changes{
      {"tune.json:1: expected '{'", {"{", "["}},
      {"tune.json:2: 'alfa' is not known", {"alpha", "alfa"}},
      {"tune.json:5: 'alpha' is there twice", {"node_beta", "alpha"}},
      {"tune.json:10: 'beta' is missing", {"  \"beta\": 1e-10,\n", ""}},
      {"tune.json:8: 'copy' is not a number", {"\"copy\": 1e-10", "\"copy\": \"fast\""}},
      {"tune.json:9: 'cores' is not a whole number", {"\"cores\": 0", "\"cores\": 2.5"}},
      {"tune.json:10: 'ranks' is 0, less than 1", {"\"ranks\": 1", "\"ranks\": 0"}},
      {"tune.json:10: 'ranks' is not a whole number", {"\"ranks\": 1", "\"ranks\": 3e9"}},
      {"expected the name of a member", {"\"ranks\"", "\"ranks"}},
      {"expected '}'", {"}", "]"}},
      {"expected nothing after", {"}", "}}"}},
      {"expected ':'", {":", "="}},
      {"tune.json:1: expected a text, in quotes", {"{", "{\"measured_on\": \"a"}},
      {"tune.json:1: expected '\"'", {"{", "{\"measured_on\": 3,"}},
      {"tune.json:1: expected '{'", {"{", "{\"settings\": 3,"}},
      {"tune.json:1: expected '}'", {"{", "{\"settings\": {\"a\": {\"b\": 1}},"}},
      {"tune.json:1: expected a text, a number, true, false or null", {"{", "{\"provenance\": {\"a\": },"}},
  };
  for (const auto& [message, change] : changes) {
    const std::string found = with(change.first, change.second);
    EXPECT_NE(found.find(message), std::string::npos)
        << "expected '" << message << "', got '" << found << "'";
  }
  EXPECT_NE(fault([] { machine_from_json("", "text"); }).find("text:1: expected '{'"), std::string::npos);
  EXPECT_NE(
      fault([] { load_machine("/nowhere/profile.json"); }).find("/nowhere/profile.json: cannot be read"),
      std::string::npos);
  EXPECT_NE(fault([] { save_machine({}, "/nowhere/profile.json"); }).find("cannot be written"),
            std::string::npos);
}

}  // namespace
}  // namespace sortlast
