#include "tests/cli/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>

namespace dse::test {

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "dse-cli-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
}

Folder::~Folder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::string Folder::write(const std::string& name, const std::string& content) const {
  std::ofstream(path_ / name, std::ios::binary) << content;
  return (path_ / name).string();
}

namespace {

/// `started` gets the process as soon as it runs.
Said run(const std::vector<std::string>& arguments, const std::string& folder,
         const std::function<void(pid_t)>& started) {
  const Folder streams;
  const auto out = streams / "out", err = streams / "err";
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    const int to_out = ::open(out.c_str(), O_CREAT | O_WRONLY, 0600),
              to_err = ::open(err.c_str(), O_CREAT | O_WRONLY, 0600);
    if (to_out < 0 || to_err < 0 || ::dup2(to_out, 1) < 0 || ::dup2(to_err, 2) < 0 || ::chdir(folder.c_str()) != 0)
      ::_exit(127);
    std::vector<std::string> words = {DSE_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (auto& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    ::execv(DSE_PROGRAM, argv.data());
    ::_exit(127);
  }
  if (started) started(child);
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
    throw std::runtime_error("dse was killed or did not start: " + read(err));
  return {WEXITSTATUS(status), read(out), read(err)};
}

}  // namespace

Said dse(const std::vector<std::string>& arguments, const std::string& folder) { return run(arguments, folder, {}); }

Said dse_stopped(const std::vector<std::string>& arguments, int signal, const std::string& file) {
  return run(arguments, ".", [&](pid_t child) {
    for (int tries = 0; !std::filesystem::exists(file) && tries < 20000; ++tries) ::usleep(1000);
    ::kill(child, signal);
  });
}

}  // namespace dse::test
