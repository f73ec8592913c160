// Memory.
#include "sortlast/device/memory.hpp"

#include <array>

#include "sortlast/error.hpp"

namespace sortlast::device {
namespace {

std::string of_bytes(const Context& context, std::size_t bytes) {
  return "of " + std::to_string(bytes) + " bytes " + context.label();
}

}  // namespace

Owned allocate(const Context& context, std::size_t bytes) {
  const Context::Scope scope(context);
  Address made = nullptr;
  check(driver().cuMemAlloc(&made, bytes), "cuMemAlloc", of_bytes(context, bytes));
  return {static_cast<std::byte*>(made),
          [context](std::byte* memory) { context.release([=] { driver().cuMemFree(memory); }); }};
}

Owned allocate_pinned(const Context& context, std::size_t bytes) {
  const Context::Scope scope(context);
  void* made = nullptr;
  check(driver().cuMemAllocHost(&made, bytes), "cuMemAllocHost", of_bytes(context, bytes));
  return {static_cast<std::byte*>(made),
          [context](std::byte* memory) { context.release([=] { driver().cuMemFreeHost(memory); }); }};
}

Owned pin(const Context& context, void* memory, std::size_t bytes) {
  const Context::Scope scope(context);
  check(driver().cuMemHostRegister(memory, bytes, 0), "cuMemHostRegister", of_bytes(context, bytes));
  return {static_cast<std::byte*>(memory),
          [context](std::byte* pinned) { context.release([=] { driver().cuMemHostUnregister(pinned); }); }};
}

void copy(const Stream& stream, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const Context::Scope scope(stream.context());
  check(driver().cuMemcpyAsync(to, from, bytes, stream.handle()), "cuMemcpyAsync",
        of_bytes(stream.context(), bytes));
}

void fill(const Stream& stream, void* to, std::byte value, std::size_t bytes) {
  if (bytes == 0) return;
  const Context::Scope scope(stream.context());
  check(driver().cuMemsetD8Async(to, static_cast<unsigned char>(value), bytes, stream.handle()),
        "cuMemsetD8Async", of_bytes(stream.context(), bytes));
}

Owned zeros(const Context& context, std::size_t bytes) {
  if (bytes == 0) return {};
  Owned memory = allocate(context, bytes);
  const Stream stream(context);
  fill(stream, memory.get(), std::byte{0}, bytes);
  stream.synchronize();
  return memory;
}

PointerInfo inspect(const void* pointer) {
  std::array attributes{attribute_memory_type, attribute_is_managed,  attribute_device_ordinal,
                        attribute_buffer_id,   attribute_range_start, attribute_range_size,
                        attribute_ipc_capable};
  // Values have 1 to 8 bytes; the driver leaves out the ones that a pointer lacks.
  std::array<std::uint64_t, attributes.size()> values{};
  std::array<void*, attributes.size()> places{};
  for (std::size_t i = 0; i < values.size(); ++i) places[i] = &values[i];
  const int result = driver().cuPointerGetAttributes(static_cast<unsigned>(attributes.size()),
                                                     attributes.data(), places.data(), pointer);
  if (result == error_invalid_value || result == error_invalid_context) return {};  // unknown to the driver
  check(result, "cuPointerGetAttributes");

  const auto [type, managed, ordinal, buffer, base, bytes, shareable] = values;
  if (type == 0) return {};
  PointerInfo info;
  info.ordinal = static_cast<std::int32_t>(ordinal);
  if (managed == 0 && type != memory_type_device) {
    info.kind = Kind::pinned;
    return info;
  }
  info.kind = managed != 0 ? Kind::managed : Kind::device;
  info.base = base;
  info.bytes = bytes;
  info.buffer = buffer;
  info.shareable = managed == 0 && shareable != 0;
  return info;
}

int ordinal_of(const void* pointer) {
  const PointerInfo info = inspect(pointer);
  if (info.kind == Kind::host || info.kind == Kind::pinned)
    throw ArgumentError("the image leads to memory of the host; expected memory of a GPU, as its kind says");
  return info.ordinal;
}

}  // namespace sortlast::device
