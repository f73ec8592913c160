// Context: the primary context of a GPU, in which its memory, streams and modules live. CUDA's runtime, and
// with it PyTorch and CuPy, uses the same one.
#pragma once

#include <memory>
#include <string>

#include "sortlast/device/driver.hpp"

namespace sortlast::device {

// Number of GPUs that this process may use. Throws Error without a driver.
int count();

class Context {
 public:
  // Of GPU `ordinal`, as CUDA counts them in this process. Throws Error, also for a number that is too large.
  explicit Context(int ordinal);

  int ordinal() const { return state_->ordinal; }
  std::string name() const;                                                    // "NVIDIA H100 80GB HBM3"
  int attribute(int attribute) const;                                          // a CUdevice_attribute
  std::string label() const { return "on GPU " + std::to_string(ordinal()); }  // for messages

  // Makes the context current in the calling thread, as long as it exists.
  class Scope {
   public:
    explicit Scope(const Context& context);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

  // Call release() in the context, for destructors: does nothing where the driver cannot be used any more, as
  // at the end of the process or in a forked one.
  template <class Release>
  void release(const Release& release) const noexcept {
    if (driver().cuCtxPushCurrent(state_->handle) != success) return;
    release();
    ContextHandle popped = nullptr;
    driver().cuCtxPopCurrent(&popped);
  }

 private:
  struct State {
    int ordinal = 0;
    int device = 0;
    ContextHandle handle = nullptr;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State();
  };

  std::shared_ptr<State> state_;  // shared by the objects in it
};

}  // namespace sortlast::device
