// Measures assignments one at a time, for optimisers outside of this program: a line of JSON in, a line of JSON out.
#pragma once
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/yaml/yaml.h"
#include "explore/ask/assignment_line.h"
#include "explore/ask/line_reader.h"
#include "models/hw/device.h"
#include "models/nn/network.h"
#include "plan/choices/assignment.h"
#include "plan/choices/choice.h"
#include "plan/plan.h"

namespace dse::explore {

/// What one assignment comes to.
struct Evaluation {
  enum class Status {
    ok,
    infeasible,  // the plan does not fit: `reason` tells where
    invalid,     // the line is no assignment of this network on this device: `errors`
    mismatch,    // verify: the simulated bytes differ from the interpreter's; with all measurements
    failed,      // the plan is not valid or its simulation broke down: a defect of ours, told in `reason`
  };
  Status status = Status::ok;
  std::string id;  // JSON text, as in AssignmentLine
  std::string reason, hint;
  std::vector<Diagnostic> errors;
  std::string plan;         // id
  std::int64_t memory = 0;  // bytes: sum of the on-chip arenas
  std::int64_t ticks = 0;   // cycles of the device's fastest clock
  double latency_us = 0;
  std::optional<double> energy_uj{};                    // where the device says whose figures its energies are
  std::int64_t traffic = 0;                             // bytes to and from off-chip memories
  std::vector<std::pair<std::string, double>> metrics;  // every registered one
  plan::Assignment assignment;                          // complete, as it was run
};
const char* name_of(Evaluation::Status status);  // "ok", ...

struct EvaluatorOptions {
  bool lenient = false;            // choices that do not apply given the others are left out (explore/ask/lenient.h)
  bool verify = false;             // run with real bytes too and compare with the interpreter
  yaml::Overrides overrides = {};  // of the description, before what an assignment changes
  std::size_t devices = 64;  // this many devices are kept, by their changed fields; the least recently used one goes
};

/// One network on one device and its variants.
class Evaluator {
 public:
  /// `device_text`: the description that `device.<path>` changes; `device_file` names it in messages.
  Evaluator(nn::NetworkPtr network, std::string device_text, std::string device_file, EvaluatorOptions options = {},
            plan::ChoiceRegistry registry = plan::ChoiceRegistry::standard());

  /// Never throws for anything that stands on a line.
  Evaluation evaluate(const Line& line);

 private:
  struct Variant {
    std::string key;
    hw::DevicePtr device;  // null: not a device, for these reasons
    std::vector<Diagnostic> errors;
    std::vector<plan::ChoiceInstance> choices;  // lenient: what there is to choose
  };
  const Variant& variant(const std::map<std::string, std::string>& overrides);
  void measure(const Variant& variant, AssignmentLine& line, Evaluation& out);
  bool verified(const plan::Plan& plan, const hw::Device& device, const program::Program& program);

  nn::NetworkPtr network_;
  std::string device_text_, device_file_;
  EvaluatorOptions options_;
  plan::ChoiceRegistry registry_;
  std::list<Variant> variants_;                              // the last used one first
  std::vector<std::vector<std::uint8_t>> inputs_, outputs_;  // verify: what goes in and what must come out
};

/// One line of JSON, without its end.
std::string to_json(const Evaluation& evaluation);

}  // namespace dse::explore
