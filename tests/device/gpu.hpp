// The driver that the tests use: the fake one beside the program, unless SORTLAST_CUDA_DRIVER names another.
#pragma once

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "sortlast/device/memory.hpp"
#include "sortlast/device/module.hpp"

namespace sortlast::testing {

inline std::string beside_program(const std::string& file) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / file).string();
}

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): before any test
inline const bool driver_is_fake = [] {
  setenv("SORTLAST_CUDA_DRIVER", beside_program("libfake_cuda.so").c_str(), 0);
  return std::string(std::getenv("SORTLAST_CUDA_DRIVER")).ends_with("libfake_cuda.so");
}();

// GPU 0 and a stream of the test.
struct Gpu {
  device::Context context{0};
  device::Stream stream{context};

  // Copies that are complete when they return.
  void write(void* to, const void* from, std::size_t bytes) const {
    device::copy(stream, to, from, bytes);
    stream.synchronize();
  }
  template <class T>
  std::vector<T> read(const void* from, std::size_t count) const {
    std::vector<T> values(count);
    device::copy(stream, values.data(), from, count * sizeof(T));
    stream.synchronize();
    return values;
  }
};

// The message of the exception that a call throws; "" for none.
template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace sortlast::testing
