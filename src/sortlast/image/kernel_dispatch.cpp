// Kernel dispatch: selects an instruction set at run time.
#include "sortlast/image/kernels/dispatch.hpp"

#include <atomic>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {
namespace {

struct Target {
  const char* name;
  bool runs_here;
  const Kernels& (*kernels)();
};

// Best first. The tested features are the ones that all versions of GCC and Clang know by name; no processor
// has them without the rest of its x86-64 level.
const std::vector<Target>& targets() {
  static const std::vector<Target> all{
#ifdef SORTLAST_X86_64_LEVELS
      {"x86-64-v4",
       __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl"),
       x86_64_v4::kernels},
      {"x86-64-v3",
       __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma"),
       x86_64_v3::kernels},
#endif
      {"baseline", true, baseline::kernels}};
  return all;
}

const Kernels& best_kernels() {
  for (const Target& target : targets())
    if (target.runs_here) return target.kernels();
  return baseline::kernels();
}

std::atomic<const Kernels*>& chosen() {
  static std::atomic<const Kernels*> kernels{&best_kernels()};
  return kernels;
}

}  // namespace

const Kernels& active_kernels() { return *chosen().load(std::memory_order_relaxed); }

std::vector<std::string> kernel_targets() {
  std::vector<std::string> names;
  for (const Target& target : targets())
    if (target.runs_here) names.emplace_back(target.name);
  return names;
}

void use_target(const std::string& name) {
  for (const Target& target : targets())
    if (target.runs_here && name == target.name) {
      chosen().store(&target.kernels(), std::memory_order_relaxed);
      return;
    }
  std::string known;
  for (const std::string& each : kernel_targets()) known += (known.empty() ? "" : ", ") + each;
  throw ArgumentError("no kernels for '" + name + "' on this processor: use one of " + known);
}

}  // namespace sortlast
