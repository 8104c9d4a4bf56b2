// The table of the kernels that a package's operators need, and what stands beside it for those of others.
#include <fmt/format.h>

#include <map>

#include "deploy/export/generate_c.h"
#include "deploy/export/kernels.h"
#include "deploy/size/library_use.h"
#include "dse_batches.h"
#include "dse_factors.h"
#include "dse_technique.h"

namespace dse::deploy {

std::string include_of(KernelSet kernels) {
  return kernels == KernelSet::cmsis_nn ? "#include \"dse_cmsis_nn.h\"\n"
         : kernels == KernelSet::own    ? "#include \"dse_own.h\"\n"
                                        : "";
}

std::string kernel_table_c(const std::vector<const program::Program*>& points, KernelSet kernels) {
  std::map<std::string, std::string> of, technique;  // name of the entry -> function
  bool batches = false, factors = false;
  for (const auto* p : points)
    for (const dse_op& o : p->operators) {
      of[kind_name(o.kind)] = plain_kernel_of(o.kind, kernels);
      if (dse_batches_of(&o) > 0) batches = true;
      if (o.kind != DSE_NORMALIZE && dse_in_factors(&o) > 0) factors = true;
      if (const int t = dse_technique_of(&o); t != DSE_DIRECT) technique[technique_name(t)] = kernel_of(o, kernels);
    }
  std::string out =
      "/* Generated. The kernels that this package's operators need. */\n#include \"dse_batches.h\"\n"
      "#include \"dse_factors.h\"\n#include \"dse_internal.h\"\n#include \"dse_technique.h\"\n" +
      include_of(kernels) + "\nconst dse_kernel_set dse_kernels = {\n    {";
  const auto entries = [&](const std::map<std::string, std::string>& list) {
    std::string text;
    for (const auto& [name, function] : list)
      text += fmt::format("{}[{}] = {}", text.empty() ? "" : ",\n     ", name, function);
    return text.empty() ? std::string("0") : text;
  };
  return out + fmt::format("{}}},\n    {},\n    {},\n    {{{}}}}};\n", entries(of), batches ? "dse_in_batches" : "0",
                           factors ? "dse_compensated" : "0", entries(technique));
}

std::string cmsis_memory_c() {
  return "/* Generated. */\n#include \"dse.h\"\n\nDSE_ALIGNED(16) uint8_t "
         "dse_cmsis_memory[DSE_CMSIS_MEMORY_BYTES];\nconst uint32_t dse_cmsis_memory_bytes = "
         "DSE_CMSIS_MEMORY_BYTES;\nuint32_t dse_cmsis_calls;\n";
}

std::string cmsis_calls_macro(const program::Program& point) {
  const auto calls = cmsis_use(point).calls;
  return fmt::format("#define DSE_CMSIS_CALLS {} /* of {} calls of kernels */\n", calls.taken, calls.all);
}

std::string cmsis_macros(const nn::Network& network) {
  return fmt::format(
      "/* What CMSIS-NN works with beside operands, whichever of its builds it is. */\n"
      "#define DSE_CMSIS_MEMORY_BYTES {}\n",
      cmsis_memory(network));
}

}  // namespace dse::deploy
