#include "deploy/export/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/diagnostics.h"
#include "dse_factors.h"
#include "dse_kernel_list.h"
#include "dse_technique.h"

namespace dse::deploy {

namespace {

struct Entry {
  int number;
  const char *name, *function;
};

#define ENTRY(number, function) {number, #number, #function},
constexpr Entry kKinds[] = {DSE_KERNELS_BY_KIND(ENTRY)};
constexpr Entry kTechniques[] = {DSE_KERNELS_BY_TECHNIQUE(ENTRY)};
#undef ENTRY

template <std::size_t n>
const Entry& entry(const Entry (&list)[n], int number) {
  for (const Entry& e : list)
    if (e.number == number) return e;
  throw InvariantError("no kernel of number " + std::to_string(number) + " is shipped");
}

constexpr std::size_t kPrefix = sizeof("dse_") - 1;

/// Kinds of which dse_cmsis_takes() may take a call.
constexpr int kCmsis[] = {DSE_CONV_2D, DSE_FULLY_CONNECTED, DSE_DEPTHWISE_CONV_2D, DSE_ADD,
                          DSE_MUL,     DSE_AVERAGE_POOL_2D, DSE_MAX_POOL_2D,       DSE_SOFTMAX};

/// "dse_conv" -> "DSE_OWN_CONV".
std::string own_macro(const std::string& function) {
  std::string out = "DSE_OWN_";
  for (const char c : function.substr(kPrefix)) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

const std::vector<std::string>& kernel_set_names() {
  static const std::vector<std::string> names = {"reference", "cmsis-nn", "own"};
  return names;
}

std::string kind_name(int kind) { return entry(kKinds, kind).name; }

std::string plain_kernel_of(int kind, KernelSet set) {
  const std::string name = entry(kKinds, kind).function;
  if (set == KernelSet::own) return own_macro(name);
  return set == KernelSet::cmsis_nn && std::find(std::begin(kCmsis), std::end(kCmsis), kind) != std::end(kCmsis)
             ? "dse_cmsis_" + name.substr(kPrefix)
             : name;
}

std::string technique_name(int technique) { return entry(kTechniques, technique).name; }

bool is_technique(const std::string& function) {
  return std::any_of(std::begin(kTechniques), std::end(kTechniques),
                     [&](const Entry& e) { return function == e.function; });
}

std::string kernel_of(const dse_op& op, KernelSet set) {
  if (op.kind != DSE_NORMALIZE && dse_in_factors(&op) > 0) return "dse_compensated";
  if (dse_technique_of(&op) != DSE_DIRECT) return entry(kTechniques, dse_technique_of(&op)).function;
  return plain_kernel_of(op.kind, set);
}

std::string own_kernels_h() {
  std::set<std::string> functions;
  for (const Entry& e : kKinds) functions.insert(e.function);
  std::string out =
      "/* Generated. Kernels of your own in place of the reference ones: -DDSE_OWN_KERNELS='\"mine.h\"' names a header "
      "that\n * declares them, each void my_conv(const dse_call* call), and has #define DSE_OWN_CONV my_conv. They "
      "compute the same\n * bytes (dse_kernels.h); what they do not take, they may hand on to the reference kernel. "
      "*/\n#ifndef DSE_OWN_H\n#define DSE_OWN_H\n#include \"dse_internal.h\"\n#ifdef DSE_OWN_KERNELS\n#include "
      "DSE_OWN_KERNELS\n#endif\n";
  for (const auto& f : functions) out += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", own_macro(f), f);
  return out + "#endif\n";
}

}  // namespace dse::deploy
