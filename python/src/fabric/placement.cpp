#include <nanobind/nanobind.h>

namespace sortlast::python {

void bind_placement(nanobind::module_& /*module*/) {}

}  // namespace sortlast::python
