// Runs the built program and keeps what it said.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace dse::test {

struct Said {
  int exit = -1;
  std::string out, err;
};

/// An empty folder that is removed again.
class Folder {
 public:
  Folder();
  ~Folder();
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  std::string write(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path path_;
};

/// Lines of all ```sh blocks of a page.
std::vector<std::string> shell_lines(const std::string& page);

/// In a child process: becomes `dse` with these arguments, or ends with 127.
[[noreturn]] void exec_dse(const std::vector<std::string>& arguments);

/// Runs `dse` with these arguments in `folder`. @throws std::runtime_error if it cannot be started or is killed.
Said dse(const std::vector<std::string>& arguments, const std::string& folder = ".");

/// Names of all commands, from the help text.
std::vector<std::string> commands();

/// The same for a line of a page, "$ dse run ds-cnn -o out".
Said dse_line(const std::string& line, const std::string& folder);

/// The same in this folder, and sends `signal` as soon as `file` exists (or after 20 s).
Said dse_stopped(const std::vector<std::string>& arguments, int signal, const std::string& file);

/// A `dse` that runs while the test goes on. A process group of its own, so that signals reach it alone; whatever is
/// still alive of it is killed in the end.
class Running {
 public:
  explicit Running(const std::vector<std::string>& arguments, const std::string& folder = ".");
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  int pid() const { return pid_; }
  /// Its worker processes at this moment.
  std::vector<int> workers() const;
  /// Without effect when it has ended.
  void send(int signal) const;
  /// Waits for at most so many seconds. False: it still runs.
  bool ends_within(double seconds);
  /// Waits for the end. `exit` is -1 and `signal` set when a signal ended it.
  Said wait();
  int signal() const { return signal_; }

 private:
  Folder streams_;  // first: the process writes there
  int pid_ = -1, status_ = 0, signal_ = 0;
  bool ended_ = false;
};

/// True when the process is gone, or dead and nobody has asked after it.
bool is_dead(int pid);

std::string read(const std::string& path);

/// The fenced blocks of a language in a page, "docs/run/trace.md", or in one section of it. There is at least one.
/// @throws std::runtime_error if the page has no such section or block.
std::vector<std::string> blocks_of(const std::string& page, const std::string& language,
                                   const std::string& section = {});
/// The lines of the first block of commands and their answers of a page, "docs/run/trace.md".
std::vector<std::string> console_of(const std::string& page, std::size_t block = 0);

/// Compiles the package in a folder and runs its self-test. @returns what went wrong; empty: nothing.
std::string try_package(const std::string& folder);

/// Exports the fastest point of a run in a folder as `package` there, and tries it. @returns the same.
std::string try_fastest(const std::string& run, const std::string& folder);

/// Runs the lines `$ dse ...` of console_of(page) in a folder, one after the other, and expects that all succeed. The
/// other lines, `answers` of them, are expected to be parts of what the command before them says, in this order.
/// @returns what the last command said.
Said expect_page(const std::string& page, int answers, const std::string& folder, std::size_t block = 0);

}  // namespace dse::test
