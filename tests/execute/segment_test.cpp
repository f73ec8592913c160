// Segments: what one process writes another reads, for as long as either needs it.
#include "sortlast/execute/node/segment.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "no_more_files.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/node/shared_memory.hpp"

namespace sortlast {
namespace {

std::string error_of_mapping(const SegmentName& name) {
  try {
    const Segment mapped(name);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "expected \"" << part << "\" in: " << text;
}

TEST(Segment, HoldsZerosFromAPageOn) {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{4097}, std::size_t{5} << 20}) {
    const Segment segment(bytes);
    EXPECT_EQ(segment.name().bytes, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(segment.data()) % 4096, 0u);
    EXPECT_TRUE(std::all_of(segment.data(), segment.data() + bytes,
                            [](std::byte value) { return value == std::byte{0}; }));
  }
}

TEST(Segment, IsTheSameMemoryInAnotherProcess) {
  const Segment segment(10'000);
  segment.data()[0] = std::byte{1};
  const pid_t child = fork();
  if (child == 0) {
    // Not the memory that it has from its parent, but what the name leads to.
    const Segment mapped(segment.name());
    const bool other_place = mapped.data() != segment.data();
    mapped.data()[9'999] = mapped.data()[0] == std::byte{1} ? std::byte{2} : std::byte{3};
    _exit(other_place ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(segment.data()[9'999], std::byte{2});
}

TEST(Segment, LivesUntilTheLastCopyIsGone) {
  std::optional<Segment> owner(std::in_place, std::size_t{100});
  const SegmentName name = owner->name();
  std::shared_ptr<std::byte> copy = owner->memory();
  owner.reset();
  const Segment mapped(name);
  copy.get()[5] = std::byte{7};
  EXPECT_FALSE(mapped.closed());

  copy.reset();
  EXPECT_TRUE(mapped.closed());
  EXPECT_EQ(mapped.data()[5], std::byte{7});
  expect_contains(error_of_mapping(name), "process " + std::to_string(getpid()));
}

TEST(Segment, CannotBeExecutedWhereTheKernelKnowsThatPromise) {
  constexpr unsigned no_exec_seal = 8;  // MFD_NOEXEC_SEAL
  constexpr int exec_is_sealed = 32;    // F_SEAL_EXEC
  const int known = memfd_create("test", no_exec_seal);
  if (known < 0) GTEST_SKIP() << "this kernel does not";
  close(known);
  const Segment segment(100);
  EXPECT_NE(fcntl(segment.name().file, F_GET_SEALS) & exec_is_sealed, 0);
}

TEST(Segment, IsNotMistakenForAnother) {
  std::optional<Segment> first(std::in_place, std::size_t{100});
  const SegmentName name = first->name();
  first.reset();
  const Segment second(100);
  ASSERT_EQ(second.name().file, name.file) << "the descriptor was not used again; nothing is tested";
  expect_contains(error_of_mapping(name), "another segment");

  SegmentName larger = second.name();
  larger.bytes = 10'000;
  expect_contains(error_of_mapping(larger), "something else");

  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  SegmentName is_a_pipe = second.name();
  is_a_pipe.file = ends[0];
  expect_contains(error_of_mapping(is_a_pipe), "something else");
  close(ends[0]);
  close(ends[1]);
}

TEST(Segment, SaysWhyThereIsNone) {
  const Segment segment(100);
  std::string text;
  std::string text_of_mapping;
  {
    const testing::NoMoreFiles no_more;
    try {
      const Segment another(12'345);
    } catch (const Error& error) {
      text = error.what();
    }
    text_of_mapping = error_of_mapping(segment.name());
  }
  expect_contains(text, "12345 bytes");
  expect_contains(text, "memfd_create: Too many open files");
  expect_contains(text_of_mapping, "Too many open files");
}

TEST(Allocations, AreFoundByAddress) {
  Memory first;
  Memory second;
  {
    Allocations allocations;
    first = allocations.take(10'000);
    second = allocations.take(100);
    const Place whole = allocations.find(first.get(), 10'000);
    EXPECT_EQ(whole.segment.process, getpid());
    EXPECT_EQ(whole.offset, 0u);
    const Place part = allocations.find(first.get() + 1000, 9'000);
    EXPECT_EQ(part.segment, whole.segment);
    EXPECT_EQ(part.offset, 1000u);
    EXPECT_NE(allocations.find(second.get(), 100).segment, whole.segment);

    EXPECT_EQ(allocations.find(first.get() + 1000, 9'001).segment.process, 0);
    EXPECT_EQ(allocations.find(first.get() - 1, 10).segment.process, 0);
    const int elsewhere = 0;
    EXPECT_EQ(allocations.find(&elsewhere, 4).segment.process, 0);

    const std::byte* const address = second.get();
    second.reset();
    EXPECT_EQ(allocations.find(address, 100).segment.process, 0);
  }
  first.get()[9'999] = std::byte{1};
}

}  // namespace
}  // namespace sortlast
