// Every exception ends at the C boundary, as the status that sortlast.h names.
#include <gtest/gtest.h>

#include <functional>

#include "handle.hpp"
#include "sortlast/error.hpp"

namespace sortlast::capi {
namespace {

struct Case {
  std::function<void()> action;
  sortlast_status status;
  std::string message;
};

TEST(Status, EveryExceptionHasOne) {
  const std::vector<Case> cases{
      {[] {}, SORTLAST_OK, ""},
      {[] { throw ArgumentError("a"); }, SORTLAST_ERROR_ARGUMENT, "a"},
      {[] { throw MismatchError("b"); }, SORTLAST_ERROR_MISMATCH, "b"},
      {[] { throw TimeoutError("c"); }, SORTLAST_ERROR_TIMEOUT, "c"},
      {[] { throw MpiError("d"); }, SORTLAST_ERROR_MPI, "d"},
      {[] { throw std::bad_alloc(); }, SORTLAST_ERROR_MEMORY, "out of memory"},
      {[] { throw Interrupt(3); }, SORTLAST_ERROR_INTERRUPT,
       "the interrupt callback ended the call: it returned 3"},
      {[] { throw Error("e"); }, SORTLAST_ERROR_INTERNAL, "e"},
      {[] { throw std::out_of_range("f"); }, SORTLAST_ERROR_INTERNAL, "f"},
      {[] { throw 7; },  // NOLINT(bugprone-std-exception-baseclass)
       SORTLAST_ERROR_INTERNAL, "an exception of unknown type"},
  };
  for (const Case& each : cases) {
    Handle handle{"of an earlier call"};
    EXPECT_EQ(guarded(handle, each.action), each.status);
    EXPECT_EQ(message_of(&handle), each.message);
  }
}

TEST(Status, HasAName) {
  EXPECT_STREQ(sortlast_status_name(SORTLAST_OK), "ok");
  EXPECT_STREQ(sortlast_status_name(SORTLAST_ERROR_ARGUMENT), "argument");
  EXPECT_STREQ(sortlast_status_name(SORTLAST_ERROR_MISMATCH), "mismatch");
  EXPECT_STREQ(sortlast_status_name(SORTLAST_ERROR_TIMEOUT), "timeout");
  EXPECT_STREQ(sortlast_status_name(SORTLAST_ERROR_MPI), "mpi");
  EXPECT_STREQ(sortlast_status_name(SORTLAST_ERROR_MEMORY), "memory");
  EXPECT_STREQ(sortlast_status_name(SORTLAST_ERROR_INTERNAL), "internal");
  EXPECT_STREQ(sortlast_status_name(SORTLAST_ERROR_INTERRUPT), "interrupt");
  EXPECT_STREQ(sortlast_status_name(SORTLAST_ERROR_REMOTE), "remote");
  EXPECT_STREQ(sortlast_status_name(SORTLAST_ERROR_USAGE), "usage");
}

TEST(Status, OfMakingTellsAMissingPlaceForTheResult) {
  bool ran = false;
  const auto action = [&](Handle&) { ran = true; };
  EXPECT_EQ(make_handle<Handle>(nullptr, action), SORTLAST_ERROR_ARGUMENT);
  EXPECT_TRUE(ran);  // other ranks may have waited for it
}

}  // namespace
}  // namespace sortlast::capi
