// That sortlast.h, alone, and sortlast_mpi.h compile as C++ and link with C linkage, and that their
// initialisers hold the defaults of C++.
#include "sortlast.h"

#ifdef MPI_VERSION
#error sortlast.h includes mpi.h
#endif
#include "sortlast_mpi.h"

#include <gtest/gtest.h>

#include <cstring>
#include <type_traits>

#include "mpi/compositor.hpp"

static_assert(std::is_standard_layout_v<sortlast_image> && std::is_trivial_v<sortlast_image>);
static_assert(std::is_standard_layout_v<sortlast_timing> && std::is_trivial_v<sortlast_timing>);

TEST(Header, WorksInCxx) {
  sortlast_setting setting = SORTLAST_SETTING_INIT;
  setting.p = 3;
  setting.n = 10;
  sortlast_schedule* schedule = nullptr;
  EXPECT_EQ(sortlast_schedule_create("shift", &setting, &schedule), SORTLAST_OK);
  EXPECT_STREQ(sortlast_schedule_name(schedule), "shift");
  sortlast_schedule_free(schedule);
}

TEST(Header, HasTheDefaultsOfCxx) {
  using sortlast::Options;
  const sortlast_options all = SORTLAST_OPTIONS_INIT;
  const Options from = sortlast::capi::options_of(&all, MPI_COMM_NULL);
  const Options defaults;
  EXPECT_EQ(from.algorithm, defaults.algorithm);
  EXPECT_EQ(from.ring, defaults.ring);
  EXPECT_EQ(from.timeout, defaults.timeout);
  EXPECT_EQ(from.node_ranks, defaults.node_ranks);
  EXPECT_EQ(from.check, defaults.check);
  EXPECT_EQ(from.threads, defaults.threads);
  EXPECT_EQ(from.wire, defaults.wire);
  EXPECT_EQ(from.profile, defaults.profile);
  EXPECT_EQ(from.deadline, defaults.deadline);
  EXPECT_FALSE(from.interrupt);

  const sortlast_machine machine = SORTLAST_MACHINE_INIT;
  sortlast_machine written = SORTLAST_MACHINE_INIT;
  sortlast::capi::write_machine({}, &written);
  EXPECT_EQ(std::memcmp(&machine, &written, sizeof machine), 0);
  const sortlast_tune_options tune = SORTLAST_TUNE_OPTIONS_INIT;
  const sortlast::TuneOptions tuning = sortlast::capi::tune_options_of(&tune);
  EXPECT_EQ(tuning.seconds, sortlast::TuneOptions{}.seconds);
  EXPECT_EQ(tuning.timeout, sortlast::TuneOptions{}.timeout);
  EXPECT_EQ(tuning.node_ranks, sortlast::TuneOptions{}.node_ranks);
  EXPECT_FALSE(tuning.progress || tuning.interrupt);
}
