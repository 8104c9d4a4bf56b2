#include "explore/question/flash.h"

#include <algorithm>

#include "deploy/size/flash.h"
#include "deploy/size/ram.h"
#include "explore/question/kernels.h"
#include "plan/lower/lower.h"

namespace dse::explore {

std::optional<std::int64_t> flash_of(const SweepSpec& spec, const Case& c, const plan::Plan& plan,
                                     std::int64_t program_bytes) {
  const int computes = c.device->compute_engine();
  if (!deploy::why_no_ram(*c.network, *c.device).empty() || computes < 0 ||
      c.device->engines[static_cast<std::size_t>(computes)].is_array())
    return std::nullopt;
  const auto program = plan::lower(*c.network, *c.device, plan);
  std::int64_t code = 0;
  for (const auto& core : deploy::flash_cores())
    code = std::max(code, deploy::text_bytes({&program}, kernels_of(spec), core));
  return program.constants_size + program_bytes + code;
}

std::string why_not_searched(const std::string& metric) {
  if (metric != kFlash) return {};
  return "flash is told of each point, as flash_bytes in front.csv, and is neither an objective nor a limit: "
         "how long a program gets is known when a plan is whole";
}

}  // namespace dse::explore
