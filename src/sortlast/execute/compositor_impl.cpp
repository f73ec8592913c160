// What is behind a compositor: set-up, agreement, and how a call is refused or given up.
#include "sortlast/execute/compositor_impl.hpp"

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
  arguments.add("chunk_bytes", std::to_string(options_.chunk_bytes));
  arguments.add("partition", std::string(partition_name(options_.partition)));
  arguments.add("late", options_.late == Late::leave_out ? "leave-out" : "wait");
  arguments.add("deadline", text(options_.deadline));
  arguments.add("late_image", options_.late_image == LateImage::drop ? "drop" : "next");
  arguments.add("machine", options_.machine ? to_json(*options_.machine) : "none");
  std::optional<MachineProfile> profile;
  const std::string problem = problem_of([&] {
    if (!found.empty()) throw ArgumentError(found);
    check_options(options_, size_);
    if (options_.machine) check_machine(*options_.machine);
    if (rank_ == 0 && uses_profile()) profile = find_profile(options_);
  });
  agree(data_, alarm_, arguments, problem, compare_by_reduction(data_, alarm_, "Compositor"));
  node_ = std::make_unique<Node>(make_node(data_, alarm_, options_.node_ranks));
  if (node_->everybody()) alarm_.mark_in(node_->given_up());
  if (*std::max_element(node_->nodes().begin(), node_->nodes().end()) + 1 < size_) nodes_ = node_->nodes();
  if (options_.algorithm != "auto") make_schedule(options_.algorithm, setting(0, {}, false));
  team_ = std::make_unique<Team>(options_.threads > 0 ? options_.threads : node_->cores());
  if (uses_profile()) profile_ = agree_on_profile(data_, alarm_, *node_, profile);
  if (uses_profile() && !node_->everybody()) {
    const Identity self = own_identity();
    networked_ = !compare_by_reduction(data_, alarm_, "Compositor")(self.machine);
    if (!networked_) cores_ = self.most_cores;
  }
  algorithm_ = std::make_unique<AlgorithmChoice>(options_.algorithm, profile_.machine);
  if (options_.late == Late::leave_out)
    attending_ = std::make_unique<Attending>(data_, alarm_, *node_, tag_limit_ + Attending::tags);
}

void Compositor::Impl::meet(const Arguments& arguments, const std::string& problem, Offer offer) {
  if (leaves_out()) {
    attend(arguments, problem, offer);
    return;
  }
  const auto in_node = [&](std::uint64_t hash) {
    offer.hash = hash;
    return node_->meet(offer, arguments.call());
  };
  if (node_->everybody()) {
    agree(data_, alarm_, arguments, problem, in_node);
    return;
  }
  if (options_.check) {
    const Compare compare =
        options_.partition == Partition::automatic
            ? compare_with_coverage(data_, alarm_, arguments.call(), survey_.emptiness, survey_.coverage)
            : compare_by_reduction(data_, alarm_, arguments.call(), &survey_.emptiness);
    agree(data_, alarm_, arguments, problem, compare);
  } else if (!problem.empty()) {
    throw ArgumentError(problem);
  }
  if (!node_->alone()) in_node(0);
}

void Compositor::Impl::refuse(const std::string& call, const std::string& problem) {
  const Turn turn(busy_, call);
  check_mpi_is_there(call.c_str());
  deadline_ = options_.deadline;
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
    meet(arguments, problem, offer);
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

void Compositor::Impl::use(const std::string& algorithm, Partition partition) {
  options_.partition = partition;
  if (algorithm == options_.algorithm) return;
  if (algorithm != "auto") make_schedule(algorithm, setting(0, {}, false));
  algorithm_ = std::make_unique<AlgorithmChoice>(algorithm, profile_.machine);
  options_.algorithm = algorithm;
}

void Compositor::Impl::give_up(const std::string& cause) noexcept {
  if (broken_) return;
  if (!cause.empty()) alarm_.tell_failure(cause);
  broken_ = true;
  data_.abandon();
  straight_.keep_for_ever();
  box_memory_.keep_for_ever();
}

}  // namespace sortlast
