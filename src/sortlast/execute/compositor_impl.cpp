// What is behind a compositor: set-up, agreement, and how a call is refused or given up.
#include "sortlast/execute/compositor_impl.hpp"

#include <exception>

namespace sortlast {

void Compositor::Impl::set_up(const std::string& found) {
  options_.ring = normalised(options_.ring, size_);
  maker_ = std::make_shared<int>(0);
  Arguments arguments("Compositor");
  arguments.add("algorithm", options_.algorithm);
  arguments.add("ring", options_.ring);
  arguments.add("node_ranks", std::to_string(options_.node_ranks));
  arguments.add("check", options_.check ? "yes" : "no");
  arguments.add("wire", options_.wire == Wire::float16 ? "float16" : "image");
  arguments.add("deadline", options_.deadline ? text(*options_.deadline) : "none");
  const Machine* const machine = std::get_if<Machine>(&options_.profile);
  arguments.add("profile", machine != nullptr ? to_json(*machine) : "by name");
  std::optional<MachineProfile> profile;
  const std::string problem = problem_of([&] {
    if (!found.empty()) throw ArgumentError(found);
    check_options(options_, size_);
    if (machine != nullptr) check_machine(*machine);
    if (rank_ == 0 && uses_profile()) profile = find_profile(options_);
  });
  agree(data_, alarm_, arguments, problem);
  node_ = std::make_unique<Node>(make_node(data_, alarm_, options_.node_ranks));
  if (node_->everybody()) alarm_.mark_in(node_->given_up());
  if (!node_->crowded()) alarm_.sleep_briefly();
  if (*std::max_element(node_->nodes().begin(), node_->nodes().end()) + 1 < size_) nodes_ = node_->nodes();
  if (options_.algorithm != "auto")
    settled([&] { make_schedule(options_.algorithm, setting(0, {}, false)); });
  team_ = Team::sharing(options_.threads > 0 ? options_.threads : node_->cores());
  if (uses_profile()) profile_ = agree_on_profile(data_, alarm_, *node_, profile);
  if (uses_profile() && !node_->everybody()) {
    const Identity self = own_identity();
    Comparison machines(data_, alarm_, "Compositor", self.machine);
    machines.wait();
    if (machines.same()) cores_ = self.most_cores;
  }
  algorithm_ = std::make_unique<AlgorithmChoice>(options_.algorithm, profile_.machine);
  rendezvous_ = std::make_unique<Rendezvous>(data_, alarm_, *node_, leaves_out());
}

std::unique_ptr<CallArrival> Compositor::Impl::arrive(Arguments arguments, const std::string& problem,
                                                      const Offer& offer, bool check) {
  auto arrival = rendezvous_->arrive(
      {std::move(arguments), problem, offer, {survey_.emptiness}, check, {attendance_.frame, deadline_}});
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
    forget_frames();
    throw;
  }
  if (arrival.numbers()) take_numbers(*arrival.numbers());
}

void Compositor::Impl::take_numbers(const Numbers& of_all) { survey_.emptiness = of_all.least; }

void Compositor::Impl::forget_frames() {
  known_.reset();
  algorithm_->forget();
  exchange_.reset();
}

void Compositor::Impl::refuse(const std::string& call, const std::string& problem) {
  const Turn turn(busy_, call);
  check_mpi_is_there(call.c_str());
  deadline_ = options_.deadline.value_or(0);
  guarded([&] { meet(Arguments(call), problem, {}); });
  throw ArgumentError(problem);
}

bool Compositor::Impl::agree_by_name(const std::string& call,
                                     const std::vector<std::pair<std::string, std::string>>& named,
                                     const std::string& problem, bool flag) {
  refuse_if_leaving_out(call.c_str());
  const Turn turn(busy_, call);
  check_mpi_is_there(call.c_str());
  return guarded([&] {
    Arguments arguments(call);
    for (const auto& [name, value] : named) arguments.add(name, value);
    Offer offer;
    offer.flag = flag;
    survey_ = {};
    survey_.emptiness = flag ? 0 : 1;  // of all ranks the least
    constexpr bool check = true;       // the reduction that compares brings the flags too
    meet(arguments, problem, offer, check);
    return node_->everybody() ? node_->flagged() : survey_.emptiness == 0;
  });
}

