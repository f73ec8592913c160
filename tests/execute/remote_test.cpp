// Memory that other processes read: it is put on huge pages when it is offered again, and keeps its contents.
#include "sortlast/execute/node/process_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace sortlast {
namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;

// Private memory on small pages.
class SmallPages {
 public:
  explicit SmallPages(std::size_t bytes) : bytes_(bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    data_ = static_cast<std::byte*>(memory);
    for (std::size_t i = 0; i < bytes; ++i) data_[i] = static_cast<std::byte>(i / 4096 + i);
  }
  SmallPages(const SmallPages&) = delete;
  SmallPages& operator=(const SmallPages&) = delete;
  ~SmallPages() { munmap(data_, bytes_); }
  std::byte* data() { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

// Kilobytes of huge pages that this process has.
int huge_kilobytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::string word;
  while (file >> word)
    if (word == "AnonHugePages:") break;
  int kilobytes = 0;
  file >> kilobytes;
  return kilobytes;
}

TEST(HugePages, AreMadeOfSpansThatArePublishedAgain) {
  SmallPages probe(3 * huge_page);
  const auto first = (reinterpret_cast<std::uintptr_t>(probe.data()) + huge_page - 1) / huge_page * huge_page;
  if (madvise(probe.data() + (first - reinterpret_cast<std::uintptr_t>(probe.data())), huge_page, 25) != 0)
    GTEST_SKIP() << "this kernel collapses no pages";

  SmallPages image(5 * huge_page);
  HugePages spans;
  const int before = huge_kilobytes();
  spans.published(image.data() + 100, image.bytes() - 200);
  EXPECT_EQ(huge_kilobytes(), before) << "it may never be offered again";
  spans.published(image.data() + 100, image.bytes() - 200);
  EXPECT_GE(huge_kilobytes(), before + 3 * static_cast<int>(huge_page >> 10));
  for (std::size_t i = 0; i < image.bytes(); ++i)
    ASSERT_EQ(image.data()[i], static_cast<std::byte>(i / 4096 + i));
}

TEST(HugePages, LeaveSmallSpansAsTheyAre) {
  SmallPages image(huge_page / 2);
  HugePages spans;
  const int before = huge_kilobytes();
  for (int frame = 0; frame < 3; ++frame) spans.published(image.data(), image.bytes());
  EXPECT_EQ(huge_kilobytes(), before);
}

}  // namespace
}  // namespace sortlast
