// A pattern on a SimGrid platform: prints the simulated seconds.
//
// Usage: simgrid_pattern PLATFORM FLOWS HOSTS [--cfg=...]
//
// FLOWS has lines "stage times source destination bytes", ordered by stage; `times` is the number of
// consecutive repetitions. Line i of HOSTS is the host of rank i. Ranks proceed to their next stage when
// their own messages have completed, like fabric.pattern_time() with free_running.
#include <simgrid/s4u.hpp>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace {

struct Message {
  std::size_t source, destination;
  double bytes;
};

struct Stage {
  long times = 1;
  std::vector<Message> sends, receives;
};

sg4::Mailbox* mailbox(const Message& message) {
  return sg4::Mailbox::by_name(std::to_string(message.source) + " " + std::to_string(message.destination));
}

void go_through(const std::vector<Stage>* stages) {
  static int payload = 0;
  for (const Stage& stage : *stages) {
    for (long repeat = 0; repeat < stage.times; ++repeat) {
      std::vector<sg4::CommPtr> open;
      std::vector<int*> received(stage.receives.size());
      for (std::size_t i = 0; i < stage.receives.size(); ++i) {
        open.push_back(mailbox(stage.receives[i])->get_async<int>(&received[i]));
      }
      for (const Message& message : stage.sends) {
        open.push_back(mailbox(message)->put_async(&payload, static_cast<std::uint64_t>(message.bytes)));
      }
      for (const sg4::CommPtr& comm : open) comm->wait();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  if (argc != 4) return 2;
  engine.load_platform(argv[1]);
  std::vector<std::string> hosts;
  std::ifstream listed(argv[3]);
  for (std::string line; std::getline(listed, line);) hosts.push_back(line);

  std::vector<std::map<long, Stage>> by_stage(hosts.size());
  std::ifstream flows(argv[2]);
  long stage = 0, times = 0;
  for (Message message{};
       flows >> stage >> times >> message.source >> message.destination >> message.bytes;) {
    for (const bool sends : {true, false}) {
      Stage& own = by_stage[sends ? message.source : message.destination][stage];
      own.times = times;
      (sends ? own.sends : own.receives).push_back(message);
    }
  }
  std::vector<std::vector<Stage>> programs(hosts.size());
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    for (auto& [number, own] : by_stage[rank]) programs[rank].push_back(std::move(own));
    sg4::Actor::create("rank", engine.host_by_name(hosts[rank]), go_through, &programs[rank]);
  }
  engine.run();
  std::printf("%.12g\n", sg4::Engine::get_clock());
}
