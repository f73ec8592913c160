#include <nanobind/nanobind.h>

namespace sortlast::python {

void bind_files(nanobind::module_& /*module*/) {}

}  // namespace sortlast::python
