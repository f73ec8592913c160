// Measuring a communicator's machine.
#include "sortlast/tune/probe.hpp"

#include <nanobind/nanobind.h>

#include <memory>

#include "communicator.hpp"
#include "signals.hpp"
#include "sortlast/execute/mpi/neighbours.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {
namespace {

// A communicator with its nodes, for several measurements.
class Probe {
 public:
  Probe(MPI_Comm comm, int node_ranks, double timeout)
      : data_(duplicate(comm)),
        control_(duplicate(comm)),
        alarm_(control_, timeout, see_signals),
        node_(make_node(data_, alarm_, node_ranks)) {}

  Machine measure(double seconds) {
    try {
      return probe(data_, alarm_, node_, seconds);
    } catch (...) {
      data_.abandon();
      control_.abandon();
      throw;
    }
  }

 private:
  static Communicator duplicate(MPI_Comm comm) {
    MPI_Comm made = MPI_COMM_NULL;
    check_mpi(MPI_Comm_dup(comm, &made), "MPI_Comm_dup");
    Communicator owned(made);
    check_mpi(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return owned;
  }

  Communicator data_;
  Communicator control_;
  Alarm alarm_;
  Node node_;
};

}  // namespace

void bind_probe(nb::module_& module) {
  nb::class_<Probe>(module, "Probe", "See sortlast.tune.measure.")
      .def(
          "__init__",
          [](Probe* self, std::uintptr_t comm, int nodes, double timeout) {
            const nb::gil_scoped_release release;
            new (self) Probe(communicator(comm), nodes, timeout);
          },
          "comm"_a, "nodes"_a, "timeout"_a)
      .def("measure", &Probe::measure, "seconds"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace sortlast::python
