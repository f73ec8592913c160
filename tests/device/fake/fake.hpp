// A fake CUDA driver for tests on machines without a GPU. It computes nothing on any GPU.
//
// It has the functions of libcuda.so.1 that device/driver.hpp lists, with the same errors. "Device" memory is
// anonymous shared memory (memfd), which other processes open through /proc, so that nothing is left behind.
// A kernel is the host compilation of the same source, found by its name. Each stream is a thread that works
// in order, now and then late, so that a missing wait is a data race. As in the real driver, events say when
// they were recorded and nothing else, handles cannot be opened where they were made, and a forked process
// cannot use what its parent began. With FAKE_CUDA_OLD it lacks a function, as an old driver does.
//
//   SORTLAST_FAKE_CUDA_ERROR   what cuInit returns, for example 100: no device
//   SORTLAST_FAKE_CUDA_POOL    if set, memory is allocated from a pool, which cannot be shared
//   SORTLAST_FAKE_CUDA_ALONE   if set, memory of other processes cannot be opened, as in another PID
//   namespace
#pragma once

#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "device/host_kernels.hpp"
#include "sortlast/device/driver.hpp"

#define FAKE extern "C" __attribute__((visibility("default"))) int

namespace sortlast::device {

struct OpaqueContext {
  int device;
};
struct OpaqueModule {
  std::string text;
};
struct OpaqueFunction {
  const testing::HostKernel* kernel;
};

// What an event consists of, in memory that processes share.
struct EventPage {
  static constexpr std::uint64_t remembered = 256;

  std::atomic<std::uint64_t> recorded;
  // The last of every `remembered` records that its stream has reached: streams come to theirs in any order.
  std::array<std::atomic<std::uint64_t>, remembered> reached;

  void reach(std::uint64_t record) { reached[record % remembered] = record; }
  bool has_reached(std::uint64_t record) const { return reached[record % remembered] >= record; }
};
struct OpaqueEvent {
  EventPage* page;
  int file;
  std::uint64_t buffer;
  bool shared;
};

// A thread that works in order.
struct OpaqueStream {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> work;
  bool busy = false;
  bool ends = false;
  std::minstd_rand random{static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(this) >> 4)};

  OpaqueStream() {
    std::thread([this] {
      run();
      delete this;
    }).detach();
  }

  void run() {
    std::unique_lock lock(mutex);
    while (!ends) {
      changed.wait(lock, [this] { return !work.empty(); });
      const std::function<void()> next = std::move(work.front());
      work.pop_front();
      busy = true;
      lock.unlock();
      if (random() % 16 == 0) usleep(static_cast<unsigned>(random() % 200));
      next();
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }
  void add(std::function<void()> next) {
    const std::lock_guard lock(mutex);
    work.push_back(std::move(next));
    changed.notify_all();
  }
  void synchronize() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return work.empty() && !busy; });
  }
  // Delete a stream when its work is complete.
  static void end(OpaqueStream* stream) {
    stream->add([stream] { stream->ends = true; });
  }
};

}  // namespace sortlast::device

namespace fake {

using namespace sortlast::device;

inline constexpr int error_no_memory = 2, error_not_initialized = 3, error_invalid_device = 101,
                     error_invalid_ptx = 218, error_invalid_handle = 400, error_not_found = 500,
                     error_illegal_address = 700, error_already_registered = 712, error_not_registered = 713;
inline constexpr int devices = 2;
inline constexpr std::size_t device_bytes = std::size_t{1} << 34;

enum class Origin { device, pinned, registered, opened };
struct Allocation {
  void* at;
  std::size_t bytes;
  std::uint64_t buffer;
  Origin origin;
  int device;
  int file;
  int opened = 0;            // times
  std::uint64_t source = 0;  // the exporter's buffer
  pid_t exporter = 0;
  bool pooled = false;
};

// What an IpcHandle holds: a file of its process, and its number, because numbers of files are used again.
struct Handle {
  std::uint64_t magic;
  bool event;
  pid_t process;
  int file;
  std::uint64_t buffer;
  std::size_t bytes;
};
static_assert(sizeof(Handle) <= sizeof(IpcHandle));
inline constexpr std::uint64_t magic = 0x61647563656b6166;  // "fakecuda"

struct State {
  std::recursive_mutex mutex;
  pid_t process = 0;
  std::array<OpaqueContext, devices> contexts{{{0}, {1}}};
  std::array<int, devices> retained{};
  std::map<std::uintptr_t, Allocation> allocations;  // by base
  std::uint64_t buffers = 0;
  std::atomic<int> failed = 0;  // an error that stays
  OpaqueStream* default_stream = nullptr;
};

// Never destroyed, because threads of streams may outlive main().
inline State& state() {
  static State* const made = new State;
  return *made;
}

inline thread_local std::vector<ContextHandle> current;

// The error of every call that needs a context; 0: none.
inline int not_ready(bool needs_context = true) {
  if (state().process != getpid()) return error_not_initialized;
  if (needs_context && current.empty()) return error_invalid_context;
  return state().failed;
}
#define READY \
  if (const int error = not_ready(); error != success) return error
#define LOCK const std::lock_guard lock(state().mutex)

// The allocation that an address leads into, or the end.
std::map<std::uintptr_t, Allocation>::iterator find_allocation(const void* address);
// Whether a kernel may use the memory at an address.
bool reachable(const void* pointer);
// Shared memory with a number of its own, and its file; null if there is none.
void* new_memory(std::size_t bytes, int& file, std::uint64_t& buffer);
// Map a file; close it and return null if that fails.
void* map_file(int file, std::size_t bytes);
// The file of another process, or an error.
IpcHandle pack_handle(const Handle& handle);
int open_handle(const IpcHandle& packed, bool event, Handle& handle, int& file);
OpaqueStream& stream_of(StreamHandle stream);

}  // namespace fake
