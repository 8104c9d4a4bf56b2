#include "tests/cli/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
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

void exec_dse(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {DSE_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  ::execv(DSE_PROGRAM, argv.data());
  ::_exit(127);
}

namespace {

int start(const std::vector<std::string>& arguments, const std::string& folder, const Folder& streams) {
  const auto out = streams / "out", err = streams / "err";
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child != 0) return child;
  ::setpgid(0, 0);
  const int to_out = ::open(out.c_str(), O_CREAT | O_WRONLY, 0600),
            to_err = ::open(err.c_str(), O_CREAT | O_WRONLY, 0600);
  if (to_out < 0 || to_err < 0 || ::dup2(to_out, 1) < 0 || ::dup2(to_err, 2) < 0 || ::chdir(folder.c_str()) != 0)
    ::_exit(127);
  exec_dse(arguments);
}

}  // namespace

Running::Running(const std::vector<std::string>& arguments, const std::string& folder)
    : pid_(start(arguments, folder, streams_)) {}

Running::~Running() {
  if (!ended_) ::kill(pid_, SIGKILL), wait();
}

std::vector<int> Running::workers() const {
  const auto id = std::to_string(pid_);
  std::ifstream in("/proc/" + id + "/task/" + id + "/children");
  return {std::istream_iterator<int>(in), {}};
}

void Running::send(int signal) const {
  if (!ended_) ::kill(pid_, signal);
}

bool Running::ends_within(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!ended_ && !(ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_) && std::chrono::steady_clock::now() < end)
    ::usleep(500);
  return ended_;
}

Said Running::wait() {
  if (!ended_ && ::waitpid(pid_, &status_, 0) != pid_) throw std::runtime_error("dse is nobody's child");
  ended_ = true;
  signal_ = WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
  return {WIFEXITED(status_) ? WEXITSTATUS(status_) : -1, read(streams_ / "out"), read(streams_ / "err")};
}

bool is_dead(int pid) {
  const auto stat = read("/proc/" + std::to_string(pid) + "/stat");  // "pid (name) state ..."
  const auto end = stat.rfind(") ");
  return end == std::string::npos || stat[end + 2] == 'Z' || stat[end + 2] == 'X';
}

namespace {

Said ended(Running& program) {
  auto said = program.wait();
  if (program.signal() != 0 || said.exit == 127)
    throw std::runtime_error("dse was killed or did not start: " + said.err);
  return said;
}

}  // namespace

std::vector<std::string> shell_lines(const std::string& document) {
  std::ifstream in(document);
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```"))
      inside = line == "```sh";
    else if (inside)
      lines.push_back(line);
  }
  return lines;
}

Said dse(const std::vector<std::string>& arguments, const std::string& folder) {
  Running program(arguments, folder);
  return ended(program);
}

std::vector<std::string> commands() {
  const auto help = dse({"--help"}).out;
  std::vector<std::string> out;
  std::size_t at = help.find("Subcommands:\n");
  EXPECT_NE(at, std::string::npos) << help;
  for (at = help.find('\n', at) + 1; at < help.size(); at = help.find('\n', at) + 1)
    if (help.compare(at, 2, "  ") == 0 && help[at + 2] != ' ')
      out.push_back(help.substr(at + 2, help.find(' ', at + 2) - at - 2));
  return out;
}

Said dse_line(const std::string& line, const std::string& folder) {
  std::istringstream in(line);
  std::string prompt, program;
  in >> prompt >> program;
  std::vector<std::string> words;
  for (std::string w; in >> w;) words.push_back(w);
  return dse(words, folder);
}

Said dse_stopped(const std::vector<std::string>& arguments, int signal, const std::string& file) {
  Running program(arguments);
  for (int tries = 0; !std::filesystem::exists(file) && tries < 20000; ++tries) ::usleep(1000);
  program.send(signal);
  return ended(program);
}

std::vector<std::string> blocks_of(const std::string& page, const std::string& language, const std::string& section) {
  auto text = read(DSE_SOURCE_DIR "/" + page);
  if (!section.empty()) {
    const auto from = text.find("\n## " + section + "\n");
    if (from == std::string::npos) throw std::runtime_error(page + " has no section " + section);
    text = text.substr(from, text.find("\n## ", from + 4) - from);
  }
  const std::string fence = "```" + language + "\n";
  std::vector<std::string> out;
  for (auto at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
    const auto begin = at + fence.size();
    out.push_back(text.substr(begin, text.find("```", begin) - begin));
  }
  if (out.empty()) throw std::runtime_error(page + " has no block of " + language);
  return out;
}

std::vector<std::string> console_of(const std::string& page, std::size_t block) {
  std::istringstream in(blocks_of(page, "console").at(block));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string try_package(const std::string& folder) {
  const auto command = "cd '" + folder + "' && (cc -std=c99 -O1 *.c -o selftest && ./selftest) > tried 2>&1";
  return std::system(command.c_str()) == 0 ? "" : "the package failed: " + read(folder + "/tried");
}

std::string try_fastest(const std::string& run, const std::string& folder) {
  const auto exported = dse({"export", run, "--point", "fastest", "-o", "package"}, folder);
  return exported.exit == 0 ? try_package(folder + "/package") : "not exported: " + exported.err;
}

Said expect_page(const std::string& page, int answers, const std::string& folder, std::size_t block) {
  Said last;
  int asked = 0;
  std::size_t at = 0;
  for (const auto& line : console_of(page, block)) {
    if (line.rfind("$ dse ", 0) == 0) {
      last = dse_line(line, folder), at = 0;
      EXPECT_EQ(last.exit, 0) << line << "\n" << last.err;
      continue;
    }
    const auto found = last.out.find(line, at);
    ++asked;
    EXPECT_NE(found, std::string::npos) << "not answered: " << line << "\n" << last.out;
    if (found != std::string::npos) at = found + line.size();
  }
  EXPECT_EQ(asked, answers);
  return last;
}

}  // namespace dse::test
