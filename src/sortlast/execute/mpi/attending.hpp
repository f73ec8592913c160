// Attending: how ranks come to frames that do not wait for all of them, and agree on who has come.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sortlast/execute/mpi/agreement.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/node/node.hpp"

namespace sortlast {

// What the ranks of a frame know of it, the same on all of them.
struct Attended {
  Attendance who;      // ranks: none if this rank came too late for the only frame that it would join
  bool agreed = true;  // all ranks brought the same hash
  std::uint64_t emptiness = 0;  // the least of all ranks'
};

// What a rank brings.
struct Coming {
  Offer offer;
  std::uint64_t emptiness = 0;
  Joining joining;
};

class Attending {
 public:
  static constexpr int tags = 4;  // that it uses, up to `last_tag`

  // All must outlive it.
  Attending(const Communicator& comm, const Alarm& alarm, Node& node, int last_tag)
      : comm_(comm), alarm_(alarm), node_(node), last_tag_(last_tag) {}

  // Come to a frame, and wait until it is known who composites it. Its ranks on this node have offered their
  // images then. Throws TimeoutError.
  Attended come(const Coming& mine, const std::string& call);

  // Collective over `ranks`, ascending, this one among them: returns if all passed the same arguments and no
  // problem; else all throw the same, as agree() does. Costs two messages a rank.
  void agree(const std::vector<int>& ranks, Arguments arguments, const std::string& problem) const;

 private:
  struct Message;  // what a rank tells rank 0

  Attended come_in_node(const Coming& mine, const std::string& call);
  Attended come_by_messages(const Coming& mine, const std::string& call);
  Attended lead(const Message& mine, double deadline, const std::string& call);
  Attended follow(const Message& mine, const std::string& call);
  bool take_coming();
  void tell(int rank, const std::vector<std::uint64_t>& what, const std::string& call) const;
  void pass_on(const std::vector<std::uint64_t>& what, const std::vector<int>& ranks,
               const std::string& call) const;

  int come_tag() const { return last_tag_; }
  int told_tag() const { return last_tag_ - 1; }
  int arguments_tag() const { return last_tag_ - 2; }
  int verdict_tag() const { return last_tag_ - 3; }

  const Communicator& comm_;
  const Alarm& alarm_;
  Node& node_;
  int last_tag_;
  // At rank 0.
  std::int64_t last_ = 0;                           // frame
  std::map<int, std::vector<std::uint64_t>> come_;  // to the next frame, by rank
};

}  // namespace sortlast
