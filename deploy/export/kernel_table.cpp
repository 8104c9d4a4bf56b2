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

std::set<std::string> KernelTable::functions() const {
  std::set<std::string> out;
  for (const auto* list : {&kinds, &techniques})
    for (const auto& [name, function] : *list) out.insert(function);
  if (batches) out.insert("dse_in_batches");
  if (factors) out.insert("dse_compensated");
  return out;
}

KernelTable kernel_table_of(const std::vector<const program::Program*>& points, KernelSet set) {
  KernelTable out;
  for (const auto* p : points)
    for (const dse_op& o : p->operators) {
      out.kinds[kind_name(o.kind)] = plain_kernel_of(o.kind, set);
      if (dse_batches_of(&o) > 0) out.batches = true;
      if (o.kind != DSE_NORMALIZE && dse_in_factors(&o) > 0) out.factors = true;
      if (const int t = dse_technique_of(&o); t != DSE_DIRECT) out.techniques[technique_name(t)] = kernel_of(o, set);
    }
  return out;
}

std::string kernel_table_c(const std::vector<const program::Program*>& points, KernelSet kernels) {
  const KernelTable table = kernel_table_of(points, kernels);
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
  return out + fmt::format("{}}},\n    {},\n    {},\n    {{{}}}}};\n", entries(table.kinds),
                           table.batches ? "dse_in_batches" : "0", table.factors ? "dse_compensated" : "0",
                           entries(table.techniques));
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
