// Does anyone notice? Programs with one small fault each, judged by check() and by execution.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "models/hw/device.h"
#include "tests/plan/check/mutate.h"
#include "tests/plan/reference_executor.h"

namespace dse::test {

/// A program to break and what it must compute.
struct MutationSubject {
  std::function<program::Program()> make;
  hw::Device device;
  std::vector<std::uint8_t> constants;
  std::vector<std::vector<std::uint8_t>> inputs, expected;  // per input / output port
};

/// Runs a program on the subject's data: the platform in data mode, or the reference executor.
using Executor = std::function<ExecutionResult(const program::Program&, const MutationSubject&)>;
Executor reference(Interleaving order, std::uint64_t seed = 0);

struct MutationCounts {
  int checked = 0;  // check() had findings
  int confirmed =
      0;           // of these: some order of execution fails or gives other bytes (check() may be stricter than luck)
  int failed = 0;  // check() had none, the executor stopped with a failure
  int wrong_bytes = 0;  // neither, but the outputs differ: a test that compares them notices
  int harmless = 0;     // valid and right in every order tried
  int missed = 0;       // check() had no findings, but the order of tasks decides about failure or bytes
  int total() const { return checked + failed + wrong_bytes + harmless + missed; }
};

struct MutationReport {
  std::array<MutationCounts, kMutations> counts{};
  std::vector<std::string> missed;  // one line each
  int total() const;
  std::string table() const;
  void add(const MutationReport& other);
};

/// Makes `mutants` programs, the classes in turn, and judges each. A mutant that check() rejects is run by the
/// reference executor only, to see whether the finding can be observed. A mutant that check() accepts is run by
/// `executor` and by the reference executor eagerly, lazily and in `random_orders` random orders: all must agree, on
/// the bytes or on failing by a cause that is no question of order (a kernel's parameters are garbage); else it is
/// missed.
MutationReport judge_mutants(const MutationSubject& subject, const Executor& executor, int mutants, std::uint64_t seed,
                             int random_orders = 8);

}  // namespace dse::test
