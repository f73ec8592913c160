// Memory and events of another process.
#include "sortlast/device/ipc.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>

#include "device/gpu.hpp"
#include "device/peer.hpp"
#include "sortlast/error.hpp"

namespace sortlast {
namespace {

using testing::Connection;
using testing::Gpu;
using testing::message_of;
using testing::Peer;

constexpr std::size_t count = 1 << 16;
constexpr std::size_t offset = 1000;  // numbers before the exported pointer

std::vector<int> numbers(int first) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

struct Message {
  device::Export memory;
  device::IpcHandle event;
};

// Fills memory and records an event behind the copy, twice, into two allocations.
void owner(const Connection& other) {
  const Gpu gpu;
  const device::Event event(gpu.context, device::Event::Use::between_processes);
  Message message{};
  message.event = event.ipc_handle();
  for (const int first : {0, 5}) {
    const std::vector<int> values = numbers(first);
    const device::Owned memory = device::allocate(gpu.context, count * sizeof(int));
    device::copy(gpu.stream, memory.get(), values.data(), count * sizeof(int));
    event.record(gpu.stream);
    message.memory = device::export_memory(gpu.context, memory.get() + offset * sizeof(int));
    other.send(message);
    other.meet();  // has read the memory
    gpu.stream.synchronize();
  }
  other.meet();  // the memory is gone
}

TEST(Peer, DISABLED_Role) {
  testing::roles()["owner"] = owner;
  testing::roles()["late owner"] = [](const Connection& other) {
    const Gpu gpu;
    const device::Event event(gpu.context, device::Event::Use::between_processes);
    other.send(event.ipc_handle());
    other.meet();
  };
  testing::roles()["asks late"] = [](const Connection&) {
    const auto loaded = [] {
      std::ifstream maps("/proc/self/maps");
      return std::string(std::istreambuf_iterator(maps), {}).find("cuda") != std::string::npos;
    };
    EXPECT_FALSE(loaded());
    EXPECT_GE(device::count(), 1);
    EXPECT_TRUE(loaded());
  };
  const char* const role = std::getenv("SORTLAST_PEER");
  ASSERT_NE(role, nullptr) << "a part of other tests";
  testing::roles().at(role)(Connection(std::stoi(std::getenv("SORTLAST_PEER_SOCKET"))));
}

TEST(Driver, IsNotLoadedBeforeSomebodyAsks) {
  Peer peer("asks late");
  EXPECT_EQ(peer.wait(), 0);
}

TEST(Driver, IsOfNoUseInAForkedProcess) {
  const Gpu gpu;
  const pid_t process = fork();
  if (process == 0) {
    const std::string message = message_of([] { const device::Context again(0); });
    _exit(message.find("failed: CUDA_ERROR_NOT_INITIALIZED") == std::string::npos);
  }
  int status = -1;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
}

TEST(Ipc, ReadsAnotherProcessesMemoryBehindItsEvent) {
  const Gpu gpu;
  Peer peer("owner");
  device::OpenedMemory opened(gpu.context);
  Message first{}, second{};

  // The first allocation, at an offset, read behind the event.
  ASSERT_TRUE(peer.receive(first));
  EXPECT_EQ(first.memory.offset, offset * sizeof(int));
  const device::Event event = device::Event::open(gpu.context, first.event);
  const auto expect_numbers = [&](const void* memory, int begin) {
    gpu.stream.wait(event);
    EXPECT_EQ(gpu.read<int>(memory, 3), (std::vector{begin, begin + 1, begin + 2}));
  };
  void* const memory = opened.open(7, first.memory);
  expect_numbers(memory, offset);

  // Open it once only; other offsets lie in the same mapping.
  EXPECT_EQ(opened.open(7, first.memory), memory);
  device::Export whole = first.memory;
  whole.offset = 0;
  expect_numbers(opened.open(7, whole), 0);
  EXPECT_EQ(opened.size(), 1U);
  const device::PointerInfo info = device::inspect(memory);
  EXPECT_EQ(info.kind, device::Kind::device);
  peer.meet();

  // Another allocation of the process at the same address replaces it.
  ASSERT_TRUE(peer.receive(second));
  EXPECT_NE(second.memory.buffer, first.memory.buffer);
  second.memory.base = first.memory.base;
  expect_numbers(opened.open(7, second.memory), static_cast<int>(offset) + 5);
  EXPECT_EQ(opened.size(), 1U);
  expect_numbers(opened.open(8, second.memory), static_cast<int>(offset) + 5);  // of another process
  EXPECT_EQ(opened.size(), 2U);
  opened.close_unused(1);
  EXPECT_EQ(opened.size(), 1U);
  peer.meet();

  // Memory that no longer exists cannot be opened.
  opened.close_unused(0);
  peer.meet();
  EXPECT_EQ(peer.wait(), 0);
  const std::string message = message_of([&] { opened.open(7, second.memory); });
  EXPECT_TRUE(message.starts_with("cuIpcOpenMemHandle of process 7 on GPU 0 failed: CUDA_ERROR_")) << message;
}

// A wait sees only a record that was made before it.
TEST(Ipc, AWaitForAnEventWithoutARecordReturnsAtOnce) {
  const Gpu gpu;
  Peer peer("late owner");
  device::IpcHandle handle{};
  ASSERT_TRUE(peer.receive(handle));
  const device::Event event = device::Event::open(gpu.context, handle);
  gpu.stream.wait(event);
  gpu.stream.synchronize();
  EXPECT_TRUE(event.done());
  peer.meet();
}

TEST(Ipc, TheExportingProcessCannotOpen) {
  const Gpu gpu;
  const device::Owned memory = device::allocate(gpu.context, 100);
  const device::Export exported = device::export_memory(gpu.context, memory.get() + 10);
  EXPECT_EQ(exported.offset, 10U);
  device::OpenedMemory opened(gpu.context);
  const std::string message = message_of([&] { opened.open(0, exported); });
  EXPECT_TRUE(
      message.starts_with("cuIpcOpenMemHandle of process 0 on GPU 0 failed: CUDA_ERROR_INVALID_CONTEXT"))
      << message;
  EXPECT_EQ(opened.size(), 0U);
}

TEST(Ipc, ExportsMemoryOfAGpuOnly) {
  const Gpu gpu;
  const std::vector<int> host(10);
  const device::Owned pinned = device::allocate_pinned(gpu.context, 100);
  for (const void* pointer : {static_cast<const void*>(host.data()), static_cast<const void*>(pinned.get())})
    EXPECT_EQ(message_of([&] { device::export_memory(gpu.context, pointer); }),
              "the pointer leads to host or managed memory; expected memory of a GPU");
  const device::Event here(gpu.context, device::Event::Use::here);
  EXPECT_TRUE(message_of([&] { here.ipc_handle(); }).starts_with("cuIpcGetEventHandle on GPU 0 failed:"));
}

}  // namespace
}  // namespace sortlast
