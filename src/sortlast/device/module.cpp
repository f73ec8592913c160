// Modules.
#include "sortlast/device/module.hpp"

#include <array>
#include <bit>

#include "sortlast/error.hpp"

namespace sortlast::device {

Module::Module(const Context& context, std::string_view ptx) : context_(context) {
  const Context::Scope scope(context);
  const std::string text(ptx);  // ends with a null
  std::array<char, 4096> log{};
  std::array options{jit_error_log, jit_error_log_bytes};
  std::array<void*, 2> values{log.data(), std::bit_cast<void*>(log.size() - 1)};
  ModuleHandle made = nullptr;
  const int result = driver().cuModuleLoadDataEx(&made, text.c_str(), static_cast<unsigned>(options.size()),
                                                 options.data(), values.data());
  const std::string said = log.data();
  check(result, "cuModuleLoadDataEx",
        context.label() + (said.empty() ? "" : ", with the log \"" + said + "\","));
  handle_ = {made,
             [context](ModuleHandle module) { context.release([=] { driver().cuModuleUnload(module); }); }};
}

FunctionHandle Module::function(const std::string& name) const {
  const Context::Scope scope(context_);
  FunctionHandle found = nullptr;
  check(driver().cuModuleGetFunction(&found, handle_.get(), name.c_str()), "cuModuleGetFunction",
        "of " + name + " " + context_.label());
  return found;
}

void launch(const Stream& stream, FunctionHandle function, std::uint32_t blocks, std::uint32_t threads,
            const void* parameter) {
  const Context::Scope scope(stream.context());
  // The driver only reads the parameter.
  std::array<void*, 1> parameters{const_cast<void*>(parameter)};
  check(driver().cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream.handle(), parameters.data(),
                                nullptr),
        "cuLaunchKernel", stream.context().label());
}

}  // namespace sortlast::device
