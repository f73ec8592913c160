#include <nanobind/nanobind.h>

namespace sortlast::python {

void bind_routing(nanobind::module_& /*module*/) {}

}  // namespace sortlast::python
