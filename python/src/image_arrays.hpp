// NumPy arrays of images through the buffer protocol, in a tenth of the time of an nb::ndarray, which matters
// with a thousand images per frame.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>
#include <string_view>

#include "sortlast/image.hpp"

namespace sortlast::python {

// Address of the values of a contiguous array. The array must stay alive.
inline const void* data_of(PyObject* array) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(array, &buffer, PyBUF_C_CONTIGUOUS) != 0) throw nanobind::python_error();
  const void* const data = buffer.buf;
  PyBuffer_Release(&buffer);
  return data;
}

// An array (H, W, C) as an image without depth; nothing if it is not contiguous, or does not have the shape
// or dtype of images. The array must stay alive.
inline std::optional<ImageView> image_of_array(PyObject* array) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(array, &buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  std::optional<ImageView> image;
  const std::string_view type(buffer.format == nullptr ? "" : buffer.format);
  const std::optional<Scalar> scalar = type == "f"   ? std::optional(Scalar::float32)
                                       : type == "e" ? std::optional(Scalar::float16)
                                       : type == "B" ? std::optional(Scalar::uint8)
                                                     : std::nullopt;
  if (scalar && buffer.ndim == 3 && (buffer.shape[2] == 3 || buffer.shape[2] == 4))
    image = ImageView{{static_cast<const std::byte*>(buffer.buf), nullptr},
                      {buffer.shape[1], buffer.shape[0]},
                      {*scalar, static_cast<int>(buffer.shape[2]), false},
                      {}};
  PyBuffer_Release(&buffer);
  return image;
}

}  // namespace sortlast::python