void Compositor::Impl::listen(double seconds) {
  const Turn turn(busy_, "listen");
  guarded([&] {
    constexpr auto nap = std::chrono::milliseconds(10);
    for (const double end = trace_clock() + seconds; trace_clock() < end; std::this_thread::sleep_for(nap))
      alarm_.join_if_raised([] { return std::string("nobody, it has done its part"); });
  });
}

void Compositor::Impl::use(const std::string& algorithm) {
  if (algorithm == options_.algorithm) return;
  known_.reset();
  if (algorithm != "auto") make_schedule(algorithm, setting(0, {}, false));
  algorithm_ = std::make_unique<AlgorithmChoice>(algorithm, profile_.machine);
  options_.algorithm = algorithm;
}

void Compositor::Impl::give_up(const std::string& cause) noexcept {
  if (broken_) return;
  if (!cause.empty()) alarm_.tell_failure(cause);
  broken_ = true;
  broken_comm_ = data_.abandon();
  try {
    if (own_image_.memory()) keep_for_ever(own_image_.memory());  // messages may still be read from it
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory to note it
  }
}

void Compositor::Impl::give_up_after_mpi_error() {
  const std::string dead = death_behind_error(data_.get());
  give_up(dead.empty() ? cause_of_failure() : dead);
  if (!dead.empty()) throw RankEnded(dead);
  throw;
}

// ---- Going on with the ranks that live ------------------------------------------------------------

namespace {

// The algorithm, without its parameters if they are of another number of ranks.
std::string fitting(const std::string& algorithm, int p) {
  if (algorithm == "auto") return algorithm;
  try {
    make_schedule(algorithm, {p, 0, {}, {}, false, {}});
    return algorithm;
  } catch (const ArgumentError&) {
    return algorithm.substr(0, algorithm.find(':'));
  }
}

// A ring without the ranks that are not among `ranks`, and with their new numbers.
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
  const Turn turn(busy_, "shrink");
  check_mpi_is_there("shrink");
  if (!ranks_outlive_others())
    throw UsageError(
        "shrink: this MPI was not started so that ranks outlive others, which takes ULFM (Open MPI 5: "
        "mpiexec "
        "--with-ft ulfm); make a new compositor, on a communicator of ranks that all live");
  give_up("it calls shrink()");
  while (true) {
    // Make one of those that live now.
    Survivors rest = shrink_communicator(broken_comm_, options_.timeout, options_.interrupt);
    std::unique_ptr<Impl> made;
    std::exception_ptr error;
    try {
      made = make_for(rest);
    } catch (...) {
      error = std::current_exception();
    }

    // All of them have it, or none.
    const Agreed agreed =
        agree_with_survivors(rest.comm, made != nullptr, options_.timeout, options_.interrupt);
    rest.comm.abandon();
    if (agreed.all) return made;
    if (agreed.died) continue;
    if (error) std::rethrow_exception(error);
    throw RemoteError("shrink: another rank could not make its compositor");
  }
}

std::unique_ptr<Compositor::Impl> Compositor::Impl::make_for(const Survivors& rest) const {
  Options options = options_;
  options.algorithm = fitting(options.algorithm, rest.comm.size());
  options.ring = ring_of(options.ring, rest.ranks);
  auto made = std::make_unique<Impl>(rest.comm.get(), options, "", internals_);
  for (std::size_t i = 0; i < rest.ranks.size(); ++i)
    made->origin_[i] = origin_[static_cast<std::size_t>(rest.ranks[i])];
  return made;
}

}  // namespace sortlast
