// Probes: figures that a machine can have, the same on all ranks, in the time that was given.
#include "sortlast/tune/probe.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mpi/node_ranks.hpp"
#include "sortlast/error.hpp"

namespace sortlast {
namespace {

using testing::error_of;
using testing::expect_contains;

// What a probe works with, as a compositor has it: alarms on a communicator of their own.
class Probing {
 public:
  explicit Probing(int node_ranks = 0, std::function<void()> interrupt = {})
      : data_(testing::duplicate_world()),
        control_(testing::duplicate_world()),
        alarm_(control_, 60, std::move(interrupt)),
        node_(make_node(data_, alarm_, node_ranks)) {}

  void set_limit(double seconds) { alarm_.set_limit(seconds); }
  Machine measure(double seconds) { return probe(data_, alarm_, node_, seconds); }
  // After an exception.
  void abandon() {
    data_.abandon();
    control_.abandon();
  }

 private:
  Communicator data_;
  Communicator control_;
  Alarm alarm_;
  Node node_;
};

class Probe : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
};

void expect_possible(const Machine& machine) {
  check_machine(machine);
  for (const double byte :
       {machine.beta, machine.node_beta, machine.gamma_read, machine.gamma_write, machine.copy}) {
    EXPECT_GT(byte, 1e-13);
    EXPECT_LT(byte, 1e-6);
  }
  for (const double latency : {machine.alpha, machine.node_alpha}) {
    EXPECT_GT(latency, 1e-8);
    EXPECT_LT(latency, 1e-1);
  }
}

TEST_F(Probe, GivesPossibleFiguresThatAreTheSameOnAllRanks) {
  for (const int node_ranks : {0, 1, 2, 3}) {
    SCOPED_TRACE(node_ranks);
    const Machine machine = Probing(node_ranks).measure(0.1);
    expect_possible(machine);
    testing::expect_same_on_all_ranks(to_json(machine));
  }
}

TEST_F(Probe, KnowsTheNodes) {
  // Where every rank is a node of its own, those of this machine, for they share its cores.
  EXPECT_EQ(Probing(0).measure(0.01).ranks, p_);
  EXPECT_EQ(Probing(1).measure(0.01).ranks, p_);
  const Machine whole = Probing(0).measure(0.01);
  const Machine halves = Probing(std::max(p_ / 2, 2)).measure(0.01);
  EXPECT_EQ(halves.ranks, std::min(std::max(p_ / 2, 2), p_));
  EXPECT_LE(halves.cores, whole.cores);
  EXPECT_GE(halves.cores, 1);
}

TEST_F(Probe, MeasuresOnlyMessagesThatThereAre) {
  const Machine standard;
  const Machine one_node = Probing(0).measure(0.1);
  EXPECT_EQ(one_node.alpha, standard.alpha);
  EXPECT_EQ(one_node.beta, standard.beta);
  EXPECT_NE(one_node.gamma_read, standard.gamma_read);
  EXPECT_NE(one_node.gamma_write, standard.gamma_write);
  EXPECT_NE(one_node.copy, standard.copy);

  // Every figure that there are messages for, given time: the more, the busier the machine is. A node's
  // latency stays unknown where the moment of the small messages was busier than that of the large ones.
  Probing probing(2);
  const auto whole = [&](const Machine& machine) {
    const bool within = machine.node_alpha != standard.node_alpha && machine.node_beta != standard.node_beta;
    const bool between = machine.alpha != standard.alpha && machine.beta != standard.beta;
    return (p_ < 2 || within) && (p_ < 3 || between);
  };
  Machine several = probing.measure(p_ == 1 ? 0.1 : 2);
  for (const int seconds : {4, 8, 16, 32})
    if (!whole(several)) several = probing.measure(seconds);
  EXPECT_EQ(several.node_alpha != standard.node_alpha, p_ > 1);
  EXPECT_EQ(several.node_beta != standard.node_beta, p_ > 1);
  EXPECT_EQ(several.alpha != standard.alpha, p_ > 2);
  EXPECT_EQ(several.beta != standard.beta, p_ > 2);
}

TEST_F(Probe, TakesTheTimeThatItHas) {
  Probing probing;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  probing.measure(0.3);
  EXPECT_GE(MPI_Wtime() - begin, 0.3);
}

TEST_F(Probe, LeavesNothingBehind) {
  // Probes follow one another, and with no time at all each still ends.
  Probing probing(2);
  for (int i = 0; i < 20; ++i) expect_possible(probing.measure(0));
}

TEST_F(Probe, ARankThatDoesNotComeIsATimeout) {
  if (p_ == 1) GTEST_SKIP() << "one rank waits for nobody";
  Probing probing;
  probing.set_limit(1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ != p_ - 1) {
    const std::string text = error_of<TimeoutError>([&] { probing.measure(0.1); });
    expect_contains(text, "waits for all ranks to measure the machine");
    expect_contains(text, "rank " + std::to_string(p_ - 1) + " has not arrived");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  probing.abandon();
}

TEST_F(Probe, AnInterruptEndsIt) {
  class Interrupted : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };
  bool now = false;
  Probing probing(0, [&now] {
    if (now) throw Interrupted("interrupted");
  });
  now = true;
  EXPECT_THROW(probing.measure(1), Interrupted);
  MPI_Barrier(MPI_COMM_WORLD);
  probing.abandon();
}

}  // namespace
}  // namespace sortlast
