// dse alloc: offsets for the buffers of a MiniMalloc file.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/common/files.h"
#include "plan/alloc/allocate.h"
#include "plan/alloc/csv.h"
#include "plan/alloc/validate.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using namespace plan::alloc;
using reports::grouped;

struct AllocOptions {
  std::string file, output;
  std::int64_t capacity = -1;
  std::int64_t nodes = Effort{}.nodes;
  double seconds = 0;
  bool json = false, free = false;
};

/// Fixed buffers that cover each other: an error per pair.
void check_fixed(const Table& table, const std::string& file, Diagnostics& d) {
  std::vector<Buffer> fixed;
  std::vector<std::int64_t> offsets;
  int line = 0;
  for (std::size_t i = 0; i < table.buffers.size(); ++i)
    if (table.buffers[i].offset) {
      fixed.push_back(table.buffers[i]), offsets.push_back(*table.buffers[i].offset);
      if (line == 0) line = table.lines[i];
    }
  for (const auto& fault : validate(fixed, offsets).faults)
    d.error({file, line, 0}, "fixed " + fault, "--free plans without the offsets of the file");
}

std::string json_of(const AllocOptions& o, const Table& table, const Layout& l) {
  nlohmann::ordered_json j;
  j["file"] = o.file;
  j["capacity_bytes"] = o.capacity < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(o.capacity);
  j["arena_bytes"] = l.height;
  j["load_bytes"] = l.load;
  j["lower_bound_bytes"] = l.lower_bound;
  j["optimal"] = l.optimal();
  if (o.capacity >= 0) j["fits"] = l.height <= o.capacity;
  j["nodes"] = l.nodes;
  auto& list = j["buffers"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < table.buffers.size(); ++i)
    list.push_back({{"id", table.buffers[i].id}, {"offset", l.offsets[i]}});
  return j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string text_of(const Table& table, const Layout& l, const Layout& greedy, const Layout& first) {
  std::string proof =
      l.optimal()
          ? l.height == l.load ? "optimal: equal to the load" : "optimal: proven by search"
          : fmt::format("at most {:.1f} % above the optimum",
                        100.0 * static_cast<double>(l.height - l.lower_bound) / static_cast<double>(l.lower_bound));
  return fmt::format(
      "{} buffers\n"
      "arena          {:>15} bytes, {}\n"
      "lower bound    {:>15}\n"
      "load           {:>15}\n"
      "greedy by size {:>15}\n"
      "first fit      {:>15}\n"
      "search         {:>15} nodes\n",
      grouped(static_cast<std::int64_t>(table.buffers.size())), grouped(l.height), proof, grouped(l.lower_bound),
      grouped(l.load), grouped(greedy.height), grouped(first.height), grouped(l.nodes));
}

/// What the capacity asks for and the layout does not give.
int judge(const AllocOptions& o, const Layout& l) {
  if (o.capacity < 0 || l.height <= o.capacity) return Exit::ok;
  const bool proven = l.lower_bound > o.capacity;
  fmt::print(stderr, "{}: {}; the best layout found has {} bytes, none has less than {}\n", o.file,
             proven ? fmt::format("no layout fits into {} bytes", o.capacity)
                    : fmt::format("no layout of at most {} bytes found within the given effort", o.capacity),
             l.height, l.lower_bound);
  return proven ? Exit::no_feasible_plan : Exit::limit_exceeded;
}

int alloc(const AllocOptions& o) {
  Diagnostics d;
  const auto text = read_file(o.file, d);
  auto table = text ? read_csv(*text, o.file, d) : std::nullopt;
  if (table && o.free)
    for (Buffer& b : table->buffers) b.offset.reset();
  if (table) check_fixed(*table, o.file, d);
  if (const int exit = report(d); exit != Exit::ok) return exit;

  Effort effort;
  effort.nodes = o.nodes;
  if (o.seconds > 0) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(o.seconds);
    effort.stop = [end] { return std::chrono::steady_clock::now() >= end; };
  }
  const auto capacity = o.capacity < 0 ? std::nullopt : std::optional(o.capacity);
  const Layout layout = allocate(table->buffers, capacity, effort);
  const auto verdict = validate(table->buffers, layout.offsets);
  ensure(verdict.valid(), verdict.valid() ? "" : "alloc: " + verdict.faults.front());
  ensure(verdict.height == layout.height, "alloc: the height is not that of the layout");

  const bool to_stdout = o.output == "-";
  if (to_stdout)
    fmt::print("{}", write_csv(table->buffers, layout.offsets));
  else if (!o.output.empty())
    write_file(o.output, write_csv(table->buffers, layout.offsets));
  if (o.json)
    fmt::print("{}\n", json_of(o, *table, layout));
  else if (!to_stdout)
    fmt::print("{}", text_of(*table, layout, greedy(table->buffers), first_fit(table->buffers)));
  return judge(o, layout);
}

}  // namespace

void add_alloc(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<AllocOptions>();
  auto* command = app.add_subcommand("alloc", "Find offsets for buffers with known lifetimes in one arena");
  command->add_option("file", options->file, "buffers: CSV with columns id, lower, upper, size, ...")->required();
  command->add_option("--capacity", options->capacity, "bytes: stop at the first layout that fits; else minimise")
      ->check(CLI::Range(std::int64_t{0}, kLargest));
  auto* output =
      command->add_option("-o", options->output, "write the buffers with their offsets; - = standard output");
  auto* json = command->add_flag("--json", options->json, "print JSON");
  command->add_option("--nodes", options->nodes, "placements that the exact search may try; 0 = heuristics only")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "stop after this time with the best layout so far")
      ->check(CLI::Range(0.0, 1e6));
  command->add_flag("--free", options->free, "ignore the offsets of the file");
  command->callback([options, output, json, &invocation] {
    if (json->count() > 0 && output->count() > 0 && options->output == "-")
      throw CLI::ValidationError("-o", "- and --json both write to standard output");
    invocation.exit = alloc(*options);
  });
}

}  // namespace dse::cli
