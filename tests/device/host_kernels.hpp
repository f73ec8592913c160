// The device kernels, compiled for the host.
#pragma once

#include <string_view>

#include "sortlast/image/device/kernels.hpp"

namespace sortlast::testing {

struct HostKernel {
  std::string_view name;
  void (*run)(const device_kernels::BlendArguments& arguments, std::int64_t thread);
};

namespace rows {
using namespace device_kernels;
#define SORTLAST_ROW(name, ...) HostKernel{"sortlast_" #name, __VA_ARGS__},
inline constexpr HostKernel host_kernels[] = {SORTLAST_DEVICE_KERNELS(SORTLAST_ROW)};
#undef SORTLAST_ROW
}  // namespace rows

// Null for an unknown name.
inline const HostKernel* host_kernel(std::string_view name) {
  for (const HostKernel& each : rows::host_kernels)
    if (each.name == name) return &each;
  return nullptr;
}

}  // namespace sortlast::testing
