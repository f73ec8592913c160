// Minimum time of compositing for two processes of one machine with images in private memory, as in ParaView:
// each blends half of the picture. There is no agreement, no search for active pixels, and no gathering.
//
// A process either reads its half of the other's image through the kernel, a part at a time into memory that
// stays in the cache (content/pixels/image_reader), or blends it from shared memory into which its owner has
// copied it. Prints milliseconds per frame, the minimum and the median, for either method and several part
// sizes.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sortlast/execute/node/process_memory.hpp"
#include "sortlast/image/blend.hpp"

namespace {

using namespace sortlast;

constexpr std::int64_t n = 1920 * 1080;
constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr int turns = 61;

// Zeros that begin at a huge page and, if the system has them, lie on huge pages.
std::byte* memory(std::size_t bytes, int kind) {
  const std::size_t whole = (bytes / huge_page + 2) * huge_page;
  void* const mapped = mmap(nullptr, whole, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) std::exit(1);
  const auto begin = (reinterpret_cast<std::uintptr_t>(mapped) + huge_page - 1) / huge_page * huge_page;
  auto* const data = reinterpret_cast<std::byte*>(begin);
  madvise(data, bytes, MADV_HUGEPAGE);
  std::memset(data, 0, bytes);
  return data;
}

Pixels image_in(std::byte* data, const Format& format) {
  const auto colour = static_cast<std::size_t>(n) * format.colour_bytes();
  return {data, format.depth ? reinterpret_cast<float*>(data + colour) : nullptr};
}

// The rank's image: colours that blend, and depths of which each rank has about half of the nearer ones.
void draw(int rank, const Format& format, Pixels image) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < 4; ++k)
      image.colour[4 * i + k] = static_cast<std::byte>((i * 7 + k * 31 + rank * 101) % 120);
    if (format.depth) image.depth[i] = static_cast<float>((i / 64 * (rank + 3)) % 251) / 251;
  }
}

// A barrier of two processes; both spin instead of sleeping.
struct Meeting {
  std::atomic<int> come{0};

  void wait(int& met) {
    come.fetch_add(1);
    met += 2;
    while (come.load() < met) {
    }
  }
};

struct Frame {
  Op op;
  Format format;
  std::array<std::byte*, 2> images;  // private memory of each rank
  std::byte* staged;                 // shared: rank r's pixels that the other blends
  std::byte* result;                 // shared
  std::array<std::int32_t, 2> processes;
};

void read_part(const Frame& frame, int other, std::int64_t begin, std::int64_t count, Pixels to) {
  const Pixels from = advance(image_in(frame.images[other], frame.format), frame.format, begin);
  const std::size_t colour = static_cast<std::size_t>(count) * frame.format.colour_bytes();
  std::array<RemoteCopy, 2> spans{{{to.colour, reinterpret_cast<std::uintptr_t>(from.colour), colour}, {}}};
  if (frame.format.depth)
    spans[1] = {reinterpret_cast<std::byte*>(to.depth), reinterpret_cast<std::uintptr_t>(from.depth),
                static_cast<std::size_t>(count) * sizeof(float)};
  read_remote(frame.processes[other], spans);
}

// Blend half of the picture. Depths of the result are discarded: displaying a picture only takes its colours.
void blend_half(const Frame& frame, int rank, bool pull, std::int64_t part, std::byte* scratch) {
  const Format& format = frame.format;
  const int other = 1 - rank;
  const std::size_t room = static_cast<std::size_t>(part) * format.pixel_bytes();
  const auto lay_out = [&](std::byte* data) {
    return Pixels{data, format.depth ? reinterpret_cast<float*>(data + static_cast<std::size_t>(part) *
                                                                           format.colour_bytes())
                                     : nullptr};
  };
  const std::int64_t end = n * (rank + 1) / 2;
  for (std::int64_t at = n * rank / 2; at < end; at += part) {
    const std::int64_t count = std::min(part, end - at);
    Pixels there = lay_out(scratch);
    if (pull) {
      read_part(frame, other, at, count, there);
    } else {
      there = advance(image_in(frame.staged, format), format, at);
    }
    std::array<Link, 2> chain;
    chain[static_cast<std::size_t>(rank)].pixels =
        advance(image_in(frame.images[static_cast<std::size_t>(rank)], format), format, at);
    chain[static_cast<std::size_t>(other)].pixels = there;
    for (Link& link : chain) link.scalar = format.scalar;
    Pixels out{frame.result + static_cast<std::size_t>(at) * format.colour_bytes(), nullptr};
    if (format.depth) out.depth = lay_out(scratch + room).depth;
    blend(frame.op, 4, format.depth, chain, out, format.scalar, count);
  }
}

