// sortlast._core: arrays in the memory of a GPU.
#include "device_array.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include "sortlast/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {
namespace {

using Capsule = nb::ndarray<nb::device::cuda>;
constexpr int cuda = nb::device::cuda::value;

nb::tuple shape_of(const DeviceArray& array) {
  nb::list shape;
  for (const std::size_t extent : array.shape) shape.append(extent);
  return nb::tuple(shape);
}

std::string shown(const nb::object& object) { return nb::cast<std::string>(nb::str(object)); }

nb::object numpy_dtype(Scalar scalar) {
  return nb::module_::import_("numpy").attr("dtype")(std::string(scalar_name(scalar)));
}

device::Stream stream_of(const DeviceArray& array, void* handle) {
  return {device::Context(array.ordinal), static_cast<device::StreamHandle>(handle)};
}

void* handle_of(std::uintptr_t number) {
  return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr)
}

// Work that is added to `second` from now on follows the work in `first`.
void order(const DeviceArray& array, void* first, void* second) {
  if (first == second) return;
  const device::Event event(device::Context(array.ordinal), device::Event::Use::here);
  event.record(stream_of(array, first));
  stream_of(array, second).wait(event);
}

// Memory of somebody else, which a Python object keeps alive.
Memory kept_by(void* data, nb::object owner) {
  auto kept = [owner = std::make_shared<nb::object>(std::move(owner))](std::byte*) mutable {
    const nb::gil_scoped_acquire acquire;
    owner.reset();
  };
  return {static_cast<std::byte*>(data), std::move(kept)};
}

DeviceArray from_address(std::uintptr_t address, const std::vector<std::size_t>& shape,
                         const std::string& scalar, std::uintptr_t stream, nb::object owner) {
  DeviceArray array{{}, handle_of(address), shape, scalar_from_name(scalar), 0, handle_of(stream)};
  array.memory = kept_by(array.data, std::move(owner));
  if (array.bytes() > 0) array.ordinal = device::ordinal_of(array.data);
  return array;
}

// A DLPack capsule: (address, shape, strides in values, name of the dtype).
nb::tuple describe(const Capsule& capsule) {
  nb::list shape;
  nb::list strides;
  for (std::size_t i = 0; i < capsule.ndim(); ++i) {
    shape.append(capsule.shape(i));
    strides.append(capsule.stride(i));
  }
  const nb::dlpack::dtype type = capsule.dtype();
  const auto is = [&](nb::dlpack::dtype_code code) { return type.code == static_cast<std::uint8_t>(code); };
  const std::string name = is(nb::dlpack::dtype_code::Float)  ? "float"
                           : is(nb::dlpack::dtype_code::UInt) ? "uint"
                                                              : "type" + std::to_string(type.code) + "_";
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(capsule.data()), nb::tuple(shape),
                        nb::tuple(strides), name + std::to_string(type.bits));
}

// The protocols number the default stream 1.
std::uintptr_t number_of(void* stream) {
  const auto number = reinterpret_cast<std::uintptr_t>(stream);
  return number == 0 ? 1 : number;
}

nb::dict interface_of(const DeviceArray& array) {
  nb::dict described;
  described["shape"] = shape_of(array);
  described["typestr"] = array.scalar == Scalar::float32   ? "<f4"
                         : array.scalar == Scalar::float16 ? "<f2"
                                                           : "|u1";
  described["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.data), false);
  described["strides"] = nb::none();
  described["version"] = 3;
  described["stream"] = number_of(array.stream);
  return described;
}

// `stream`: as in the array API standard; the consumer's work follows that on the array.
nb::object capsule_of(const DeviceArray& array, std::optional<std::int64_t> stream, const nb::object&,
                      const std::optional<std::pair<int, int>>& device, std::optional<bool> copy) {
  const bool elsewhere = device && *device != std::pair(cuda, array.ordinal);
  if (elsewhere || copy.value_or(false)) {
    PyErr_SetString(PyExc_BufferError,
                    "the array is exchanged where it is; copy_to_host() makes a NumPy array");
    throw nb::python_error();
  }
  if (stream.value_or(1) != -1)
    order(array, array.stream, handle_of(static_cast<std::uintptr_t>(stream.value_or(1))));
  auto* const kept = new Memory(array.memory);
  const nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<Memory*>(pointer); });
  return nb::cast(Capsule(array.data, array.shape.size(), array.shape.data(), owner, nullptr,
                          dtype_of(array.scalar), nb::device::cuda::value, array.ordinal));
}

