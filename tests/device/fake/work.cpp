// Devices, streams, events and kernels of the fake driver.
#include <cstdlib>
#include <cstring>

#include "device/fake/fake.hpp"

namespace fake {

OpaqueStream& stream_of(StreamHandle stream) {
  LOCK;
  if (reinterpret_cast<std::uintptr_t>(stream) > 2) return *stream;
  if (state().default_stream == nullptr) state().default_stream = new OpaqueStream;
  return *state().default_stream;
}

namespace {

using sortlast::device_kernels::BlendArguments;

void run_kernel(const sortlast::testing::HostKernel& kernel, const BlendArguments& arguments,
                std::int64_t threads) {
  bool all = reachable(arguments.plane);
  for (int k = 0; k < arguments.count; ++k) all = all && reachable(arguments.links[k].plane);
  if (!all) {
    state().failed = error_illegal_address;
    return;
  }
  for (std::int64_t thread = 0; thread < threads; ++thread) kernel.run(arguments, thread);
}

void wait_until(const EventPage& page, std::uint64_t record) {
  while (!page.has_reached(record)) usleep(20);
}

}  // namespace

}  // namespace fake

using namespace fake;

// ---- Devices and contexts -------------------------------------------------------------------------

FAKE cuInit(unsigned) {
  LOCK;
  if (const char* const error = std::getenv("SORTLAST_FAKE_CUDA_ERROR")) return std::stoi(error);
  if (state().process == 0) state().process = getpid();
  return not_ready(false);
}

FAKE cuDriverGetVersion(int* version) {
  *version = 12000;
  return success;
}

