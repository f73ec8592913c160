#include <nanobind/nanobind.h>

namespace sortlast::python {

void bind_topology(nanobind::module_& /*module*/) {}

}  // namespace sortlast::python
