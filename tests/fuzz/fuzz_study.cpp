// A study whose bytes were changed: refused with an error or read and written, never a crash. The input is a list of
// changes to a small study: three bytes of place and one of value each; or, after a zero, a whole file.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "explore/study/study.h"
#include "explore/study/study_reader.h"

namespace {

using namespace dse::explore;

/// In memory where there is such a place: every run writes the file.
std::string file() {
  static const std::string path =
      (std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path().string()) +
      ("/fuzz-study-" + std::to_string(::getpid()) + ".sqlite");
  return path;
}

void remove_all() {
  for (const char* rest : {"", "-journal", "-wal", "-shm", ".lock"}) std::filesystem::remove(file() + rest);
}

Subject subject_of(int i) { return {"layer", std::to_string(i), "d", "n", "l", "device", 1000}; }

void use() {
  Study study(file(), {"1", 1, "fuzz", {{"a", "b"}}});
  for (int s = 0; s < 3; ++s) {
    const int subject = study.subject(subject_of(s));
    study.candidates(subject);
    study.result(subject, "q");
    for (int i = 0; i < 30; ++i) {
      Candidate c;
      c.assignment = "tile=" + std::to_string(i * 7 % 31) + " scheme=planar";
      c.costs[kTicks] = i, c.memory = 2 * i, c.reason = i % 5 ? "" : std::string(40, 'r');
      study.put(subject, c);
    }
    study.finish(subject, "q", "{}");
  }
  study.flush();
}

const std::string& base() {
  static const std::string bytes = [] {
    remove_all();
    use();
    std::ifstream in(file(), std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  }();
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto bytes = base();
  if (size > 0 && data[0] == 0) {
    bytes.assign(data + 1, data + size);
  } else {
    for (std::size_t i = 0; i + 4 <= size; i += 4)
      bytes[(data[i] << 16 | data[i + 1] << 8 | data[i + 2]) % bytes.size()] = static_cast<char>(data[i + 3]);
  }
  remove_all();
  std::ofstream(file(), std::ios::binary) << bytes;
  try {
    const StudyReader reader(file());
    reader.about();
    reader.sessions();
    for (const auto& s : reader.subjects()) {
      reader.best(s.id, CandidateStatus::simulated, 3);
      reader.each(s.id, [](const StudyRow&) {});
    }
  } catch (const std::runtime_error&) {
  }
  try {
    use();
  } catch (const std::runtime_error&) {
  }
  remove_all();
  return 0;
}