FAKE cuGetErrorName(int error, const char** name) {
  static const std::map<int, const char*> names{{1, "CUDA_ERROR_INVALID_VALUE"},
                                                {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                {3, "CUDA_ERROR_NOT_INITIALIZED"},
                                                {100, "CUDA_ERROR_NO_DEVICE"},
                                                {101, "CUDA_ERROR_INVALID_DEVICE"},
                                                {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                                {218, "CUDA_ERROR_INVALID_PTX"},
                                                {400, "CUDA_ERROR_INVALID_HANDLE"},
                                                {500, "CUDA_ERROR_NOT_FOUND"},
                                                {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
                                                {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"}};
  const auto found = names.find(error);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end() ? error_invalid_value : success;
}

FAKE cuGetErrorString(int error, const char** text) {
  *text = "of the fake CUDA driver for tests";
  return error == success ? error_invalid_value : success;
}

FAKE cuDeviceGetCount(int* count) {
  *count = devices;
  return not_ready(false);
}

FAKE cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal < 0 || ordinal >= devices ? error_invalid_device : not_ready(false);
}

FAKE cuDeviceGetName(char* name, int bytes, int) {
  std::strncpy(name, "fake GPU for tests, in memory of the host", static_cast<std::size_t>(bytes));
  return not_ready(false);
}

// All are 1, except for the number on the PCI bus.
FAKE cuDeviceGetAttribute(int* value, int attribute, int device) {
  constexpr int pci_device = 34;
  *value = attribute == pci_device ? device : 1;
  return not_ready(false);
}

FAKE cuDevicePrimaryCtxRetain(ContextHandle* context, int device) {
  LOCK;
  *context = &state().contexts[static_cast<std::size_t>(device)];
  ++state().retained[static_cast<std::size_t>(device)];
  return not_ready(false);
}

FAKE cuDevicePrimaryCtxRelease_v2(int device) {
  LOCK;
  int& retained = state().retained[static_cast<std::size_t>(device)];
  return retained-- > 0 ? not_ready(false) : error_invalid_context;
}

FAKE cuCtxPushCurrent_v2(ContextHandle context) {
  if (context == nullptr || state().retained[static_cast<std::size_t>(context->device)] == 0)
    return error_invalid_context;
  if (const int error = not_ready(false); error == error_not_initialized) return error;
  current.push_back(context);
  return success;
}

FAKE cuCtxPopCurrent_v2(ContextHandle* context) {
  if (current.empty()) return error_invalid_context;
  *context = current.back();
  current.pop_back();
  return success;
}

// ---- Streams and events ---------------------------------------------------------------------------

FAKE cuStreamCreate(StreamHandle* stream, unsigned) {
  READY;
  *stream = new OpaqueStream;
  return success;
}

// As with the real driver, the work of the stream goes on.
FAKE cuStreamDestroy_v2(StreamHandle stream) {
  OpaqueStream::end(stream);
  return success;
}

FAKE cuStreamSynchronize(StreamHandle stream) {
  READY;
  stream_of(stream).synchronize();
  return state().failed;
}

FAKE cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  READY;
  const std::uint64_t record = event->page->recorded;
  stream_of(stream).add([page = event->page, record] { wait_until(*page, record); });
  return success;
}

FAKE cuEventCreate(EventHandle* event, unsigned flags) {
  READY;
  LOCK;
  const bool shared = (flags & event_interprocess) != 0;
  if (shared && (flags & event_disable_timing) == 0) return error_invalid_value;
  OpaqueEvent made{nullptr, -1, 0, shared};
  made.page = static_cast<EventPage*>(new_memory(sizeof(EventPage), made.file, made.buffer));
  if (made.page == nullptr) return error_no_memory;
  *event = new OpaqueEvent(made);
  return success;
}

// The page stays mapped, because streams may still wait for it.
FAKE cuEventDestroy_v2(EventHandle event) {
  close(event->file);
  delete event;
  return success;
}

FAKE cuEventRecord(EventHandle event, StreamHandle stream) {
  READY;
  const std::uint64_t record = ++event->page->recorded;
  stream_of(stream).add([page = event->page, record] { page->reach(record); });
  return success;
}

FAKE cuEventSynchronize(EventHandle event) {
  READY;
  wait_until(*event->page, event->page->recorded);
  return state().failed;
}

FAKE cuEventQuery(EventHandle event) {
  READY;
  return event->page->has_reached(event->page->recorded) ? success : error_not_ready;
}

FAKE cuIpcGetEventHandle(IpcHandle* handle, EventHandle event) {
  READY;
  if (!event->shared) return error_invalid_handle;
  *handle = pack_handle({magic, true, getpid(), event->file, event->buffer, sizeof(EventPage)});
  return success;
}

FAKE cuIpcOpenEventHandle(EventHandle* event, IpcHandle packed) {
  READY;
  Handle handle;
  int file = -1;
  if (const int error = open_handle(packed, true, handle, file); error != success) return error;
  auto* const page = static_cast<EventPage*>(map_file(file, sizeof(EventPage)));
  if (page == nullptr) return error_no_memory;
  *event = new OpaqueEvent{page, file, handle.buffer, false};
  return success;
}

// ---- Kernels --------------------------------------------------------------------------------------

FAKE cuModuleLoadDataEx(ModuleHandle* module, const void* image, unsigned count, int* options,
                        void** values) {
  READY;
  const std::string text = static_cast<const char*>(image);
  if (text.starts_with(".version")) {
    *module = new OpaqueModule{text};
    return success;
  }
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == jit_error_log) std::strcpy(static_cast<char*>(values[i]), "fake: no .version");
  return error_invalid_ptx;
}

FAKE cuModuleUnload(ModuleHandle module) {
  delete module;
  return success;
}

FAKE cuModuleGetFunction(FunctionHandle* function, ModuleHandle module, const char* name) {
  READY;
  static std::map<const sortlast::testing::HostKernel*, OpaqueFunction> functions;
  LOCK;
  const auto* const kernel = sortlast::testing::host_kernel(name);
  if (kernel == nullptr || module->text.find(".entry " + std::string(name) + "(") == std::string::npos)
    return error_not_found;
  *function = &functions.try_emplace(kernel, OpaqueFunction{kernel}).first->second;
  return success;
}

FAKE cuLaunchKernel(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                    unsigned block_x, unsigned block_y, unsigned block_z, unsigned, StreamHandle stream,
                    void** parameters, void**) {
  READY;
  const std::uint64_t block = std::uint64_t{block_x} * block_y * block_z;
  const std::uint64_t grid = std::uint64_t{grid_x} * grid_y * grid_z;
  if (block == 0 || block > 1024 || grid == 0 || grid_x > 0x7fffffff) return error_invalid_value;
  const BlendArguments arguments = *static_cast<const BlendArguments*>(parameters[0]);
  stream_of(stream).add(
      [kernel = function->kernel, arguments, threads = static_cast<std::int64_t>(grid * block)] {
        run_kernel(*kernel, arguments, threads);
      });
  return success;
}
