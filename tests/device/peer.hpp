// A second process of a test. It is this program again, because a forked one could not use the GPU.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <string>

namespace sortlast::testing {

// One end of the connection of two processes.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}

  template <class T>
  void send(const T& value) const {
    ASSERT_EQ(::write(socket_, &value, sizeof value), static_cast<ssize_t>(sizeof value));
  }
  // False if the other process has ended.
  template <class T>
  [[nodiscard]] bool receive(T& value) const {
    return ::recv(socket_, &value, sizeof value, MSG_WAITALL) == static_cast<ssize_t>(sizeof value);
  }
  // Meet the other process at this point.
  void meet() const {
    char mark = 'm';
    send(mark);
    ASSERT_TRUE(receive(mark));
  }

 protected:
  int socket_;
};

// What the second process does, by name.
using Role = std::function<void(const Connection&)>;
inline std::map<std::string, Role>& roles() {
  static std::map<std::string, Role> all;
  return all;
}

class Peer : public Connection {
 public:
  explicit Peer(const std::string& role) : Connection(-1) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
    socket_ = ends[0];
    setenv("SORTLAST_PEER", role.c_str(), 1);
    setenv("SORTLAST_PEER_SOCKET", std::to_string(ends[1]).c_str(), 1);
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      execl("/proc/self/exe", "test_device", "--gtest_filter=Peer.DISABLED_Role",
            "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr);
      _exit(127);
    }
    unsetenv("SORTLAST_PEER");
    close(ends[1]);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() {
    if (process_ > 0) {
      EXPECT_EQ(wait(), 0);
    }
    close(socket_);
  }

  // Wait for its end, and return its status.
  int wait() {
    int status = -1;
    waitpid(process_, &status, 0);
    process_ = 0;
    return status;
  }

 private:
  pid_t process_ = 0;
};

}  // namespace sortlast::testing
