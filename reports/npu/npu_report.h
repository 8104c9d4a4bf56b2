// What `dse npu` prints: a schedule on an Ethos-U, operation by operation.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "explore/npu/front.h"
#include "explore/npu/whole_system.h"
#include "plan/npu/schedule/network_estimate.h"

namespace dse::reports {

/// What is to be said beside every result of an accelerator whose times were compared with nothing, as a line; else
/// nothing. JSON has it as `unvalidated`.
std::string unvalidated_line(const hw::ethos_u::Accelerator& a);

/// Totals, the table of operators, what each block waits for.
std::string npu_text(const explore::npu::Compiled& c, const explore::npu::Simulated& s,
                     const explore::npu::SystemTime& t);
nlohmann::ordered_json npu_json(const explore::npu::Compiled& c, const explore::npu::Simulated& s,
                                const explore::npu::SystemTime& t);

/// The same of an estimate: what Arm's compiler says.
std::string npu_estimate_text(const explore::npu::Compiled& c, const plan::npu::NetworkEstimate& e);
nlohmann::ordered_json npu_estimate_json(const explore::npu::Compiled& c, const plan::npu::NetworkEstimate& e);

/// One line per point of a front, with the time of each.
std::string npu_front_text(const std::vector<explore::npu::Point>& front,
                           const std::vector<explore::npu::SystemTime>& times);

}  // namespace dse::reports
