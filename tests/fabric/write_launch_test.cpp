// Hostfiles and rankfiles of three launchers, and mpiGraph's table.
#include <gtest/gtest.h>

#include <limits>

#include "canonical.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"

namespace sortlast::fabric {
namespace {

using testing::refusal;

const Topology& four() {
  static const Topology topology = make_topology("crossbar:4");
  return topology;
}

TEST(WriteHostfile, KeepsTheOrderOfParticipants) {
  const Placement order{2, -1, 0, 3};
  EXPECT_EQ(write_hostfile(four(), order, "mpich"), "host00002:1\nhost00000:1\nhost00003:1\n");
  EXPECT_EQ(write_hostfile(four(), order, "openmpi"),
            "host00002 slots=1\nhost00000 slots=1\nhost00003 slots=1\n");
  EXPECT_EQ(write_hostfile(four(), order, "slurm"), "host00002\nhost00000\nhost00003\n");
  EXPECT_EQ(write_rankfile(four(), order, "openmpi"),
            "rank 0=host00002 slot=0\nrank 1=host00000 slot=0\nrank 2=host00003 slot=0\n");
}

TEST(WriteHostfile, PutsSeveralParticipantsOnAHost) {
  const Placement blocks{1, 1, 0, 0, 0};
  EXPECT_EQ(write_hostfile(four(), blocks, "mpich"), "host00001:2\nhost00000:3\n");
  EXPECT_EQ(write_hostfile(four(), blocks, "openmpi"), "host00001 slots=2\nhost00000 slots=3\n");
  EXPECT_EQ(write_hostfile(four(), blocks, "slurm"),
            "host00001\nhost00001\nhost00000\nhost00000\nhost00000\n");
  const Placement cyclic{0, 1, 0, 1};
  EXPECT_EQ(write_hostfile(four(), cyclic, "mpich"), "host00000:1\nhost00001:1\nhost00000:1\nhost00001:1\n");
  EXPECT_EQ(write_rankfile(four(), cyclic, "mpich"), write_hostfile(four(), cyclic, "mpich"));
  EXPECT_EQ(
      write_rankfile(four(), cyclic, "openmpi"),
      "rank 0=host00000 slot=0\nrank 1=host00001 slot=0\nrank 2=host00000 slot=1\nrank 3=host00001 slot=1\n");
  EXPECT_EQ(write_rankfile(four(), cyclic, "slurm"), "host00000\nhost00001\nhost00000\nhost00001\n");
  EXPECT_EQ(
      refusal([&] { (void)write_hostfile(four(), cyclic, "openmpi"); }),
      "ranks 0 and 2 are on 'host00000' with others between them, which a hostfile of Open MPI cannot say; "
      "write a rankfile, and a hostfile of the sorted hosts");
}

TEST(WriteHostfile, RefusesWhatNoLauncherCanStart) {
  EXPECT_EQ(refusal([] { (void)write_hostfile(four(), {0}, "lam"); }),
            "unknown launcher 'lam'; expected mpich, openmpi, openmpi-rankfile, slurm or torchrun");
  EXPECT_EQ(refusal([] { (void)write_rankfile(four(), {4}, "slurm"); }),
            "host 4 does not exist: there are 4");
  EXPECT_EQ(refusal([] { (void)write_rankfile(four(), {-2}, "slurm"); }),
            "host -2 does not exist: there are 4");
  TopologyBuilder builder("odd");
  builder.connect_host(builder.add_host({.name = "a:b HCA-1"}), builder.add_switch({.name = "s", .ports = 1}),
                       1);
  const Topology odd = std::move(builder).finish();
  EXPECT_NE(refusal([&] { (void)write_hostfile(odd, {0}, "mpich"); }).find("'a:b HCA-1' does not begin with"),
            std::string::npos);
}

TEST(WriteHostfile, OfTorchrunHasALineOfOptionsANode) {
  EXPECT_EQ(write_hostfile(four(), {2, -1, 0}, "torchrun"),
            "host00002 --nnodes=2 --node-rank=0 --master-addr=host00002\n"
            "host00000 --nnodes=2 --node-rank=1 --master-addr=host00002\n");
  EXPECT_EQ(write_rankfile(four(), {3, 3, 1, 1}, "torchrun"),
            "host00003 --nnodes=2 --node-rank=0 --master-addr=host00003 --nproc-per-node=2\n"
            "host00001 --nnodes=2 --node-rank=1 --master-addr=host00003 --nproc-per-node=2\n");
  EXPECT_EQ(write_hostfile(four(), {}, "torchrun"), "");
  EXPECT_EQ(refusal([] { (void)write_hostfile(four(), {0, 0, 1}, "torchrun"); }),
            "ranks in a row on 'host00000': 2, on 'host00001': 1; torchrun starts as many on each node");
  EXPECT_NE(
      refusal([] { (void)write_hostfile(four(), {0, 1, 0}, "torchrun"); }).find("do not follow each other"),
      std::string::npos);
}

TEST(WriteHostfile, OfOpenMpiMayBeItsRankfile) {
  EXPECT_EQ(write_hostfile(four(), {0, 1, 0}, "openmpi-rankfile"),
            write_rankfile(four(), {0, 1, 0}, "openmpi"));
  EXPECT_EQ(write_rankfile(four(), {0, 1, 0}, "openmpi-rankfile"),
            "rank 0=host00000 slot=0\nrank 1=host00001 slot=0\nrank 2=host00000 slot=1\n");
}

TEST(WriteMpigraph, LooksLikeMpigraph) {
  EXPECT_EQ(write_mpigraph({"a", "b"}, {7, 100, 50.5, 7}),
            "Send max\t100.000000\nSend avg\t67.109635\n\nSend\ta:0\tb:1\t\na:0 to\t0.000\t100.000\t\n"
            "b:1 to\t50.500\t0.000\t\n\n"
            "Recv max\t100.000000\nRecv avg\t67.109635\n\nRecv\ta:0\tb:1\t\na:0 from\t0.000\t50.500\t\n"
            "b:1 from\t100.000\t0.000\t\n");
  EXPECT_TRUE(
      write_mpigraph({"a"}, {0})
          .starts_with("Send max\t0.000000\nSend avg\t0.000000\n\nSend\ta:0\t\na:0 to\t0.000\t\n\nRecv"));
  EXPECT_EQ(refusal([] { (void)write_mpigraph({"a", "b"}, {0}); }),
            "a matrix of 1 bandwidths for 2 names; expected 4");
  EXPECT_NE(refusal([] { (void)write_mpigraph({"a"}, {-1}); }).find("expected 0 or more"), std::string::npos);
  EXPECT_NE(refusal([] {
              (void)write_mpigraph({"a"}, {std::numeric_limits<double>::infinity()});
            }).find("expected 0 or more"),
            std::string::npos);
  EXPECT_NE(refusal([] { (void)write_mpigraph({"a\tb"}, {0}); }).find("holds a tab"), std::string::npos);
}

}  // namespace
}  // namespace sortlast::fabric
