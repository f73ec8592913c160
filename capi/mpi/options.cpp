// Options from C.
#include <functional>

#include "image.hpp"
#include "mpi/compositor.hpp"

namespace sortlast::capi {
namespace {

constexpr Partition partitions[] = {Partition::contiguous, Partition::interleaved, Partition::automatic};
constexpr Late lates[] = {Late::wait, Late::leave_out};
constexpr LateImage late_images[] = {LateImage::next, LateImage::drop};
constexpr Wire wires[] = {Wire::image, Wire::float16};
static_assert(partitions[SORTLAST_INTERLEAVED] == Partition::interleaved);
static_assert(partitions[SORTLAST_PARTITION_AUTO] == Partition::automatic);
static_assert(lates[SORTLAST_LATE_LEAVE_OUT] == Late::leave_out);
static_assert(late_images[SORTLAST_LATE_IMAGE_DROP] == LateImage::drop);
static_assert(wires[SORTLAST_WIRE_FLOAT16] == Wire::float16);

// Bytes of the first version of each structure: those up to its last member.
constexpr std::size_t first_options =
    offsetof(sortlast_options, check_premultiplied) + sizeof(sortlast_options::check_premultiplied);
constexpr std::size_t first_tune =
    offsetof(sortlast_tune_options, user) + sizeof(sortlast_tune_options::user);
constexpr std::size_t first_machine = offsetof(sortlast_machine, ranks) + sizeof(sortlast_machine::ranks);

// Ranks of a communicator; 0 where Compositor's constructor will say what is wrong with it.
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

Machine machine_of(const sortlast_machine& machine) {
  const sortlast_machine from = read_struct<sortlast_machine>(&machine, SORTLAST_MACHINE_INIT, first_machine,
                                                              "sortlast_machine", "SORTLAST_MACHINE_INIT");
  return {from.alpha,       from.beta, from.node_alpha, from.node_beta, from.gamma_read,
          from.gamma_write, from.copy, from.cores,      from.ranks};
}

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
  to.check_premultiplied = from.check_premultiplied;
  to.threads = from.threads;
  to.sparse = from.sparse;
  to.wire = by_number(wires, from.wire, "wire");
  to.chunk_bytes = from.chunk_bytes;
  to.partition = by_number(partitions, from.partition, "partition");
  to.late = by_number(lates, from.late, "late");
  to.late_image = by_number(late_images, from.late_image, "late_image");
  to.deadline = from.deadline;
  if (from.machine != nullptr) to.machine = machine_of(*from.machine);
  if (from.profile != nullptr) to.profile = from.profile;
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
