// The CUDA driver: loading, and the text of its errors.
#include "sortlast/device/driver.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "sortlast/error.hpp"

namespace sortlast::device {
namespace {

struct Remedy {
  int error;
  const char* text;
};

constexpr const char* other_remedy = "run nvidia-smi to see the state of the GPU";
constexpr Remedy remedies[] = {
    {2, "free memory of the GPU, or use a smaller or narrower image"},
    {3, "use GPUs in processes that did not inherit them by fork: start Python processes with 'spawn'"},
    {100, "make a GPU visible: see nvidia-smi and CUDA_VISIBLE_DEVICES"},
    {201, "pass memory of another process, and use each device after a Context of it was made"},
    {217, "use host memory between these two GPUs: they cannot read each other's"},
    {218, "update the NVIDIA driver"},
    {222, "update the NVIDIA driver"},
    {304, "run the processes of a machine in one container, with a common PID namespace"},
    {400, "pass a handle that its process has not released"},
    {700,
     "check that images stay allocated until their frame is complete; this process cannot use the GPU again"},
    {801, "use host memory: this device or its memory pool cannot be shared between processes"},
    {803, "install an NVIDIA driver that fits the loaded kernel module, or restart the machine"},
    {999, other_remedy},
};

const char* remedy_for(int error) {
  for (const Remedy& remedy : remedies)
    if (remedy.error == error) return remedy.text;
  return other_remedy;
}

std::string library_name() {
  const char* const other = std::getenv("SORTLAST_CUDA_DRIVER");
  return other != nullptr && *other != '\0' ? other : "libcuda.so.1";
}

std::string last_load_error() {
  const char* const text = dlerror();
  return text != nullptr ? text : "unknown reason";
}

template <class Function>
void find(void* library, const std::string& file, const std::string& name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name.c_str()));
  if (function == nullptr)
    throw Error("the CUDA driver " + file + " has no function " + name +
                "; it is older than CUDA 11: update the NVIDIA driver, or use images in host memory");
}

}  // namespace

Driver load_driver(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw Error("the CUDA driver cannot be loaded (" + last_load_error() +
                "); install the NVIDIA driver, or use images in host memory");
  Driver driver;
#define SORTLAST_FIND(name, version, parameters) find(handle, library, #name version, driver.name);
  SORTLAST_DRIVER_FUNCTIONS(SORTLAST_FIND)
#undef SORTLAST_FIND
  check(driver, driver.cuInit(0), "cuInit");
  return driver;
}

const Driver& driver() {
  static const Driver loaded = load_driver(library_name());
  return loaded;
}

void check(const Driver& driver, int result, const char* function, const std::string& what) {
  if (result == success) return;
  const char* name = nullptr;
  const char* text = nullptr;
  driver.cuGetErrorName(result, &name);
  driver.cuGetErrorString(result, &text);
  std::string message = function;
  if (!what.empty()) message += " " + what;
  message += " failed: " + (name != nullptr ? std::string(name) : "error " + std::to_string(result));
  if (text != nullptr) message += std::string(" (") + text + ")";
  throw Error(message + "; " + remedy_for(result));
}

void check(int result, const char* function, const std::string& what) {
  if (result != success) check(driver(), result, function, what);
}

}  // namespace sortlast::device
