// Registered memory: the caller's own bytes, which others can read in place, and which stay the caller's.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/execute/node/shared_images.hpp"

namespace sortlast {
namespace {

constexpr std::size_t page = 4096;

std::byte value(std::size_t i, int round) {
  return static_cast<std::byte>(i * 7 + i / 251 + static_cast<std::size_t>(round));
}

void fill(std::byte* data, std::size_t bytes, int round) {
  for (std::size_t i = 0; i < bytes; ++i) data[i] = value(i, round);
}
bool filled(const std::byte* data, std::size_t bytes, int round) {
  for (std::size_t i = 0; i < bytes; ++i)
    if (data[i] != value(i, round)) return false;
  return true;
}

// Whether another mapping of an offer shows these bytes.
bool seen(const Allocations& allocations, const std::byte* data, std::size_t bytes) {
  const Place place = allocations.offer(data, bytes);
  if (place.none()) return false;
  const Segment mapped(place.segment);
  return std::memcmp(mapped.data() + place.offset, data, bytes) == 0;
}

std::string refusal(Allocations& allocations, void* data, std::size_t bytes) {
  try {
    allocations.add(static_cast<std::byte*>(data), bytes);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

template <typename Suits>
int count_lines(const std::string& path, const Suits& suits) {
  std::ifstream file(path);
  int count = 0;
  for (std::string line; std::getline(file, line);) count += suits(line) ? 1 : 0;
  return count;
}
int segments_mapped() {
  return count_lines("/proc/self/maps", [](const std::string& line) {
    return line.find("memfd:sortlast") != std::string::npos;
  });
}
int open_files() {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

TEST(Registration, KeepsItsContentsAtEveryOffsetAndSize) {
  Allocations allocations;
  std::vector<std::byte> all(20 * page);
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t begin = random() % (2 * page);
    const std::size_t bytes = 1 + random() % (round % 2 == 0 ? page / 2 : all.size() - 2 * page - 1);
    fill(all.data(), all.size(), round);
    std::byte* const data = all.data() + begin;
    auto registered = allocations.add(data, bytes);
    ASSERT_TRUE(filled(all.data(), all.size(), round)) << begin << " " << bytes;
    ASSERT_TRUE(seen(allocations, data, bytes));

    // What is written later is seen at the next offer, and is there when the registration has ended.
    fill(all.data(), all.size(), round + 1);
    ASSERT_TRUE(seen(allocations, data, bytes)) << begin << " " << bytes;
    registered.reset();
    ASSERT_TRUE(filled(all.data(), all.size(), round + 1)) << begin << " " << bytes;
    ASSERT_TRUE(allocations.find(data, 1).none());
  }
  EXPECT_EQ(segments_mapped(), 0);
}

TEST(Registration, OfSeveralPartsOfOneBlock) {
  Allocations allocations;
  std::vector<std::byte> all(30 * page + 100);
  fill(all.data(), all.size(), 0);
  // Parts that follow each other share the page at their border.
  const std::array<std::size_t, 6> borders{10,           page + 3, 3 * page, 11 * page + 77, 11 * page + 78,
                                           30 * page + 5};
  std::vector<std::shared_ptr<void>> registered;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i)
    registered.push_back(allocations.add(all.data() + borders[i], borders[i + 1] - borders[i]));
  for (int round = 1; round < 4; ++round) {
    fill(all.data(), all.size(), round);
    for (std::size_t i = 0; i + 1 < borders.size(); ++i)
      EXPECT_TRUE(seen(allocations, all.data() + borders[i], borders[i + 1] - borders[i]));
  }
  EXPECT_TRUE(allocations.find(all.data() + borders[2], borders[4] - borders[2]).none())
      << "two parts are no place";
  std::shuffle(registered.begin(), registered.end(), std::mt19937(5));
  registered.clear();
  EXPECT_TRUE(filled(all.data(), all.size(), 3));
}

TEST(Registration, OutlivesTheAllocations) {
  std::vector<std::byte> memory(10 * page, std::byte{3});
  std::shared_ptr<void> registered;
  {
    Allocations allocations;
    registered = allocations.add(memory.data(), memory.size());
  }
  memory[5 * page] = std::byte{4};
  std::thread([&registered] { registered.reset(); }).join();
  EXPECT_EQ(memory[0], std::byte{3});
  EXPECT_EQ(memory[5 * page], std::byte{4});
}

TEST(Registration, RefusesWhatIsRegisteredOrAllocatedAlready) {
  Allocations allocations;
  std::vector<std::byte> memory(10 * page);
  const auto registered = allocations.add(memory.data() + page, 4 * page);
  const Memory allocated = allocations.take(page);
  for (const auto& [begin, bytes] : {std::pair{page, 4 * page},
                                     {std::size_t{0}, page + 1},
                                     {2 * page, page},
                                     {5 * page - 1, page},
                                     {std::size_t{0}, 10 * page}})
    EXPECT_NE(refusal(allocations, memory.data() + begin, bytes).find("already"), std::string::npos) << begin;
  EXPECT_NE(refusal(allocations, allocated.get(), page).find("already"), std::string::npos);
  Allocations other;
  EXPECT_NE(refusal(other, memory.data() + page, 4 * page).find("memfd:sortlast"), std::string::npos);
}

TEST(Registration, RefusesWhatIsNotPrivateMemory) {
  Allocations allocations;
  std::array<std::byte, 3 * page> on_the_stack{};
  EXPECT_NE(refusal(allocations, on_the_stack.data(), on_the_stack.size()).find("stack"), std::string::npos);
  std::string text;
  std::thread([&] {
    std::array<std::byte, 3 * page> there{};
    text = refusal(allocations, there.data(), there.size());
  }).join();
  EXPECT_NE(text.find("stack"), std::string::npos);

  void* const shared = mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(refusal(allocations, shared, 4 * page).find("/dev/zero"), std::string::npos);
  munmap(shared, 4 * page);
  void* const constant = mmap(nullptr, 4 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(refusal(allocations, constant, 4 * page).find("r--p"), std::string::npos);
  munmap(constant, 4 * page);
  EXPECT_NE(refusal(allocations, constant, 4 * page).find("does not exist"), std::string::npos);
  static const int of_the_program = 5;
  EXPECT_NE(refusal(allocations, const_cast<int*>(&of_the_program), 4), "");
  std::vector<std::byte> memory(page);
  EXPECT_NE(refusal(allocations, memory.data(), ~std::size_t{0}).find("end"), std::string::npos);
}

TEST(Registration, OfMemoryThatWasFreedTooEarlyLeavesWhatIsThereNow) {
  Allocations allocations;
  void* const memory = mmap(nullptr, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto registered = allocations.add(static_cast<std::byte*>(memory), 8 * page);
  auto* const middle = static_cast<std::byte*>(memory) + 3 * page;
  ASSERT_EQ(mmap(middle, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
            middle);
  std::memset(memory, 9, 8 * page);
  registered.reset();
  EXPECT_TRUE(std::all_of(static_cast<std::byte*>(memory), static_cast<std::byte*>(memory) + 8 * page,
                          [](std::byte byte) { return byte == std::byte{9}; }));
  EXPECT_EQ(segments_mapped(), 0);
  munmap(memory, 8 * page);
}

TEST(Registration, LeavesNothingBehindIn1000Rounds) {
  Allocations allocations;
  constexpr std::size_t bytes = 300'000;
  const auto resident = [] {
    std::ifstream statm("/proc/self/statm");
    std::size_t size = 0;
    std::size_t pages = 0;
    statm >> size >> pages;
    return pages * page;
  };
  [[maybe_unused]] std::size_t before = 0;
  int files = 0;
  [[maybe_unused]] int maps = 0;
  const auto all = [](const std::string&) { return true; };
  for (int round = 0; round < 1000; ++round) {
    // Freed after the registration, and used again by the next round.
    auto* const memory = static_cast<std::byte*>(std::malloc(bytes));
    std::memset(memory, round, bytes);
    auto registered = allocations.add(memory + round % 64, bytes - 64);
    ASSERT_TRUE(seen(allocations, memory + round % 64, bytes - 64));
    registered.reset();
    ASSERT_EQ(memory[bytes / 2], static_cast<std::byte>(round));
    std::free(memory);
    if (round == 20) {
      before = resident();
      files = open_files();
      maps = count_lines("/proc/self/maps", all);
    }
  }
#ifndef __SANITIZE_ADDRESS__  // which keeps memory that was freed
  EXPECT_LE(resident(), before + 4 * bytes);
  EXPECT_LE(count_lines("/proc/self/maps", all), maps + 4);
#endif
  EXPECT_EQ(open_files(), files);
  EXPECT_EQ(segments_mapped(), 0);
}

}  // namespace
}  // namespace sortlast
