// A session with the built program: what is said to it and what it answers, line by line.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace dse::test {

class Conversation {
 public:
  /// Starts `dse` with these arguments. @throws std::runtime_error if that fails.
  explicit Conversation(const std::vector<std::string>& arguments);
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  ~Conversation();

  void say(const std::string& bytes);
  /// The next line without its end; none at the end of its output. @throws std::runtime_error after 60 s of silence.
  std::optional<std::string> hear();
  /// Closes its input.
  void finish();
  void signal(int number) const;
  /// Waits for its end. @returns the exit code. @throws std::runtime_error if it was killed.
  int exit();

 private:
  pid_t child_ = -1;
  int in_ = -1, out_ = -1;
  std::string heard_;
};

}  // namespace dse::test
