// Memory between processes.
#include "sortlast/device/ipc.hpp"

#include <algorithm>

#include "sortlast/device/memory.hpp"
#include "sortlast/error.hpp"

namespace sortlast::device {

Export export_memory(const Context& context, const void* pointer) {
  const PointerInfo info = inspect(pointer);
  if (info.kind != Kind::device)
    throw ArgumentError("the pointer leads to host or managed memory; expected memory of a GPU");
  if (!info.shareable)
    throw ArgumentError(
        "the GPU memory is of a pool that cannot be shared between processes (cudaMallocAsync, cuMemCreate); "
        "expected "
        "memory of cudaMalloc, as from the default pools of PyTorch and CuPy");
  const Context::Scope scope(context);
  Export exported{{}, info.base, info.buffer, reinterpret_cast<std::uintptr_t>(pointer) - info.base};
  auto* const base = const_cast<std::byte*>(static_cast<const std::byte*>(pointer)) - exported.offset;
  check(driver().cuIpcGetMemHandle(&exported.handle, base), "cuIpcGetMemHandle", context.label());
  return exported;
}

OpenedMemory::~OpenedMemory() { close_unused(0); }

void* OpenedMemory::open(std::int64_t owner, const Export& exported) {
  const auto known = std::find_if(open_.begin(), open_.end(), [&](const Opened& each) {
    return each.owner == owner && each.base == exported.base;
  });
  Opened opened{owner, exported.base, exported.buffer, nullptr};
  if (known != open_.end()) {
    if (known->buffer == exported.buffer)
      opened.address = known->address;
    else
      close(*known);
    open_.erase(known);
  }
  if (opened.address == nullptr) {
    const Context::Scope scope(context_);
    check(driver().cuIpcOpenMemHandle(&opened.address, exported.handle, ipc_lazy_peer_access),
          "cuIpcOpenMemHandle", "of process " + std::to_string(owner) + " " + context_.label());
  }
  open_.push_back(opened);
  return static_cast<std::byte*>(opened.address) + exported.offset;
}

void OpenedMemory::close_unused(std::size_t keep) {
  if (open_.size() <= keep) return;
  const auto kept = open_.end() - static_cast<std::ptrdiff_t>(keep);
  std::for_each(open_.begin(), kept, [this](const Opened& each) { close(each); });
  open_.erase(open_.begin(), kept);
}

void OpenedMemory::close(const Opened& opened) const {
  context_.release([&] { driver().cuIpcCloseMemHandle(opened.address); });
}

}  // namespace sortlast::device
