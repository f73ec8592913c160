// Memory of the fake driver, and memory of other processes.
#include <fcntl.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "device/fake/fake.hpp"

namespace fake {

std::map<std::uintptr_t, Allocation>::iterator find_allocation(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  auto& all = state().allocations;
  auto next = all.upper_bound(address);
  if (next == all.begin()) return all.end();
  --next;
  return address < next->first + next->second.bytes ? next : all.end();
}

bool reachable(const void* pointer) {
  LOCK;
  return find_allocation(pointer) != state().allocations.end();
}

namespace {

std::string name_of(pid_t process, std::uint64_t buffer) {
  return "fake-cuda-" + std::to_string(process) + "-" + std::to_string(buffer);
}

}  // namespace

void* map_file(int file, std::size_t bytes) {
  if (file < 0) return nullptr;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) return memory;
  close(file);
  return nullptr;
}

void* new_memory(std::size_t bytes, int& file, std::uint64_t& buffer) {
  buffer = ++state().buffers;
  file = memfd_create(name_of(getpid(), buffer).c_str(), MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) != 0) return nullptr;
  return map_file(file, bytes);
}

IpcHandle pack_handle(const Handle& handle) {
  IpcHandle packed{};
  std::memcpy(packed.bytes, &handle, sizeof handle);
  return packed;
}

int open_handle(const IpcHandle& packed, bool event, Handle& handle, int& file) {
  std::memcpy(&handle, packed.bytes, sizeof handle);
  if (handle.magic != magic || handle.event != event) return error_invalid_handle;
  if (handle.process == getpid()) return error_invalid_context;
  const std::string link = "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
  std::array<char, 128> name{};
  if (readlink(link.c_str(), name.data(), name.size() - 1) < 0) return error_invalid_handle;
  if (name.data() != "/memfd:" + name_of(handle.process, handle.buffer) + " (deleted)")
    return error_invalid_handle;
  file = open(link.c_str(), O_RDWR | O_CLOEXEC);
  return file < 0 ? error_invalid_handle : success;
}

namespace {

int make_memory(void** memory, std::size_t bytes, Origin origin) {
  LOCK;
  if (bytes == 0) return error_invalid_value;
  if (bytes > device_bytes) return error_no_memory;
  Allocation made{nullptr, bytes, 0, origin, current.back()->device, -1};
  made.at = *memory = new_memory(bytes, made.file, made.buffer);
  if (*memory == nullptr) return error_no_memory;
  state().allocations[reinterpret_cast<std::uintptr_t>(*memory)] = made;
  return success;
}

int free_memory(Address address, Origin origin, int otherwise) {
  LOCK;
  const auto found = state().allocations.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == state().allocations.end() || found->second.origin != origin) return otherwise;
  if (origin == Origin::opened && --found->second.opened > 0) return success;
  if (origin != Origin::registered) munmap(address, found->second.bytes);
  if (found->second.file >= 0) close(found->second.file);
  state().allocations.erase(found);
  return success;
}

}  // namespace

}  // namespace fake

using namespace fake;

// ---- Memory ---------------------------------------------------------------------------------------

FAKE cuMemAlloc_v2(Address* address, std::size_t bytes) {
  READY;
  const int error = make_memory(address, bytes, Origin::device);
  if (error == success && std::getenv("SORTLAST_FAKE_CUDA_POOL") != nullptr) {
    LOCK;
    find_allocation(*address)->second.pooled = true;
  }
  return error;
}

FAKE cuMemFree_v2(Address address) {
  READY;
  return free_memory(address, Origin::device, error_invalid_value);
}

FAKE cuMemAllocHost_v2(void** memory, std::size_t bytes) {
  READY;
  return make_memory(memory, bytes, Origin::pinned);
}

FAKE cuMemFreeHost(void* memory) {
  READY;
  return free_memory(memory, Origin::pinned, error_invalid_value);
}

