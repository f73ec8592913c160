// Modules: kernels, compiled for the GPU by the driver from PTX text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sortlast/device/stream.hpp"

namespace sortlast::device {

class Module {
 public:
  // Compile the text, which takes seconds the first time; the driver keeps the result in a cache on disk.
  // Copies share the module. Throws Error with the compiler's text.
  Module(const Context& context, std::string_view ptx);

  // A kernel of the module, valid as long as the module. Throws Error for an unknown name.
  FunctionHandle function(const std::string& name) const;

 private:
  Context context_;
  std::shared_ptr<OpaqueModule> handle_;
};

// Add a launch with a single parameter to the stream: `parameter` is copied before the call returns.
void launch(const Stream& stream, FunctionHandle function, std::uint32_t blocks, std::uint32_t threads,
            const void* parameter);

}  // namespace sortlast::device
