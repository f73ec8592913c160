// The CUDA driver, loaded when a device is used for the first time. sortlast is built without CUDA: the types
// below are the driver's binary interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sortlast::device {

using Address = void*;  // CUdeviceptr, an integer of the same size that is passed in the same way
using ContextHandle = struct OpaqueContext*;
using StreamHandle = struct OpaqueStream*;
using EventHandle = struct OpaqueEvent*;
using ModuleHandle = struct OpaqueModule*;
using FunctionHandle = struct OpaqueFunction*;

// What names memory or an event of this process in another process of the machine: bytes to be sent as they
// are.
struct IpcHandle {
  char bytes[64];
};

// Values of the driver's enumerations (cuda.h).
inline constexpr int success = 0;
inline constexpr int error_invalid_value = 1;
inline constexpr int error_invalid_context = 201;
inline constexpr int error_not_ready = 600;
inline constexpr int attribute_memory_type = 2;  // CUpointer_attribute
inline constexpr int attribute_buffer_id = 7;
inline constexpr int attribute_is_managed = 8;
inline constexpr int attribute_device_ordinal = 9;
inline constexpr int attribute_ipc_capable = 10;
inline constexpr int attribute_range_start = 11;
inline constexpr int attribute_range_size = 12;
inline constexpr unsigned memory_type_device = 2;  // CUmemorytype
inline constexpr unsigned stream_non_blocking = 1;
inline constexpr unsigned event_disable_timing = 2;
inline constexpr unsigned event_interprocess = 4;
inline constexpr unsigned ipc_lazy_peer_access = 1;
inline constexpr int jit_error_log = 5;  // CUjit_option
inline constexpr int jit_error_log_bytes = 6;

// The functions in use: name, version of its binary interface, parameters. All return 0 or an error.
#define SORTLAST_DRIVER_FUNCTIONS(F)                                                                    \
  F(cuInit, "", (unsigned flags))                                                                       \
  F(cuDriverGetVersion, "", (int* version))                                                             \
  F(cuGetErrorName, "", (int error, const char** name))                                                 \
  F(cuGetErrorString, "", (int error, const char** text))                                               \
  F(cuDeviceGetCount, "", (int* count))                                                                 \
  F(cuDeviceGet, "", (int* device, int ordinal))                                                        \
  F(cuDeviceGetName, "", (char* name, int bytes, int device))                                           \
  F(cuDeviceGetAttribute, "", (int* value, int attribute, int device))                                  \
  F(cuDevicePrimaryCtxRetain, "", (ContextHandle * context, int device))                                \
  F(cuDevicePrimaryCtxRelease, "_v2", (int device))                                                     \
  F(cuCtxPushCurrent, "_v2", (ContextHandle context))                                                   \
  F(cuCtxPopCurrent, "_v2", (ContextHandle * context))                                                  \
  F(cuMemAlloc, "_v2", (Address * address, std::size_t bytes))                                          \
  F(cuMemFree, "_v2", (Address address))                                                                \
  F(cuMemAllocHost, "_v2", (void** memory, std::size_t bytes))                                          \
  F(cuMemFreeHost, "", (void* memory))                                                                  \
  F(cuMemHostRegister, "_v2", (void* memory, std::size_t bytes, unsigned flags))                        \
  F(cuMemHostUnregister, "", (void* memory))                                                            \
  F(cuMemcpyAsync, "", (Address to, const void* from, std::size_t bytes, StreamHandle stream))          \
  F(cuMemsetD8Async, "", (Address to, unsigned char value, std::size_t bytes, StreamHandle stream))     \
  F(cuPointerGetAttributes, "", (unsigned count, int* attributes, void** values, const void* address))  \
  F(cuStreamCreate, "", (StreamHandle * stream, unsigned flags))                                        \
  F(cuStreamDestroy, "_v2", (StreamHandle stream))                                                      \
  F(cuStreamSynchronize, "", (StreamHandle stream))                                                     \
  F(cuStreamWaitEvent, "", (StreamHandle stream, EventHandle event, unsigned flags))                    \
  F(cuEventCreate, "", (EventHandle * event, unsigned flags))                                           \
  F(cuEventDestroy, "_v2", (EventHandle event))                                                         \
  F(cuEventRecord, "", (EventHandle event, StreamHandle stream))                                        \
  F(cuEventSynchronize, "", (EventHandle event))                                                        \
  F(cuEventQuery, "", (EventHandle event))                                                              \
  F(cuIpcGetMemHandle, "", (IpcHandle * handle, Address address))                                       \
  F(cuIpcOpenMemHandle, "_v2", (Address * address, IpcHandle handle, unsigned flags))                   \
  F(cuIpcCloseMemHandle, "", (Address address))                                                         \
  F(cuIpcGetEventHandle, "", (IpcHandle * handle, EventHandle event))                                   \
  F(cuIpcOpenEventHandle, "", (EventHandle * event, IpcHandle handle))                                  \
  F(cuModuleLoadDataEx, "",                                                                             \
    (ModuleHandle * module, const void* image, unsigned count, int* options, void** values))            \
  F(cuModuleUnload, "", (ModuleHandle module))                                                          \
  F(cuModuleGetFunction, "", (FunctionHandle * function, ModuleHandle module, const char* name))        \
  F(cuLaunchKernel, "",                                                                                 \
    (FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,      \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, StreamHandle stream, void** parameters, \
     void** extra))

// The driver's functions, as members of the same names.
struct Driver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration
#define SORTLAST_DRIVER_MEMBER(name, version, parameters) int(*name) parameters = nullptr;
  SORTLAST_DRIVER_FUNCTIONS(SORTLAST_DRIVER_MEMBER)
#undef SORTLAST_DRIVER_MEMBER
};

// The driver of this process, loaded and initialized by the first call, from libcuda.so.1; the environment
// variable SORTLAST_CUDA_DRIVER names another library, for tests. Throws Error if there is none or it is too
// old, and again at every call.
const Driver& driver();

// Load and initialize the driver from a library, which stays loaded. Throws Error.
Driver load_driver(const std::string& library);

// Throw Error for the result of a driver function, unless it is 0. `what` completes the sentence "cuMemAlloc
// WHAT failed", for example "of 64 bytes on GPU 0".
void check(int result, const char* function, const std::string& what = "");
void check(const Driver& driver, int result, const char* function, const std::string& what = "");

}  // namespace sortlast::device
