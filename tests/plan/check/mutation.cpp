#include "tests/plan/check/mutation.h"

#include <fmt/format.h>

#include "plan/check/check.h"
#include "tests/plan/check/clone.h"

namespace dse::test {
namespace {

/// What the order of tasks must not change.
std::string outcome(const ExecutionResult& r) {
  if (r.failure) return "failure " + r.failure->substr(0, r.failure->find(':'));
  std::string bytes = "bytes ";
  for (const auto& o : r.outputs) bytes.append(o.begin(), o.end()).push_back('|');
  return bytes;
}

/// Whether any order tried fails or gives other bytes.
bool goes_wrong(const program::Program& p, const MutationSubject& s, int random_orders) {
  for (int k = -2; k < random_orders; ++k) {
    const auto order = k == -2 ? Interleaving::eager : k == -1 ? Interleaving::lazy : Interleaving::random;
    const ExecutionResult r = execute(p, s.constants, s.inputs, order, static_cast<std::uint64_t>(k + 1));
    if (r.failure || r.outputs != s.expected) return true;
  }
  return false;
}

enum class Verdict { failed, wrong_bytes, harmless, missed };

/// Judges a program that check() accepts.
Verdict judge(const program::Program& p, const MutationSubject& s, const Executor& executor, int random_orders,
              std::string& why) {
  const ExecutionResult first = execute(p, s.constants, s.inputs, Interleaving::eager);
  for (int k = -1; k < random_orders; ++k) {
    const auto order = k < 0 ? Interleaving::lazy : Interleaving::random;
    const ExecutionResult other = execute(p, s.constants, s.inputs, order, static_cast<std::uint64_t>(k + 1));
    if (outcome(other) == outcome(first)) continue;
    why = std::string(name_of(order)) + " order: " + other.failure.value_or("other bytes");
    return Verdict::missed;
  }
  if (first.failure) {
    if (first.failure->rfind("execution", 0) == 0) return Verdict::failed;
    why = "accepted, but " + *first.failure;  // valid programs do not fail otherwise
    return Verdict::missed;
  }
  const ExecutionResult judged = executor(p, s);
  if (judged.failure) return Verdict::failed;
  if (outcome(judged) != outcome(first)) {
    why = "the executor disagrees with the reference";
    return Verdict::missed;
  }
  return judged.outputs == s.expected ? Verdict::harmless : Verdict::wrong_bytes;
}

}  // namespace

Executor reference(Interleaving order, std::uint64_t seed) {
  return [=](const program::Program& p, const MutationSubject& s) {
    return execute(p, s.constants, s.inputs, order, seed);
  };
}

MutationReport judge_mutants(const MutationSubject& subject, const Executor& executor, int mutants, std::uint64_t seed,
                             int random_orders) {
  MutationReport report;
  std::mt19937_64 rng(seed);
  const program::Program original = subject.make();
  int idle = 0;  // classes in a row for which the program offers no place
  for (int i = 0, m = 0; i < mutants && idle < kMutations; m = (m + 1) % kMutations) {
    program::Program p = clone(original);
    const auto what = mutate(p, static_cast<Mutation>(m), rng);
    if (!what) {
      ++idle;
      continue;
    }
    idle = 0;
    ++i;
    auto& counts = report.counts[static_cast<std::size_t>(m)];
    if (!plan::check(p, subject.device).empty()) {
      ++counts.checked;
      counts.confirmed += goes_wrong(p, subject, random_orders);
      continue;
    }
    std::string why;
    switch (judge(p, subject, executor, random_orders, why)) {
      case Verdict::failed:
        ++counts.failed;
        break;
      case Verdict::wrong_bytes:
        ++counts.wrong_bytes;
        break;
      case Verdict::harmless:
        ++counts.harmless;
        break;
      case Verdict::missed:
        ++counts.missed;
        report.missed.push_back(fmt::format("{}: {}: {}", name_of(static_cast<Mutation>(m)), *what, why));
    }
  }
  return report;
}

int MutationReport::total() const {
  int n = 0;
  for (const auto& c : counts) n += c.total();
  return n;
}

void MutationReport::add(const MutationReport& other) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i].checked += other.counts[i].checked;
    counts[i].confirmed += other.counts[i].confirmed;
    counts[i].failed += other.counts[i].failed;
    counts[i].wrong_bytes += other.counts[i].wrong_bytes;
    counts[i].harmless += other.counts[i].harmless;
    counts[i].missed += other.counts[i].missed;
  }
  missed.insert(missed.end(), other.missed.begin(), other.missed.end());
}

std::string MutationReport::table() const {
  std::string s = fmt::format("{:<20}{:>8}{:>8}{:>11}{:>8}{:>8}{:>10}{:>8}\n", "mutation", "total", "check",
                              "confirmed", "run", "bytes", "harmless", "missed");
  MutationCounts sum;
  auto line = [&](const char* name, const MutationCounts& c) {
    s += fmt::format("{:<20}{:>8}{:>8}{:>11}{:>8}{:>8}{:>10}{:>8}\n", name, c.total(), c.checked, c.confirmed, c.failed,
                     c.wrong_bytes, c.harmless, c.missed);
  };
  for (int m = 0; m < kMutations; ++m) {
    const auto& c = counts[static_cast<std::size_t>(m)];
    line(name_of(static_cast<Mutation>(m)), c);
    sum.checked += c.checked, sum.confirmed += c.confirmed, sum.failed += c.failed, sum.wrong_bytes += c.wrong_bytes,
        sum.harmless += c.harmless, sum.missed += c.missed;
  }
  line("sum", sum);
  return s;
}

}  // namespace dse::test
