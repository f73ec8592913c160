// What tests on several ranks share: who we are, whether all ranks saw the same, and slow ranks.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <thread>

#include "scene.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"

namespace sortlast::testing {

int world_rank();
int world_size();

// This rank's part of a scene.
inline ImageView image_of(const Scene& scene, int rank) {
  return {scene.views()[static_cast<std::size_t>(rank)], scene.size(), scene.format()};
}

// A compositor of all ranks, with what only tests set.
inline Compositor compositor_with(const Internals& internals, const Options& options = {}) {
  return detail::CompositorAccess::make(MPI_COMM_WORLD, options, "", internals);
}

// Collective over MPI_COMM_WORLD: fails on every rank whose text is not that of rank 0.
void expect_same_on_all_ranks(const std::string& text);

inline void sleep(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// Called before every message that this rank sends, until the object is gone. At most one exists.
class BeforeSends {
 public:
  explicit BeforeSends(std::function<void()> action);
  BeforeSends(const BeforeSends&) = delete;
  BeforeSends& operator=(const BeforeSends&) = delete;
  ~BeforeSends();
};

// What an action throws; fails if it is not an E.
template <typename E, typename Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception than expected: " << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no exception";
  return "";
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "expected \"" << part << "\" in: " << text;
}

}  // namespace sortlast::testing
