// Memory of another process: read while that lives, and an error of its own once it has ended.
#include "sortlast/execute/node/process_memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace sortlast {
namespace {

// What a copy of this process, which waits until it is killed, holds in place of `value`.
std::uint64_t read_from(pid_t process, const std::uint64_t& value) {
  std::uint64_t found = 0;
  RemoteCopy span{reinterpret_cast<std::byte*>(&found), reinterpret_cast<std::uint64_t>(&value),
                  sizeof found};
  read_remote(process, {&span, 1});
  return found;
}

TEST(ProcessMemory, OfAProcessThatHasEnded) {
  const std::uint64_t value = 0x736f72746c617374;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    while (true) pause();
  }
  EXPECT_EQ(read_from(child, value), value);

  // Killed, and not yet waited for: a zombie, as a rank is until its launcher has noticed.
  kill(child, SIGKILL);
  siginfo_t how;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT), 0);
  EXPECT_THROW(read_from(child, value), ProcessEnded);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_THROW(read_from(child, value), ProcessEnded);
}

TEST(ProcessMemory, ThatIsNotThereIsAnotherError) {
  RemoteCopy span{reinterpret_cast<std::byte*>(&span), 8, 1};
  try {
    read_remote(this_process(), {&span, 1});
    FAIL() << "address 8 was read";
  } catch (const ProcessEnded& error) {
    FAIL() << error.what();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot read the memory"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace sortlast
