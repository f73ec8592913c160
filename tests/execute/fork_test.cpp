// A forked process: what it drops of its parent's shared memory stays the parent's.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>

#include "sortlast/error.hpp"
#include "sortlast/execute/node/control.hpp"
#include "sortlast/execute/node/node.hpp"

namespace sortlast {
namespace {

// Run in a forked process; whether it said so.
bool in_child(const std::function<bool()>& action) {
  const pid_t child = fork();
  if (child == 0) _exit(action() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST(Fork, LeavesTheFramesThatTheParentHolds) {
  const Segment segment(Control::bytes(1));
  Control& control = Control::make(segment, 1);
  Frames frames(segment.memory(), &control.frames, 1);
  const int slot = frames.choose(1000).slot;
  ASSERT_TRUE(frames.update(slot));
  Memory held = frames.hold(slot);
  std::memset(held.get(), 7, 1000);
  for (int child = 0; child < 8; ++child) {
    EXPECT_TRUE(in_child([&] {
      held.reset();
      return true;
    }));
    const int next = frames.choose(1000).slot;
    EXPECT_NE(next, slot);
    frames.take_back(next);
  }
  EXPECT_EQ(control.frames.slots[static_cast<std::size_t>(slot)].users, 1u);
  held.reset();
  EXPECT_EQ(control.frames.slots[static_cast<std::size_t>(slot)].users, 0u);
}

TEST(Fork, LeavesTheSegmentsOfTheParentOpen) {
  std::optional<Segment> owner(std::in_place, std::size_t{100});
  const Segment mapped(owner->name());
  EXPECT_TRUE(in_child([&] {
    owner.reset();
    return !mapped.closed();
  }));
  EXPECT_FALSE(mapped.closed());
  EXPECT_EQ(Segment(owner->name()).data()[0], std::byte{0});
  owner.reset();
  EXPECT_TRUE(mapped.closed());
}

TEST(Fork, LeavesAllocatedMemoryToItsParent) {
  Allocations allocations;
  Memory memory = allocations.take(5000);
  const Place place = allocations.find(memory.get(), 5000);
  const Segment mapped(place.segment);
  EXPECT_TRUE(in_child([&] {
    memory.reset();
    return true;
  }));
  EXPECT_FALSE(mapped.closed());
  EXPECT_EQ(allocations.find(memory.get(), 5000).segment, place.segment);
}

// Never asked: nobody waits.
class NoWatch final : public Watch {
  void check(double, const std::function<std::string()>&) const override {}
};

TEST(Fork, CannotTakeThePlaceOfItsParentInAMeeting) {
  const Segment segment(Control::bytes(2));
  Control& control = Control::make(segment, 2);
  Neighbours neighbours;
  neighbours.nodes = {0, 0};
  neighbours.members = {0, 1};
  neighbours.control = segment;
  Node node(std::move(neighbours), std::make_unique<NoWatch>());
  control.slot(1).unread = 1;
  EXPECT_TRUE(in_child([&] {
    node.release(1);
    try {
      node.meet({}, "test");
    } catch (const Error& error) {
      return std::string(error.what()).find("forked") != std::string::npos;
    }
    return false;
  }));
  EXPECT_EQ(control.slot(1).unread, 1u);
  EXPECT_EQ(control.meeting.openings(), 0u);
}

}  // namespace
}  // namespace sortlast
