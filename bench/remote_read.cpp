// Cost per page of the kernel's copy of another process's image, compared with a copy of pages in shared
// memory.
//
// Images in the renderer's private memory are read in this way, a part at a time into memory that stays in
// the cache (content/pixels/image_reader). Prints nanoseconds per 4 KiB, as the median of eleven turns: for
// both page sizes of the image and of the buffer, and several part sizes.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sortlast/execute/node/process_memory.hpp"

namespace {

using namespace sortlast;

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::size_t image_bytes = 16 * huge_page;  // 2048x1024 pixels of RGBA float32
constexpr std::size_t largest_part = huge_page;
constexpr int turns = 11;

// Memory that begins at a huge page, written once.
std::byte* memory(std::size_t bytes, int kind, bool huge) {
  void* const mapped = mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) std::exit(1);
  const auto begin = (reinterpret_cast<std::uintptr_t>(mapped) + huge_page - 1) / huge_page * huge_page;
  auto* const data = reinterpret_cast<std::byte*>(begin);
  madvise(data, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 7 + i / page);
  return data;
}

template <typename Copy>
double nanoseconds_of_a_page(const std::byte* image, const std::byte* buffer, std::size_t part,
                             const Copy& copy) {
  std::vector<double> found;
  for (int turn = 0; turn < turns; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t at = 0; at < image_bytes; at += part) copy(at);
    found.push_back(
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  if (std::memcmp(buffer, image + image_bytes - part, part) != 0) std::abort();  // the result is wrong
  std::nth_element(found.begin(), found.begin() + turns / 2, found.end());
  return found[turns / 2] / static_cast<double>(image_bytes / page);
}

// Runs in a separate process, which inherits the image for comparison by the fork.
void read_from(std::int32_t parent, const std::byte* image, const std::byte* shared, bool huge_image) {
  for (const bool huge_buffer : {false, true}) {
    std::byte* const buffer = memory(largest_part, MAP_PRIVATE, huge_buffer);
    for (std::size_t part = page * 16; part <= largest_part; part *= 2) {
      const double remote = nanoseconds_of_a_page(image, buffer, part, [&](std::size_t at) {
        RemoteCopy span{buffer, reinterpret_cast<std::uintptr_t>(image + at), part};
        read_remote(parent, {&span, 1});
      });
      const double mapped = nanoseconds_of_a_page(
          image, buffer, part, [&](std::size_t at) { std::memcpy(buffer, shared + at, part); });
      std::printf("%-8s %-8s %8zu %10.0f %10.0f %8.2f\n", huge_image ? "2 MiB" : "4 KiB",
                  huge_buffer ? "2 MiB" : "4 KiB", part / 1024, remote, mapped, remote / mapped);
    }
  }
  std::fflush(stdout);
}

}  // namespace

int main() {
  std::printf("%-8s %-8s %8s %10s %10s %8s\n", "image", "buffer", "KiB", "kernel ns", "shared ns", "ratio");
  std::fflush(stdout);
  for (const bool huge : {false, true}) {
    const std::byte* const image = memory(image_bytes, MAP_PRIVATE, huge);
    const std::byte* const shared = memory(image_bytes, MAP_SHARED, huge);
    const std::int32_t parent = this_process();
    const pid_t child = fork();
    if (child == 0) {
      read_from(parent, image, shared, huge);
      std::_Exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      std::fputs("the reading process failed\n", stderr);
      return 1;
    }
  }
}
