// Quotas of control groups, read from trees of files as the kernel shows them, and the cores that they leave.
#include "sortlast/cores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace sortlast {
namespace {

class Quota : public ::testing::Test {
 protected:
  std::filesystem::path root_ =
      std::filesystem::temp_directory_path() /
      ("sortlast-quota-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));

  void SetUp() override { std::filesystem::remove_all(root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  double quota() const { return core_quota(root_); }
};

TEST_F(Quota, TheLargestCacheIsThatOfTheFiles) {
  EXPECT_EQ(largest_cache(root_), std::size_t{32} << 20);
  write("sys/devices/system/cpu/cpu0/cache/index0/size", "48K");
  EXPECT_EQ(largest_cache(root_), std::size_t{48} << 10);
  write("sys/devices/system/cpu/cpu0/cache/index2/size", "2M");
  write("sys/devices/system/cpu/cpu0/cache/index3/size", "36864K");
  EXPECT_EQ(largest_cache(root_), std::size_t{36} << 20);
}

TEST_F(Quota, NoneWhereThereAreNoFiles) { EXPECT_EQ(quota(), 0); }

TEST_F(Quota, OfVersionTwoIsTheLeastOfAllGroupsAbove) {
  write("proc/self/cgroup", "0::/job/step");
  write("sys/fs/cgroup/job/step/cpu.max", "max 100000");
  EXPECT_EQ(quota(), 0);
  write("sys/fs/cgroup/job/cpu.max", "350000 100000");
  EXPECT_EQ(quota(), 3.5);
  write("sys/fs/cgroup/job/step/cpu.max", "50000 25000");
  EXPECT_EQ(quota(), 2);
  write("sys/fs/cgroup/cpu.max", "100000 100000");
  EXPECT_EQ(quota(), 1);
}

TEST_F(Quota, OfAContainerLiesAtTheRoot) {
  for (const std::string path : {"/", "/a/path/of/the/host"}) {
    write("proc/self/cgroup", "0::" + path);
    write("sys/fs/cgroup/cpu.max", "600000 100000");
    EXPECT_EQ(quota(), 6) << path;
  }
}

TEST_F(Quota, OfVersionOneIsThatOfTheProcessorController) {
  write("proc/self/cgroup", "7:memory:/job\n3:cpu,cpuacct:/job\n2:cpuset:/job");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(quota(), 0);
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "400000");
  EXPECT_EQ(quota(), 4);
  write("sys/fs/cgroup/memory/job/cpu.cfs_quota_us", "100000");
  write("sys/fs/cgroup/memory/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(quota(), 4);
}

TEST_F(Quota, LeavesItsCoresRoundedAndOneAtLeast) {
  const int mask = usable_cores(root_);  // no quota
  EXPECT_GE(mask, 1);
  write("proc/self/cgroup", "0::/");
  for (const auto& [quota, cores] : {std::pair("20000 100000", 1), std::pair("100000 100000", 1),
                                     std::pair("160000 100000", 2), std::pair("100000000 100000", 1000)}) {
    write("sys/fs/cgroup/cpu.max", quota);
    EXPECT_EQ(usable_cores(root_), std::min(mask, cores)) << quota;
  }
}

}  // namespace
}  // namespace sortlast