FAKE cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned) {
  READY;
  LOCK;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (memory == nullptr || bytes == 0) return error_invalid_value;
  const auto next = state().allocations.lower_bound(address);
  if (reachable(memory) || (next != state().allocations.end() && next->first < address + bytes))
    return error_already_registered;
  state().allocations[address] = {
      memory, bytes, ++state().buffers, Origin::registered, current.back()->device, -1};
  return success;
}

FAKE cuMemHostUnregister(void* memory) {
  READY;
  return free_memory(memory, Origin::registered, error_not_registered);
}

FAKE cuMemcpyAsync(Address to, const void* from, std::size_t bytes, StreamHandle stream) {
  READY;
  stream_of(stream).add([=] { std::memcpy(to, from, bytes); });
  return success;
}

FAKE cuMemsetD8Async(Address to, unsigned char value, std::size_t bytes, StreamHandle stream) {
  READY;
  if (!reachable(to)) return error_invalid_value;
  stream_of(stream).add([=] { std::memset(to, value, bytes); });
  return success;
}

// Values are as wide as the driver's. A pointer that it does not know leaves all of them 0.
FAKE cuPointerGetAttributes(unsigned count, int* attributes, void** values, const void* address) {
  if (const int error = not_ready(false); error != success) return error;
  LOCK;
  const auto found = find_allocation(address);
  const bool known = found != state().allocations.end();
  const Allocation none{};
  const Allocation& memory = known ? found->second : none;
  const bool device = known && (memory.origin == Origin::device || memory.origin == Origin::opened);
  const auto put = [](void* to, auto value) { std::memcpy(to, &value, sizeof value); };
  for (unsigned i = 0; i < count; ++i) switch (attributes[i]) {
      case attribute_memory_type:
        put(values[i], device ? memory_type_device : unsigned{known});
        break;
      case attribute_is_managed:
        put(values[i], unsigned{0});
        break;
      case attribute_device_ordinal:
        put(values[i], known ? memory.device : -2);
        break;
      case attribute_buffer_id:
        put(values[i], memory.buffer);
        break;
      case attribute_range_start:
        put(values[i], known ? found->first : std::uintptr_t{0});
        break;
      case attribute_range_size:
        put(values[i], memory.bytes);
        break;
      case attribute_ipc_capable:
        put(values[i], device && !memory.pooled);
        break;
      default:
        return error_invalid_value;
    }
  return success;
}

// ---- Other processes ------------------------------------------------------------------------------

FAKE cuIpcGetMemHandle(IpcHandle* handle, Address address) {
  READY;
  LOCK;
  const auto found = find_allocation(address);
  if (found == state().allocations.end() || found->second.origin != Origin::device ||
      found->second.at != address)
    return error_invalid_value;
  const Allocation& memory = found->second;
  *handle = pack_handle({magic, false, getpid(), memory.file, memory.buffer, memory.bytes});
  return success;
}

#ifndef FAKE_CUDA_OLD
FAKE cuIpcOpenMemHandle_v2(Address* address, IpcHandle packed, unsigned) {
  READY;
  LOCK;
  for (auto& [base, memory] : state().allocations) {
    Handle handle;
    std::memcpy(&handle, packed.bytes, sizeof handle);
    if (memory.origin != Origin::opened || memory.source != handle.buffer ||
        memory.exporter != handle.process)
      continue;
    ++memory.opened;
    *address = memory.at;
    return success;
  }
  if (std::getenv("SORTLAST_FAKE_CUDA_ALONE") != nullptr) return error_invalid_context;
  Handle handle;
  int file = -1;
  if (const int error = open_handle(packed, false, handle, file); error != success) return error;
  void* const memory = map_file(file, handle.bytes);
  if (memory == nullptr) return error_no_memory;
  *address = memory;
  state().allocations[reinterpret_cast<std::uintptr_t>(memory)] = {
      memory, handle.bytes,  ++state().buffers, Origin::opened, current.back()->device, file,
      1,      handle.buffer, handle.process};
  return success;
}
#endif

FAKE cuIpcCloseMemHandle(Address address) {
  READY;
  return free_memory(address, Origin::opened, error_invalid_value);
}
