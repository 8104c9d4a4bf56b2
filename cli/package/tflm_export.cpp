#include "cli/package/tflm_export.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/common/files.h"
#include "cli/methods/tflm_file.h"
#include "cli/run/run_folder.h"
#include "reports/words/format.h"

namespace dse::cli {

namespace fs = std::filesystem;
using reports::grouped;

namespace {

/// The file of a front's network among the run's own copies.
std::string network_file(const std::string& run, const explore::Front& front, Diagnostics& d) {
  const auto spec = sweep_of(run, d);
  if (!spec) return "";
  for (const auto& [file, facts] : spec->networks) {
    Diagnostics other;
    const auto n = nn::load_network(file, other, explore::load_options(*spec, other));
    if (n && n->structure_hash() == front.network_hash && front.network.starts_with(n->name)) return file;
  }
  d.error({run, 0, 0}, front.network + " is no network of the sweep any more");
  return "";
}

std::string page(const explore::Front& front, const std::string& file, const TflmFile& made) {
  const auto& head = made.head;
  std::string out = fmt::format(
      "# {} for TensorFlow Lite Micro\n\n`{}` is the network with its operators in the order, and its tensors at the "
      "offsets, that\nneed the least: the runtime, unchanged, reads them from the file's metadata "
      "(`OfflineMemoryAllocation`).\n\n"
      "| | bytes |\n|---|---|\n| head of the arena, planned | {} |\n| head that the runtime's own planner takes | {} "
      "|\n"
      "| proven: no order and no offsets need less | {} |\n\n",
      front.network, fs::path(file).filename().string(), grouped(head.bytes), grouped(head.today),
      grouped(head.lower_bound));
  out += fmt::format(
      "`kTensorArenaSize` is the head, rounded up to 16 ({}), and the runtime's tail: its structures of tensors, nodes "
      "and\n"
      "kernels, and what kernels ask for besides, all of which depend on the build. "
      "`MicroInterpreter::arena_used_bytes()` tells the\n"
      "sum after `AllocateTensors()`; what it has beyond the head is the tail.\n\nOperators run {}; {} tensors lie in "
      "the bytes of "
      "another. {}.\n",
      grouped((head.bytes + 15) / 16 * 16),
      made.moved ? "in another order than in the original" : "in the original's order", head.shared,
      made.not_compared.empty() ? "Outputs are the original's, by the interpreter"
                                : "Outputs were not compared: " + made.not_compared);
  return out;
}

}  // namespace

bool export_tflm(const std::string& run, const explore::Front& front, const std::string& out, Diagnostics& d) {
  const auto file = network_file(run, front, d);
  if (file.empty()) return false;
  if (fs::path(file).extension() != ".tflite") {
    d.error({file, 0, 0}, "is no TensorFlow Lite file: there is nothing for TensorFlow Lite Micro to run");
    return false;
  }
  const auto made = write_tflm_file(file, out, plan::OrderRule::inplace_ew, d);
  if (!made) return false;
  write_file(out + ".md", page(front, out, *made));
  fmt::print("{}: head of the arena {} bytes, {} by the runtime's own planner\n", out, grouped(made->head.bytes),
             grouped(made->head.today));
  return true;
}

}  // namespace dse::cli
