// The driver, contexts, memory, streams and modules.
#include "sortlast/device/driver.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "device/gpu.hpp"
#include "sortlast/error.hpp"
#include "sortlast/image/device/launch.hpp"

namespace sortlast {
namespace {

using testing::beside_program;
using testing::Gpu;
using testing::message_of;

// ---- Driver ---------------------------------------------------------------------------------------

TEST(Driver, AMissingLibraryIsNamedWithTheRemedy) {
  EXPECT_EQ(message_of([] { device::load_driver("libno-such-cuda.so.1"); }),
            "the CUDA driver cannot be loaded (libno-such-cuda.so.1: cannot open shared object file: No such "
            "file or directory); install the NVIDIA driver, or use images in host memory");
}

TEST(Driver, AMissingFunctionIsNamed) {
  const std::string old = beside_program("libfake_cuda_old.so");
  EXPECT_EQ(message_of([&] { device::load_driver(old); }),
            "the CUDA driver " + old +
                " has no function cuIpcOpenMemHandle_v2; it is older than CUDA 11: update the NVIDIA driver, "
                "or use images in host memory");
}

TEST(Driver, ErrorsNameTheCallTheReasonAndTheRemedy) {
  if (!testing::driver_is_fake) GTEST_SKIP() << "provokes an error in the fake driver";
  setenv("SORTLAST_FAKE_CUDA_ERROR", "100", 1);
  const std::string message = message_of([] { device::load_driver(beside_program("libfake_cuda.so")); });
  unsetenv("SORTLAST_FAKE_CUDA_ERROR");
  EXPECT_EQ(
      message,
      "cuInit failed: CUDA_ERROR_NO_DEVICE (of the fake CUDA driver for tests); make a GPU visible: see "
      "nvidia-smi and CUDA_VISIBLE_DEVICES");
}

TEST(Driver, UnknownErrorsHaveTheirNumber) {
  const std::string message = message_of([] { device::check(12345, "cuMemAlloc", "of 5 bytes"); });
  EXPECT_TRUE(message.starts_with("cuMemAlloc of 5 bytes failed: error 12345")) << message;
  EXPECT_TRUE(message.ends_with("; run nvidia-smi to see the state of the GPU")) << message;
}

TEST(Context, OfAGpuThatDoesNotExist) {
  const std::string number = std::to_string(device::count());
  EXPECT_GE(device::count(), 1);
  const std::string message = message_of([] { const device::Context context(device::count()); });
  EXPECT_TRUE(message.starts_with("cuDeviceGet of GPU " + number + " of " + number +
                                  " failed: CUDA_ERROR_INVALID_DEVICE"))
      << message;
  EXPECT_NE(device::Context(0).name(), "");
}

// ---- Memory ---------------------------------------------------------------------------------------

TEST(Memory, CopiesBetweenAllKinds) {
  const Gpu gpu;
  std::vector<int> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * i);
  const std::size_t bytes = values.size() * sizeof(int);
  const device::Owned a = device::allocate(gpu.context, bytes);
  const device::Owned b = device::allocate(gpu.context, bytes);
  const device::Owned pinned = device::allocate_pinned(gpu.context, bytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.get()) % 256, 0U);

  device::copy(gpu.stream, a.get(), values.data(), bytes);
  device::copy(gpu.stream, b.get(), a.get(), bytes);
  device::fill(gpu.stream, a.get(), std::byte{77}, bytes - 1);
  device::copy(gpu.stream, pinned.get(), b.get(), bytes);
  gpu.stream.synchronize();
  EXPECT_EQ(std::memcmp(pinned.get(), values.data(), bytes), 0);
  const auto filled = gpu.read<unsigned char>(a.get(), bytes);
  EXPECT_EQ(std::count(filled.begin(), filled.end() - 1, 77), static_cast<std::ptrdiff_t>(bytes) - 1);
  EXPECT_EQ(filled.back(), reinterpret_cast<unsigned char*>(values.data())[bytes - 1]);
}

