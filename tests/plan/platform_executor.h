// The platform in data mode as an executor of test programs.
#pragma once
#include <memory>

#include "base/diagnostics.h"
#include "sim/platform.h"
#include "tests/plan/check/mutation.h"

namespace dse::test {

inline Executor on_platform() {
  return [](const program::Program& p, const MutationSubject& s) {
    ExecutionResult out;
    try {
      auto& platform = sim::Platform::instance();
      platform.configure(std::make_shared<hw::Device>(s.device));
      sim::RunData data;
      data.constants = s.constants;
      for (const auto& i : s.inputs) data.inputs.emplace_back(i);
      sim::RunOptions options;
      options.data = true;
      auto result = platform.run({sim::whole_program(p, s.device)}, options, {data});
      out.tasks = result.tasks;
      out.outputs = std::move(result.outputs);
      if (result.failure) out.failure = result.failure->what;
    } catch (const InvariantError& e) {
      out.failure = e.what();
    }
    return out;
  };
}

}  // namespace dse::test
