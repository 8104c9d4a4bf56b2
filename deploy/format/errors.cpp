#include "deploy/format/errors.h"

#include <fmt/format.h>

#include "dse_state.h"

namespace dse::deploy {

std::string explain(int error) {
  switch (error) {
    case DSE_OK:
      return "no error";
    case DSE_ERR_MAGIC:
      return "no package, and no plan (another start)";
    case DSE_ERR_FORMAT:
      return fmt::format("of another format; this program reads packages of format {} and plans of format {}",
                         DSE_PACKAGE_FORMAT, DSE_PLAN_FORMAT);
    case DSE_ERR_LENGTH:
      return "cut short, or longer than it says";
    case DSE_ERR_CRC:
      return "damaged: a CRC-32C does not match";
    case DSE_ERR_MALFORMED:
      return "malformed: an index, count or code is out of range";
    case DSE_ERR_UNSUPPORTED:
      return "has a required section that this program does not know, or a task that the reference runtime cannot "
             "execute (an NPU stream)";
    case DSE_ERR_ARENA:
      return "a task reaches outside its arena, or an arena is missing or too small";
    case DSE_ERR_OPERAND:
      return "an operand of a kernel is absent";
    case DSE_ERR_ORDER:
      return "a task waits for one that cannot run before it: deadlock";
    case DSE_ERR_PORT:
      return "an engine failed";
    case DSE_ERR_POINT:
      return "no point of the package fits the arenas";
    case DSE_ERR_ALIGNMENT:
      return "an arena, or the package, is not aligned as it must be";
    case DSE_ERR_SEALED:
      return "the package is encrypted";
    case DSE_ERR_KEY:
      return "the package was changed after it was encrypted, or the key is another one";
    case DSE_ERR_TASKS:
      return "the plan has more tasks or instructions than it says, or fewer";
    default:
      return "error " + std::to_string(error);
  }
}

}  // namespace dse::deploy