nb::object to_host(const DeviceArray& array) {
  const std::size_t bytes = array.bytes();
  const Memory memory(new std::byte[bytes + 1], std::default_delete<std::byte[]>());
  {
    const nb::gil_scoped_release release;
    const device::Stream stream = stream_of(array, array.stream);
    device::copy(stream, memory.get(), array.data, bytes);
    stream.synchronize();
  }
  return array_of({memory, Pixels{memory.get(), nullptr}}, memory.get(), dtype_of(array.scalar), array.shape);
}

void from_host(const DeviceArray& array, const nb::object& given) {
  const nb::object values = nb::module_::import_("numpy").attr("ascontiguousarray")(given);
  const nb::object dtype = values.attr("dtype");
  const nb::object shape = values.attr("shape");
  if (!shape.equal(shape_of(array)) || !dtype.equal(numpy_dtype(array.scalar)))
    throw ArgumentError("values are " + shown(dtype) + " " + shown(shape) + "; expected " +
                        std::string(scalar_name(array.scalar)) + " " + shown(shape_of(array)) +
                        ", as the array");
  const auto from = nb::cast<Array>(values);
  const nb::gil_scoped_release release;
  const device::Stream stream = stream_of(array, array.stream);
  device::copy(stream, array.data, from.data(), array.bytes());
  stream.synchronize();
}

std::string text_of(const DeviceArray& array) {
  return "DeviceArray(" + shown(shape_of(array)) + ", " + std::string(scalar_name(array.scalar)) + ", GPU " +
         std::to_string(array.ordinal) + ")";
}

}  // namespace

void bind_device_array(nb::module_& module) {
  nb::class_<DeviceArray> array(
      module, "DeviceArray",
      "An array in the memory of a GPU: of a tile or frame, or made by ``Compositor.allocate``.\n\n"
      "It has no arithmetic. CuPy, PyTorch, numba, JAX, Warp and others use it without a copy, through "
      "DLPack\n"
      "or the CUDA Array Interface: ``cupy.asarray(a)``, ``torch.from_dlpack(a)``. By both protocols, they\n"
      "wait on the GPU until its values are computed. The values are C-contiguous.");
  array.def_prop_ro("shape", &shape_of, nb::sig("def shape(self) -> tuple[int, ...]"), "Extents.")
      .def_prop_ro(
          "ndim", [](const DeviceArray& self) { return self.shape.size(); }, "Number of extents.")
      .def_prop_ro(
          "dtype", [](const DeviceArray& self) { return numpy_dtype(self.scalar); },
          nb::sig("def dtype(self) -> numpy.dtype"), "float32, float16 or uint8.")
      .def_ro("device", &DeviceArray::ordinal, "Number of the GPU in this process.")
      .def_prop_ro(
          "stream", [](const DeviceArray& self) { return reinterpret_cast<std::uintptr_t>(self.stream); },
          "Handle of the CUDA stream on which the values are computed; 0 is the default stream.")
      .def_prop_ro("__cuda_array_interface__", &interface_of)
      .def("__dlpack_device__", [](const DeviceArray& self) { return std::pair(cuda, self.ordinal); })
      .def("__dlpack__", &capsule_of, nb::kw_only(), "stream"_a = nb::none(), "max_version"_a = nb::none(),
           "dl_device"_a = nb::none(), "copy"_a = nb::none(),
           "A DLPack capsule. Work that the consumer adds to ``stream`` follows the computation of the "
           "values: None and 1 are the default stream, 2 is that of the thread, -1 asks for no order. "
           "BufferError if a copy or another device is asked for.")
      .def("copy_to_host", &to_host, nb::sig("def copy_to_host(self) -> numpy.ndarray"),
           "A NumPy array with the values, once they are computed.")
      .def("copy_from_host", &from_host, "values"_a,
           "Replace the values by those of an array of the same shape and dtype. Raises ArgumentError.")
      .def("__repr__", &text_of)
      .def(
          "__array__",
          [](const DeviceArray&, const nb::args&, const nb::kwargs&) -> nb::object {
            throw nb::type_error("the array is in the memory of a GPU; copy_to_host() makes a NumPy array");
          },
          nb::sig("def __array__(self, *args: object, **kwargs: object) -> numpy.ndarray"));
  array.attr("__array_ufunc__") = nb::none();  // NumPy leaves arithmetic alone
  module.def("device_array", &from_address, "address"_a, "shape"_a, "scalar"_a, "stream"_a, "owner"_a,
             "Memory of another library. Raises ArgumentError, Error.");
  module.def(
      "order_streams",
      [](const DeviceArray& array, std::uintptr_t first, std::uintptr_t second) {
        order(array, handle_of(first), handle_of(second));
      },
      "array"_a, "first"_a, "second"_a,
      "Work added to the second stream of the array's GPU follows the work in the first.");
  module.def("describe_capsule", &describe, "capsule"_a,
             "(address, shape, strides in values, dtype) of a DLPack capsule on a GPU.");
}

}  // namespace sortlast::python
