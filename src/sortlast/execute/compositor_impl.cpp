// Implementation of Compositor: set-up, agreement, and how calls are rejected or abandoned.
#include "sortlast/execute/compositor_impl.hpp"

#include <exception>

#include "sortlast/execute/mpi/neighbours.hpp"

namespace sortlast {

void Compositor::Impl::set_up(const std::string& found) {
  session_.options.ring = normalised(session_.options.ring, session_.size);
  Arguments arguments("Compositor");
  const Options& options = session_.options;
  arguments.add("algorithm", options.algorithm);
  arguments.add("ring", options.ring);
  arguments.add("node_ranks", std::to_string(options.node_ranks));
  arguments.add("check", options.check ? "yes" : "no");
  arguments.add("wire", options.wire == Wire::float16 ? "float16" : "image");
  arguments.add("deadline", options.deadline ? text(*options.deadline) : "none");
  const Machine* const machine = std::get_if<Machine>(&options.profile);
  arguments.add("profile", machine != nullptr ? to_json(*machine) : "by name");
  std::optional<MachineProfile> profile;
  const std::string problem = problem_of([&] {
    if (!found.empty()) throw ArgumentError(found);
    check_options(options, session_.size);
    if (machine != nullptr) check_machine(*machine);
    if (session_.rank == 0 && uses_profile()) profile = find_profile(options);
  });
  agree(session_.comm, session_.alarm, arguments, problem);
  session_.node =
      std::make_unique<Node>(make_node(session_.comm, session_.alarm, session_.options.node_ranks));
  if (session_.node->everybody()) session_.alarm.mark_in(session_.node->given_up());
  if (!session_.node->crowded()) session_.alarm.sleep_briefly();
  if (*std::max_element(session_.node->nodes().begin(), session_.node->nodes().end()) + 1 < session_.size)
    session_.nodes = session_.node->nodes();
  if (session_.options.algorithm != "auto")
    settled([&] { make_schedule(session_.options.algorithm, session_.setting(0, {}, false)); });
  session_.team =
      Team::sharing(session_.options.threads > 0 ? session_.options.threads : session_.node->cores());
  if (uses_profile())
    images_.profile = agree_on_profile(session_.comm, session_.alarm, *session_.node, profile);
  if (uses_profile() && !session_.node->everybody()) {
    const Identity self = own_identity();
    Comparison machines(session_.comm, session_.alarm, "Compositor", self.machine);
    machines.wait();
    if (machines.same()) images_.cores = self.most_cores;
  }
  images_.algorithm = std::make_unique<AlgorithmChoice>(session_.options.algorithm, images_.profile.machine);
  attendees_.rendezvous =
      std::make_unique<Rendezvous>(session_.comm, session_.alarm, *session_.node, leaves_out());
}

std::unique_ptr<CallArrival> Compositor::Impl::arrive(Arguments arguments, const std::string& problem,
                                                      const Offer& offer, bool check) {
  auto arrival = attendees_.rendezvous->arrive({std::move(arguments),
                                                problem,
                                                offer,
                                                {images_.survey.emptiness},
                                                check,
                                                {attendees_.attendance.frame, attendees_.deadline}});
  if (leaves_out()) take_attendance(*arrival);
  return arrival;
}

void Compositor::Impl::meet(Arguments arguments, const std::string& problem, const Offer& offer, bool check) {
  conclude(*arrive(std::move(arguments), problem, offer, check));
}

void Compositor::Impl::conclude(CallArrival& arrival) {
  try {
    arrival.settle();
  } catch (const MismatchError&) {
    images_.forget();
    devices_.exchange.reset();
    throw;
  }
  if (arrival.numbers()) images_.take_numbers(*arrival.numbers());
}

void Compositor::Impl::refuse(const std::string& call, const std::string& problem) {
  session_.call(call, [&] {
    attendees_.deadline = session_.options.deadline.value_or(0);
    meet(Arguments(call), problem, {});
  });
  throw ArgumentError(problem);
}

bool Compositor::Impl::agree_by_name(const std::string& call,
                                     const std::vector<std::pair<std::string, std::string>>& named,
                                     const std::string& problem, bool flag) {
  refuse_if_leaving_out(call.c_str());
  return session_.call(call, [&] {
    Arguments arguments(call);
    for (const auto& [name, value] : named) arguments.add(name, value);
    Offer offer;
    offer.flag = flag;
    images_.survey = {};
    images_.survey.emptiness = flag ? 0 : 1;  // the minimum over all ranks
    constexpr bool check = true;              // the reduction that compares also carries the flags
    meet(arguments, problem, offer, check);
    return session_.node->everybody() ? session_.node->flagged() : images_.survey.emptiness == 0;
  });
}

void Compositor::Impl::listen(double seconds) {
  const Turn turn(session_.busy, "listen");
  session_.guarded([&] {
    constexpr auto nap = std::chrono::milliseconds(10);
    for (const double end = trace_clock() + seconds; trace_clock() < end; std::this_thread::sleep_for(nap))
      session_.alarm.join_if_raised([] { return std::string("nobody, it has done its part"); });
  });
}

void Compositor::Impl::use(const std::string& algorithm) {
  if (algorithm == session_.options.algorithm) return;
  images_.known.reset();
  if (algorithm != "auto") make_schedule(algorithm, session_.setting(0, {}, false));
  images_.algorithm = std::make_unique<AlgorithmChoice>(algorithm, images_.profile.machine);
  session_.options.algorithm = algorithm;
}

Compositor::Impl::~Impl() {
  bool finished = !session_.broken;
  try {
    if (devices_.gpu && finished) finished = devices_.gpu->finish(session_.alarm.limit());
  } catch (...) {
    finished = false;
  }
  if (finished) return;
  try {
    // Messages, the GPU and other ranks may still be reading.
    const std::shared_ptr<const void> read[] = {own_image_.memory(), devices_.host.memory(), devices_.gpu};
    for (const auto& memory : read)
      if (memory) keep_for_ever(memory);
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory left to record it
  }
}

// ---- Continuing with the surviving ranks ----------------------------------------------------------

namespace {

// The algorithm, without its parameters if they do not fit p ranks.
std::string fitting(const std::string& algorithm, int p) {
  if (algorithm == "auto") return algorithm;
  try {
    make_schedule(algorithm, {p, 0, {}, {}, false, {}});
    return algorithm;
  } catch (const ArgumentError&) {
    return algorithm.substr(0, algorithm.find(':'));
  }
}

// The part of a ring that is in `ranks`, renumbered by position there.
std::vector<std::int32_t> ring_of(const std::vector<std::int32_t>& ring,
                                  const std::vector<std::int32_t>& ranks) {
  std::vector<std::int32_t> rest;
  for (const std::int32_t rank : ring) {
    const auto found = std::find(ranks.begin(), ranks.end(), rank);
    if (found != ranks.end()) rest.push_back(static_cast<std::int32_t>(found - ranks.begin()));
  }
  return rest;
}

}  // namespace

std::unique_ptr<Compositor::Impl> Compositor::Impl::shrink() {
  const Turn turn(session_.busy, "shrink");
  check_mpi_is_there("shrink");
  if (!ranks_outlive_others())
    throw UsageError(
        "shrink: this MPI was not started so that ranks outlive others, which takes ULFM (Open MPI 5: "
        "mpiexec "
        "--with-ft ulfm); make a new compositor, on a communicator of ranks that all live");
  session_.give_up("it calls shrink()");
  while (true) {
    // Make a compositor of the ranks that are alive now.
    Survivors rest =
        shrink_communicator(session_.broken_comm, session_.options.timeout, session_.options.interrupt);
    std::unique_ptr<Impl> made;
    std::exception_ptr error;
    try {
      made = make_for(rest);
    } catch (...) {
      error = std::current_exception();
    }

    // Keep it if every rank has made one; otherwise try again or fail everywhere.
    const Agreed agreed = agree_with_survivors(rest.comm, made != nullptr, session_.options.timeout,
                                               session_.options.interrupt);
    rest.comm.abandon();
    if (agreed.all) return made;
    if (agreed.died) continue;
    if (error) std::rethrow_exception(error);
    throw RemoteError("shrink: another rank could not make its compositor");
  }
}

std::unique_ptr<Compositor::Impl> Compositor::Impl::make_for(const Survivors& rest) const {
  Options options = session_.options;
  options.algorithm = fitting(options.algorithm, rest.comm.size());
  options.ring = ring_of(options.ring, rest.ranks);
  auto made = std::make_unique<Impl>(rest.comm.get(), options, "", internals_);
  for (std::size_t i = 0; i < rest.ranks.size(); ++i)
    made->session_.origin[i] = session_.origin[static_cast<std::size_t>(rest.ranks[i])];
  return made;
}

}  // namespace sortlast
