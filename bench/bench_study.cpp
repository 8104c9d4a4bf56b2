// Rows per CPU-second into a study: what the coordinator of a search pays for every candidate that is settled. 50
// layers in turn, as several workers deliver them, assignments as the searches write them; then the same rows once more
// (replaced), and reading them back.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "explore/study/study.h"

namespace {

using namespace dse::explore;

constexpr int kSubjects = 50;

struct Rows {
  explicit Rows(int n) {
    for (int i = 0; i < n; ++i) {
      Candidate c;
      c.assignment = "buffering=double filters=" + std::to_string(i % 97) +
                     " order=filters-outer scheme=planar tile=" + std::to_string(i * 7919 % 10'007) + " weights=l1";
      c.status = i % 2 ? CandidateStatus::simulated : CandidateStatus::dominated;
      c.costs = {i % 2 ? 1'000'000 + i : -1, 123'456'789'000 + i, 65'536};
      c.bound = 900'000 + i, c.memory = 40'000 + i % 1000;
      list.push_back(std::move(c));
    }
  }
  std::vector<Candidate> list;
};

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("dse-bench-study-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file() const { return (path_ / "study.sqlite").string(); }

 private:
  std::filesystem::path path_;
};

std::vector<int> subjects_of(Study& study) {
  std::vector<int> ids;
  for (int s = 0; s < kSubjects; ++s) {
    Subject subject;
    subject.kind = "layer", subject.key = std::to_string(s);
    ids.push_back(study.subject(subject));
  }
  return ids;
}

void put_all(Study& study, const std::vector<int>& ids, const Rows& rows) {
  for (std::size_t i = 0; i < rows.list.size(); ++i) study.put(ids[i % ids.size()], rows.list[i]);
  study.flush();
}

void put(benchmark::State& state) {
  const Rows rows(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    const Folder folder;
    {
      Study study(folder.file(), {});
      const auto ids = subjects_of(study);
      state.ResumeTiming();
      put_all(study, ids, rows);
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(put)->Arg(20'000)->Arg(200'000)->Unit(benchmark::kMillisecond);

void replace(benchmark::State& state) {
  const Rows rows(static_cast<int>(state.range(0)));
  const Folder folder;
  Study study(folder.file(), {});
  const auto ids = subjects_of(study);
  put_all(study, ids, rows);
  for (auto _ : state) put_all(study, ids, rows);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(replace)->Arg(200'000)->Unit(benchmark::kMillisecond);

void read_back(benchmark::State& state) {
  const Rows rows(static_cast<int>(state.range(0)));
  const Folder folder;
  Study study(folder.file(), {});
  const auto ids = subjects_of(study);
  put_all(study, ids, rows);
  for (auto _ : state)
    for (const int id : ids) benchmark::DoNotOptimize(study.candidates(id));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(read_back)->Arg(200'000)->Unit(benchmark::kMillisecond);

/// Opening includes looking for damage.
void open_again(benchmark::State& state) {
  const Rows rows(static_cast<int>(state.range(0)));
  const Folder folder;
  {
    Study study(folder.file(), {});
    put_all(study, subjects_of(study), rows);
  }
  for (auto _ : state) Study(folder.file(), {});
}
BENCHMARK(open_again)->Arg(200'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
