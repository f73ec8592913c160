// Jobs: the participating hosts and their order.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "sortlast/fabric/placement.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

namespace {

using Release = nb::call_guard<nb::gil_scoped_release>;

}  // namespace

void bind_placement(nb::module_& module) {
  using Hosts = std::vector<std::int32_t>;
  module.def("compute_hosts", &fabric::compute_hosts, "topology"_a, Release(),
             "Numbers of the hosts that jobs run on: the hosts on leaf switches, without aggregation nodes.");
  module.def(
      "order_hosts", &fabric::order_hosts, "topology"_a, "order"_a, "hosts"_a = Hosts{}, "seed"_a = 1,
      "compute"_a = Hosts{}, Release(),
      "Hosts (by default all) in an order: 'routing', 'routing-dummies', 'listed', 'alphabetical', 'natural' "
      "or 'random'. A dummy is -1. compute: hosts that routing balances for; none: compute_hosts(). Raises "
      "ArgumentError for an unknown order, or a host that does not exist or occurs twice.");
  module.def("host_orders", &fabric::host_orders, "Names of the orders.");
  module.def(
      "allocate_hosts", &fabric::allocate_hosts, "topology"_a, "scheduler"_a, "n"_a, "free"_a = Hosts{},
      "seed"_a = 1, Release(),
      "The n hosts that a scheduler ('contiguous', 'random' or 'leaf') assigns to a job from the free hosts "
      "(none given: compute_hosts()), in routing order. Raises ArgumentError if there are too few.");
  module.def("schedulers", &fabric::schedulers, "Names of the schedulers.");
  module.def("find_hosts", &fabric::find_hosts, "topology"_a, "names"_a, Release(),
             "Numbers of hosts by name, by the part of their name before the first space, or by GUID in hex. "
             "Raises ArgumentError with the unknown names and similar known ones.");
  module.def("block_mapping", &fabric::block_mapping, "grid"_a, "block"_a, Release(),
             "Hosts of a mesh or torus block by block, x fastest within and among blocks.");
}

}  // namespace sortlast::python
