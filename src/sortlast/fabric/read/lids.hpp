// Lids: the vertices of a topology by LID and by port GUID, for OpenSM's dumps.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// LIDs of a topology's vertices; for vertices without one, LIDs from a dump that names port GUIDs. LIDs are
// unique only within a subnet, and a file may hold several subnets: the parts of the topology that no cable
// joins.
class Lids {
 public:
  struct Target {
    Vertex vertex = -1;  // -1: no vertex has this LID
    std::int32_t plane = 0;
  };

  explicit Lids(const Topology& topology);

  // Whether every vertex has a LID, so that there is nothing to learn.
  bool complete() const { return complete_; }
  // Records from a dump that a LID leads to the port with this GUID. Ignored for vertices with a known LID.
  void learn(std::int32_t lid, std::uint64_t port_guid);

  // The vertex with a LID in the subnet of `near`; or in any subnet, if only one has it.
  Target find(std::int32_t lid, Vertex near) const;
  Target find(std::int32_t lid) const;
  Vertex find_guid(std::uint64_t port_guid) const;  // -1: no vertex has it
  std::int32_t planes() const;                      // maximum number of LIDs of a host
  std::int32_t planes(Vertex v) const {
    return static_cast<std::int32_t>(lids_[static_cast<std::size_t>(v)].size());
  }

 private:
  void name_guids(const Topology& topology);
  void find_subnets(const Topology& topology);
  void enter(std::int32_t lid, Target target);
  std::uint64_t key(std::int32_t lid, Vertex near) const {
    return std::uint64_t{static_cast<std::uint32_t>(subnet_[static_cast<std::size_t>(near)])} << 32U |
           static_cast<std::uint32_t>(lid);
  }

  std::vector<std::vector<std::int32_t>> lids_;        // by vertex, in the order of the planes
  std::vector<bool> known_;                            // by vertex: from the topology
  std::vector<std::int32_t> subnet_;                   // by vertex
  std::unordered_map<std::uint64_t, Target> targets_;  // by LID and subnet
  std::unordered_map<std::int32_t, Target> anywhere_;  // by LID; vertex -1: several vertices have it
  std::unordered_map<std::uint64_t, Vertex> guids_;
  bool complete_ = true;
};

}  // namespace sortlast::fabric
