// Join: several jobs' traffic on one network as one traffic.
//
// A simulator takes one traffic with one discipline. To run jobs of any kind concurrently, disciplines are
// expressed by causes if the jobs differ: repetitions are written out, and a message of an in-order program
// waits for the previous one. If all jobs are in order and share no task, none of this is needed, and each
// runs exactly as it does alone.
#include <algorithm>
#include <map>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {
namespace {

using Message = Traffic::Message;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// A task of a job, as a part of a task of the joined traffic.
struct Part {
  std::size_t job = 0;
  std::int32_t task = 0;
};

// Gives every task of every job a place: a separate task, or the task of the host that it shares.
std::vector<std::vector<Part>> place_tasks(const std::vector<JobTraffic>& jobs, bool share_hosts,
                                           Joined& made) {
  std::vector<std::vector<Part>> parts;
  std::map<std::int32_t, std::int32_t> task_on;  // by host
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const auto& [traffic, hosts] = jobs[j];
    std::map<std::int32_t, std::int32_t> own;  // tasks of this job, by host
    std::vector<std::int32_t>& tasks = made.tasks.emplace_back();
    for (std::int32_t t = 0; t < traffic.tasks; ++t) {
      const std::int32_t host = hosts[at(t)];
      if (share_hosts && !own.emplace(host, t).second) {
        throw ArgumentError("job " + std::to_string(j) + " ('" + traffic.name + "') has tasks " +
                            std::to_string(own[host]) + " and " + std::to_string(t) + " on host " +
                            std::to_string(host) + "; tasks that share a host must be of different jobs");
      }
      const auto next = static_cast<std::int32_t>(parts.size());
      const std::int32_t place = share_hosts ? task_on.emplace(host, next).first->second : next;
      if (place == next) {
        parts.emplace_back();
        made.placement.push_back(host);
      }
      parts[at(place)].push_back({j, t});
      tasks.push_back(place);
    }
  }
  return parts;
}

void check_jobs(const std::vector<JobTraffic>& jobs) {
  if (jobs.empty()) throw ArgumentError("there are no jobs to join");
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    check(jobs[j].traffic);
    if (jobs[j].hosts.size() == at(jobs[j].traffic.tasks)) continue;
    throw ArgumentError("job " + std::to_string(j) + " has " + std::to_string(jobs[j].hosts.size()) +
                        " hosts for " + std::to_string(jobs[j].traffic.tasks) + " tasks");
  }
}

class Joiner {
 public:
  Joiner(const std::vector<JobTraffic>& jobs, bool share_hosts) : jobs_(jobs) {
    parts_ = place_tasks(jobs, share_hosts, made_);
    const auto alone = [](const std::vector<Part>& parts) { return parts.size() == 1; };
    const auto in_order = [](const JobTraffic& job) { return job.traffic.in_order; };
    const auto as_often = [&](const JobTraffic& job) {
      return job.traffic.repeats == jobs.front().traffic.repeats;
    };
    in_order_ =
        std::all_of(parts_.begin(), parts_.end(), alone) && std::all_of(jobs.begin(), jobs.end(), in_order);
    if (in_order_ && std::all_of(jobs.begin(), jobs.end(), as_often)) repeats_ = jobs.front().traffic.repeats;
  }

  Joined join() && {
    number_messages();
    Traffic& traffic = made_.traffic;
    for (const JobTraffic& job : jobs_)
      traffic.name += (traffic.name.empty() ? "" : " + ") + job.traffic.name;
    traffic.tasks = static_cast<std::int32_t>(parts_.size());
    traffic.in_order = in_order_;
    traffic.repeats = repeats_;
    traffic.first.push_back(0);
    traffic.first_cause.push_back(0);
    for (const std::vector<Part>& parts : parts_) {
      for (const Part& part : parts) add(part);
      traffic.first.push_back(static_cast<Message>(traffic.destination.size()));
    }
    check(traffic);
    return std::move(made_);
  }

 private:
  std::int64_t iterations(const Traffic& traffic) const { return traffic.repeats / repeats_; }

  // Numbers all messages, before their causes are known.
  void number_messages() {
    std::int64_t total = 0;
    for (const JobTraffic& job : jobs_) {
      std::int64_t written = 0;
      if (__builtin_mul_overflow(std::int64_t{job.traffic.messages()}, iterations(job.traffic), &written) ||
          __builtin_add_overflow(total, written, &total) || total > INT32_MAX) {
        throw ArgumentError("the jobs have more than 2^31 - 1 messages, repetitions written out");
      }
      number_.emplace_back(at(written));
    }
    Message next = 0;
    for (const std::vector<Part>& parts : parts_) {
      for (const Part& part : parts) {
        for_messages(part, [&](std::int64_t written, Message /*m*/, std::int64_t /*iteration*/) {
          number_[part.job][at(written)] = next++;
        });
      }
    }
  }

  template <class Visit>
  void for_messages(const Part& part, const Visit& visit) const {
    const Traffic& traffic = jobs_[part.job].traffic;
    for (std::int64_t r = 0; r < iterations(traffic); ++r) {
      for (Message m = traffic.first[at(part.task)]; m < traffic.first[at(part.task) + 1]; ++m) {
        visit(r * traffic.messages() + m, m, r);
      }
    }
  }

  // Adds the messages of a task with their causes.
  void add(const Part& part) {
    const Traffic& job = jobs_[part.job].traffic;
    Traffic& traffic = made_.traffic;
    Message before = -1;  // previous message of this task
    for_messages(part, [&](std::int64_t written, Message m, std::int64_t iteration) {
      const Message number = number_[part.job][at(written)];
      traffic.destination.push_back(made_.tasks[part.job][at(job.destination[at(m)])]);
      traffic.size.push_back(job.size[at(m)]);
      const std::size_t begin = traffic.causes.size();
      for (std::int64_t i = job.first_cause[at(m)]; i < job.first_cause[at(m) + 1]; ++i) {
        const Message cause = job.causes[at(i)];
        traffic.causes.push_back(number_[part.job][at(iteration * job.messages() + cause)]);
      }
      const bool named = std::find(traffic.causes.begin() + static_cast<std::ptrdiff_t>(begin),
                                   traffic.causes.end(), before) != traffic.causes.end();
      if (!in_order_ && job.in_order && before >= 0 && !named) traffic.causes.push_back(before);
      traffic.first_cause.push_back(static_cast<std::int64_t>(traffic.causes.size()));
      made_.job.push_back(static_cast<std::int32_t>(part.job));
      before = number;
    });
  }

  const std::vector<JobTraffic>& jobs_;
  Joined made_;
  std::vector<std::vector<Part>> parts_;  // by task of the joined traffic
  bool in_order_ = false;
  std::int64_t repeats_ = 1;
  std::vector<std::vector<Message>> number_;  // by job and message, with repetitions written out
};

}  // namespace

Joined join(const std::vector<JobTraffic>& jobs, bool share_hosts) {
  check_jobs(jobs);
  return Joiner(jobs, share_hosts).join();
}

}  // namespace sortlast::simulate
