// That sortlast.h, alone, compiles as C++ and links with C linkage.
#include "sortlast.h"

#include <gtest/gtest.h>

#include <type_traits>

static_assert(std::is_standard_layout_v<sortlast_image> && std::is_trivial_v<sortlast_image>);
static_assert(std::is_standard_layout_v<sortlast_timing> && std::is_trivial_v<sortlast_timing>);

TEST(Header, WorksInCxx) {
  const sortlast_setting setting = {3, 10, nullptr, nullptr, false};
  sortlast_schedule* schedule = nullptr;
  EXPECT_EQ(sortlast_schedule_create("shift", &setting, &schedule), SORTLAST_OK);
  EXPECT_STREQ(sortlast_schedule_name(schedule), "shift");
  sortlast_schedule_free(schedule);
}
