// Options from C.
#include <functional>

#include "image.hpp"
#include "mpi/compositor.hpp"

namespace sortlast::capi {
namespace {

constexpr Wire wires[] = {Wire::image, Wire::float16};
static_assert(wires[SORTLAST_WIRE_FLOAT16] == Wire::float16);

// Size of the first version of each structure in bytes, up to its last member.
constexpr std::size_t first_options = offsetof(sortlast_options, user) + sizeof(sortlast_options::user);
constexpr std::size_t first_tune =
    offsetof(sortlast_tune_options, user) + sizeof(sortlast_tune_options::user);
constexpr std::size_t first_machine = offsetof(sortlast_machine, ranks) + sizeof(sortlast_machine::ranks);

// Number of ranks of a communicator; 0 if Compositor's constructor will report an error for it.
std::int32_t size_of(MPI_Comm comm) {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  int size = 0;
  if (initialised != 0 && finalised == 0 && comm != MPI_COMM_NULL) MPI_Comm_size(comm, &size);
  return size;
}

std::function<void()> interrupt_of(int (*interrupt)(void*), void* user) {
  if (interrupt == nullptr) return {};
  return [interrupt, user] {
    const int code = interrupt(user);
    if (code != 0) throw Interrupt(code);
  };
}

}  // namespace

void write_machine(const Machine& machine, sortlast_machine* to) {
  if (to == nullptr) return;
  const sortlast_machine from{sizeof from,       machine.alpha,      machine.beta,        machine.node_alpha,
                              machine.node_beta, machine.gamma_read, machine.gamma_write, machine.copy,
                              machine.cores,     machine.ranks};
  write_struct(to, from, first_machine, "sortlast_machine", "SORTLAST_MACHINE_INIT");
}

Options options_of(const sortlast_options* options, MPI_Comm comm) {
  const sortlast_options from = read_struct<sortlast_options>(options, SORTLAST_OPTIONS_INIT, first_options,
                                                              "sortlast_options", "SORTLAST_OPTIONS_INIT");
  Options to;
  if (from.algorithm != nullptr) to.algorithm = from.algorithm;
  to.ring = ranks_of(from.ring, size_of(comm));
  to.timeout = from.timeout;
  to.node_ranks = from.node_ranks;
  to.check = from.check;
  to.threads = from.threads;
  to.wire = by_number(wires, from.wire, "wire");
  if (from.profile != nullptr) to.profile = from.profile;
  if (from.deadline != 0) to.deadline = from.deadline;
  to.interrupt = interrupt_of(from.interrupt, from.user);
  return to;
}

TuneOptions tune_options_of(const sortlast_tune_options* options) {
  const sortlast_tune_options from = read_struct<sortlast_tune_options>(
      options, SORTLAST_TUNE_OPTIONS_INIT, first_tune, "sortlast_tune_options", "SORTLAST_TUNE_OPTIONS_INIT");
  TuneOptions to;
  to.seconds = from.seconds;
  to.node_ranks = from.node_ranks;
  to.timeout = from.timeout;
  if (from.progress != nullptr) {
    to.progress = [progress = from.progress, user = from.user](int done, int total) {
      progress(user, done, total);
    };
  }
  to.interrupt = interrupt_of(from.interrupt, from.user);
  return to;
}

}  // namespace sortlast::capi
