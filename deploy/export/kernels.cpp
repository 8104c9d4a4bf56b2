#include "deploy/export/kernels.h"

#include <array>

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

}  // namespace

std::string kind_name(int kind) { return entry(kKinds, kind).name; }
std::string plain_kernel_of(int kind) { return entry(kKinds, kind).function; }
std::string technique_name(int technique) { return entry(kTechniques, technique).name; }

std::string kernel_of(const dse_op& op) {
  if (op.kind != DSE_NORMALIZE && dse_in_factors(&op) > 0) return "dse_compensated";
  if (dse_technique_of(&op) != DSE_DIRECT) return entry(kTechniques, dse_technique_of(&op)).function;
  return plain_kernel_of(op.kind);
}

}  // namespace dse::deploy
