// Which vertex answers to a LID.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// LIDs of a topology's vertices; and for vertices without one, what a dump that names port GUIDs tells.
class Lids {
 public:
  struct Target {
    Vertex vertex = -1;  // -1: nobody has this LID
    std::int32_t plane = 0;
  };

  explicit Lids(const Topology& topology);

  // Whether every vertex has a LID, so that there is nothing to learn.
  bool complete() const { return complete_; }
  // A dump says that this LID leads to the port with this GUID. Ignored for vertices whose LID is known.
  void learn(std::int32_t lid, std::uint64_t port_guid);

  Target find(std::int32_t lid) const;
  Vertex find_guid(std::uint64_t port_guid) const;  // -1: nobody has it
  std::int32_t planes() const;                      // most LIDs that a host has
  std::int32_t planes(Vertex v) const {
    return static_cast<std::int32_t>(lids_[static_cast<std::size_t>(v)].size());
  }

 private:
  void name_guids(const Topology& topology);

  std::vector<std::vector<std::int32_t>> lids_;  // by vertex, in the order of the planes
  std::vector<bool> known_;                      // by vertex: from the topology
  std::unordered_map<std::int32_t, Target> targets_;
  std::unordered_map<std::uint64_t, Vertex> guids_;
  bool complete_ = true;
};

}  // namespace sortlast::fabric
