// Context.
#include "sortlast/device/context.hpp"

#include <array>

namespace sortlast::device {

int count() {
  int devices = 0;
  check(driver().cuDeviceGetCount(&devices), "cuDeviceGetCount");
  return devices;
}

Context::State::~State() {
  if (handle != nullptr) driver().cuDevicePrimaryCtxRelease(device);
}

Context::Context(int ordinal) : state_(std::make_shared<State>()) {
  state_->ordinal = ordinal;
  check(driver().cuDeviceGet(&state_->device, ordinal), "cuDeviceGet",
        "of GPU " + std::to_string(ordinal) + " of " + std::to_string(count()));
  check(driver().cuDevicePrimaryCtxRetain(&state_->handle, state_->device), "cuDevicePrimaryCtxRetain",
        label());
}

std::string Context::name() const {
  std::array<char, 256> text{};
  check(driver().cuDeviceGetName(text.data(), static_cast<int>(text.size()) - 1, state_->device),
        "cuDeviceGetName", label());
  return text.data();
}

int Context::attribute(int attribute) const {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, attribute, state_->device), "cuDeviceGetAttribute", label());
  return value;
}

Context::Scope::Scope(const Context& context) {
  check(driver().cuCtxPushCurrent(context.state_->handle), "cuCtxPushCurrent", context.label());
}

Context::Scope::~Scope() {
  ContextHandle popped = nullptr;
  driver().cuCtxPopCurrent(&popped);
}

}  // namespace sortlast::device