TEST(Memory, PointersAreOfAKind) {
  const Gpu gpu;
  std::vector<std::byte> host(1 << 16);
  const device::Owned memory = device::allocate(gpu.context, 3000);
  const device::Owned pinned = device::allocate_pinned(gpu.context, 3000);
  EXPECT_EQ(device::inspect(host.data()).kind, device::Kind::host);
  EXPECT_EQ(device::inspect(pinned.get() + 7).kind, device::Kind::pinned);
  const device::PointerInfo info = device::inspect(memory.get() + 2999);
  EXPECT_EQ(info.kind, device::Kind::device);
  EXPECT_EQ(info.ordinal, 0);
  EXPECT_EQ(info.base, reinterpret_cast<std::uintptr_t>(memory.get()));
  EXPECT_EQ(info.bytes, 3000U);
  EXPECT_TRUE(info.shareable);
  EXPECT_NE(info.buffer, device::inspect(device::allocate(gpu.context, 3000).get()).buffer);
  {
    const device::Owned registered = device::pin(gpu.context, host.data(), host.size());
    EXPECT_EQ(device::inspect(host.data() + 1).kind, device::Kind::pinned);
    const std::string message = message_of([&] { device::pin(gpu.context, host.data(), host.size()); });
    EXPECT_TRUE(
        message.starts_with("cuMemHostRegister of 65536 bytes on GPU 0 failed: "
                            "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"))
        << message;
  }
  EXPECT_EQ(device::inspect(host.data() + 1).kind, device::Kind::host);
}

TEST(Memory, TooMuchIsAnError) {
  const Gpu gpu;
  const std::string message = message_of([&] { device::allocate(gpu.context, std::size_t{1} << 45); });
  EXPECT_TRUE(
      message.starts_with("cuMemAlloc of 35184372088832 bytes on GPU 0 failed: CUDA_ERROR_OUT_OF_MEMORY ("))
      << message;
  EXPECT_TRUE(message.ends_with("; free memory of the GPU, or use a smaller or narrower image")) << message;
}

// ---- Streams and events ---------------------------------------------------------------------------

TEST(Stream, WaitsForEventsOfOtherStreams) {
  const Gpu gpu;
  const device::Stream other(gpu.context);
  const device::Event event(gpu.context, device::Event::Use::here);
  EXPECT_TRUE(event.done());  // never recorded
  const std::size_t bytes = 1 << 24;
  const device::Owned memory = device::allocate(gpu.context, bytes);
  for (int i = 1; i <= 5; ++i) {
    device::fill(gpu.stream, memory.get(), std::byte(i), bytes);
    event.record(gpu.stream);
    other.wait(event);
    std::byte last{};
    device::copy(other, &last, memory.get() + bytes - 1, 1);
    other.synchronize();
    EXPECT_EQ(last, std::byte(i));
    EXPECT_TRUE(event.done());
  }
  event.synchronize();
  for (std::uintptr_t handle = 0; handle <= 2; ++handle) {
    const device::Stream standard(gpu.context, std::bit_cast<device::StreamHandle>(handle));
    device::fill(standard, memory.get(), std::byte(handle + 7), 4);
    standard.synchronize();
    EXPECT_EQ(gpu.read<std::byte>(memory.get(), 4), std::vector(4, std::byte(handle + 7)));
  }
}

// ---- Modules --------------------------------------------------------------------------------------

TEST(Module, ErrorsNameTheKernelOrTheCompilersText) {
  const Gpu gpu;
  std::string message = message_of([&] { const device::Module module(gpu.context, "this is no PTX"); });
  EXPECT_TRUE(message.starts_with("cuModuleLoadDataEx on GPU 0, with the log \"")) << message;
  EXPECT_NE(message.find("failed: CUDA_ERROR_INVALID_PTX"), std::string::npos) << message;
  const device::Module module(gpu.context, device_kernels_text());
  message = message_of([&] { module.function("sortlast_under_4"); });
  EXPECT_TRUE(
      message.starts_with("cuModuleGetFunction of sortlast_under_4 on GPU 0 failed: CUDA_ERROR_NOT_FOUND"))
      << message;
  const device_kernels::BlendArguments arguments{};
  message = message_of(
      [&] { device::launch(gpu.stream, module.function("sortlast_over_4"), 1, 2048, &arguments); });
  EXPECT_TRUE(message.starts_with("cuLaunchKernel on GPU 0 failed: CUDA_ERROR_INVALID_VALUE")) << message;
}

}  // namespace
}  // namespace sortlast