// Copy the half that the other process will blend into shared memory.
void stage_half(const Frame& frame, int rank) {
  const std::int64_t begin = n * (1 - rank) / 2;
  const std::int64_t count = n * (2 - rank) / 2 - begin;
  const Format& format = frame.format;
  const Pixels from = advance(image_in(frame.images[static_cast<std::size_t>(rank)], format), format, begin);
  const Pixels to = advance(image_in(frame.staged, format), format, begin);
  std::memcpy(to.colour, from.colour, static_cast<std::size_t>(count) * format.colour_bytes());
  if (format.depth) std::memcpy(to.depth, from.depth, static_cast<std::size_t>(count) * sizeof(float));
}

bool is_right(const Frame& frame) {
  std::vector<std::byte> memory(static_cast<std::size_t>(n) * frame.format.pixel_bytes());
  std::array<std::vector<std::byte>, 2> images{memory, memory};
  std::array<Link, 2> chain;
  for (int rank = 0; rank < 2; ++rank) {
    const auto k = static_cast<std::size_t>(rank);
    draw(rank, frame.format, image_in(images[k].data(), frame.format));
    chain[k].pixels = image_in(images[k].data(), frame.format);
    chain[k].scalar = frame.format.scalar;
  }
  blend(frame.op, 4, frame.format.depth, chain, image_in(memory.data(), frame.format), frame.format.scalar,
        n);
  return std::memcmp(memory.data(), frame.result,
                     static_cast<std::size_t>(n) * frame.format.colour_bytes()) == 0;
}

// One of the two processes; rank 0 prints the times.
void work(const Frame& frame, int rank, Meeting& meeting) {
  draw(rank, frame.format, image_in(frame.images[static_cast<std::size_t>(rank)], frame.format));
  int met = 0;
  for (const std::int64_t kib : {0, 64, 128, 256, 512, 1024}) {  // 0: copied by the owner
    const std::int64_t part =
        (kib == 0 ? 128 : kib) * 1024 / static_cast<std::int64_t>(frame.format.pixel_bytes());
    std::byte* const scratch =
        memory(2 * static_cast<std::size_t>(part) * frame.format.pixel_bytes(), MAP_PRIVATE);
    std::vector<double> found;
    for (int turn = 0; turn < turns; ++turn) {
      meeting.wait(met);
      const auto begin = std::chrono::steady_clock::now();
      if (kib == 0) {
        stage_half(frame, rank);
        meeting.wait(met);
      }
      blend_half(frame, rank, kib != 0, part, scratch);
      meeting.wait(met);
      found.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    if (rank != 0) continue;
    if (!is_right(frame)) std::abort();
    std::sort(found.begin(), found.end());
    std::printf("%-20s %-22s %8.2f %8.2f\n", frame.format.depth ? "closest, with depth" : "over",
                kib == 0 ? "copied by the owner" : ("read by " + std::to_string(kib) + " KiB").c_str(),
                found.front(), found[turns / 2]);
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  std::printf("1920x1080, bytes of RGBA, 2 processes\n%-20s %-22s %8s %8s\n", "operator", "other's half",
              "least ms", "median");
  std::fflush(stdout);
  for (const bool depth : {true, false}) {
    const Format format{Scalar::uint8, 4, depth};
    const std::size_t bytes = static_cast<std::size_t>(n) * format.pixel_bytes();
    Frame frame{depth ? Op::closest : Op::over, format, {}, memory(bytes, MAP_SHARED),
                memory(bytes, MAP_SHARED),      {}};
    auto* const meeting = new (memory(sizeof(Meeting), MAP_SHARED)) Meeting;
    auto* const child_number = reinterpret_cast<std::atomic<std::int32_t>*>(memory(64, MAP_SHARED));
    for (std::byte*& image : frame.images) image = memory(bytes, MAP_PRIVATE);
    frame.processes[0] = this_process();
    const pid_t child = fork();
    if (child == 0) {
      *child_number = frame.processes[1] = this_process();
      work(frame, 1, *meeting);
      std::_Exit(0);
    }
    if (child < 0) return 1;
    while (*child_number == 0) usleep(1000);
    frame.processes[1] = *child_number;
    work(frame, 0, *meeting);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) {
      std::fputs("the other process failed\n", stderr);
      return 1;
    }
  }
}
