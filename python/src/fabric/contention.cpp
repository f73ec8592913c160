#include <nanobind/nanobind.h>

namespace sortlast::python {

void bind_contention(nanobind::module_& /*module*/) {}

}  // namespace sortlast::python
