#include "deploy/package.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/unit_text.h"
#include "deploy/ram.h"
#include "deploy/shipped.h"
#include "dse_runtime.h"
#include "models/nn/graph/price.h"
#include "program/encoding.h"

namespace dse::deploy {

namespace {

struct File {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

std::vector<std::uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

std::string size_text(std::int64_t bytes) { return bytes < 1024 ? fmt::format("{} B", bytes) : kib_text(bytes); }

/// On-chip bytes of a memory, or that it is none.
const hw::Memory* memory_of(const hw::Device& device, const std::string& arena) {
  const int index = device.memory(arena);
  return index < 0 ? nullptr : &device.memories[static_cast<std::size_t>(index)];
}

/// For a table: names come from users' files.
std::string cell(const std::string& s) {
  std::string out;
  for (const char c : s) out += c == '|' || static_cast<unsigned char>(c) < ' ' ? '_' : c;
  return out;
}

const char* mode_of(const program::Port& input) {
  return input.streamed ? "streamed" : input.preserved ? "kept" : "released";
}

double microseconds(const hw::Device& device, std::int64_t ticks) {
  const std::int64_t hz = device.tick_hz();
  return hz > 0 ? static_cast<double>(ticks) * 1e6 / static_cast<double>(hz) : 0;
}

/// "timed as X, ships reference kernels", or plainly the library where it is these.
std::string kernel_note(const hw::Device& device) {
  if (device.kernel_library.empty() || device.kernel_library == "reference")
    return "timed as, and ships, reference kernels";
  return fmt::format("timed as {}, ships reference kernels", device.kernel_library);
}

/// The static objects of a firmware, to the byte, and what has to be in memory before the first run.
std::string memory_section(const hw::Device& device, const program::Program& p, std::int64_t plan,
                           std::int64_t constants) {
  const Ram ram = ram_of(p, constants);
  std::string out =
      "## Memory\n\nStatic objects of a firmware that uses the package as below, to the byte (what a linker leaves "
      "free between them to align them comes on top):\n\n| object | section | bytes | holds |\n|---|---|---|---|\n";
  std::string loaded;
  for (std::size_t i = 0; i < ram.arenas.size(); ++i) {
    const ArenaRam& a = ram.arenas[i];
    if (a.object > 0) {
      std::string holds = fmt::format("arena {}", cell(a.name));
      if (a.state > 0) holds += fmt::format("; state that is kept between runs: {}", a.state);
      if (a.resident > 0) holds += fmt::format("; weights copied there by dse_bind: {}", a.resident);
      if (a.image > 0) holds += fmt::format("; all weights, copied there by dse_bind: {}", a.image);
      out += fmt::format("| arena{} | .bss | {} | {} |\n", i, a.object, holds);
    }
    const hw::Memory* m = memory_of(device, a.name);
    if (a.in_place && constants > 0 && m && m->on_chip)
      loaded += fmt::format(
          "The plan reads the weights from {}, which is on chip: {} bytes more of it, unless it keeps them without "
          "power. Link `dse_weights.c` to it, so that start-up code loads it before `dse_init`.\n\n",
          cell(a.name), constants);
  }
  out += fmt::format("| `dse_runtime` | .bss | {} | yours; with pointers of 8 bytes |\n", ram.runtime);
  out += fmt::format("| `dse_port_eager` | .bss | {} | yours |\n", ram.port);
  out += fmt::format("| weights | .rodata | {} | with their CRC-32 |\n", constants > 0 ? constants + 4 : 1);
  out += fmt::format("| plan | .rodata | {} | |\n", plan);
  out +=
      fmt::format("\n.bss and .data together: {} bytes (`DSE_RAM_BYTES` for the compiler that asks).\n\n", ram.total());
  return out + loaded;
}

/// What the package does not compute of the file's network, and the tensors between the two.
std::string host_part(const nn::Network& n) {
  if (n.host.empty()) return {};
  std::string out = fmt::format(
      "\n## The host's part\n\nThis package is a part of the file's network. {} operator{} left to the host:\n\n"
      "| operator | type | runs | why |\n|---|---|---|---|\n",
      n.host.size(), n.host.size() == 1 ? " is" : "s are");
  for (const auto& h : n.host)
    out +=
        fmt::format("| {} | {} | {} | {} |\n", cell(h.name), cell(h.type), h.before ? "before" : "after", cell(h.why));
  out += "\n| | tensor | type | shape | scale | zero point |\n|---|---|---|---|---|---|\n";
  const auto ports = [&](const std::vector<int>& list, const char* role) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto& t = n.tensors[static_cast<std::size_t>(list[i])];
      const auto& q = t.quantization;
      out += fmt::format("| {} {} | {} | {} | {} | {} | {} |\n", role, i, cell(t.name), nn::name_of(t.type),
                         fmt::join(t.shape, " x "), q.scale.size() == 1 ? fmt::format("{:.9g}", q.scale[0]) : "",
                         q.zero_point.size() == 1 ? std::to_string(q.zero_point[0]) : "");
    }
  };
  ports(n.inputs, "input"), ports(n.outputs, "output");
  return out;
}

std::string readme(const nn::Network& network, const hw::Device& device, const program::Program& p, const Facts& facts,
                   std::size_t plan_bytes, std::size_t constant_bytes) {
  std::string out = fmt::format("# {} on {}\n\n", network.name, device.name);
  if (!facts.point.empty()) out += fmt::format("Point {}. ", facts.point);
  out += fmt::format("Plan {}.\n\n", p.plan_id.empty() ? "without id" : p.plan_id);
  out += fmt::format("Latency as simulated: {} cycles = {:.1f} us ({}; {}).\n\n", facts.latency_ticks,
                     microseconds(device, facts.latency_ticks), kernel_note(device), facts.accuracy);
  out += "| arena | bytes used | memory | on chip |\n|---|---|---|---|\n";
  std::int64_t on_chip = 0;
  for (const program::Arena& a : p.arenas) {
    const hw::Memory* m = memory_of(device, a.name);
    if (m && m->on_chip) on_chip += a.size;
    out += fmt::format("| {} | {} | {} | {} |\n", a.name, a.size, m ? size_text(m->size) : "?",
                       m && m->on_chip ? "yes" : "no");
  }
  out += "\n| input | bytes | arena | offset | |\n|---|---|---|---|---|\n";
  for (const program::Port& in : p.inputs)
    out += fmt::format("| {} | {} | {} | {} | {} |\n", cell(in.name), in.size,
                       p.arenas[static_cast<std::size_t>(in.arena)].name, in.offset,
                       in.streamed    ? "streamed: the plan reads every byte once, in order, while it runs"
                       : in.preserved ? "kept: still there after the run"
                                      : "released: write it before each run, the plan reuses its bytes");
  out += fmt::format(
      "\nMemory on chip: {}. Apart from it: plan {}, weights {}, the runtime's state {} (on this host), stack, and {} "
      "copied once "
      "at start-up.\n\n",
      size_text(on_chip), size_text(static_cast<std::int64_t>(plan_bytes)),
      size_text(static_cast<std::int64_t>(constant_bytes)), size_text(sizeof(dse_runtime)),
      size_text(facts.startup_bytes));
  out += memory_section(device, p, static_cast<std::int64_t>(plan_bytes), static_cast<std::int64_t>(constant_bytes));
  out +=
      "## Try it\n\n```\ncc -std=c99 -Wall -Wextra -Werror *.c -o selftest && ./selftest\n```\n\n"
      "runs the test vector with an eager port, a lazy one and random interleavings of the engines; all must give the "
      "simulated\n"
      "outputs.\n\n"
      "## Use it\n\n```c\n#include \"dse_package.h\"\n#include \"dse_port_eager.h\"\n\n"
      "static dse_runtime rt;\nstatic dse_port_eager eager;\n\n"
      "dse_init(&rt, dse_plan, DSE_PLAN_BYTES, dse_arenas, dse_weights);  /* once */\n"
      "memcpy(dse_input(&rt, 0), image, dse_input_info(&rt, 0).size);     /* per inference */\n"
      "dse_port port = dse_make_port_eager(&eager);\n"
      "if (dse_run_program(&rt, &port) == DSE_OK) use(dse_output(&rt, 0));\n```\n\n"
      "Leave `main.c` and `dse_port_random.*` out of a firmware; replace the port by one that drives your DMA "
      "(`dse_port` in\n"
      "`dse_runtime.h`). Queues of the plan:\n\n| queue | name |\n|---|---|\n";
  for (std::size_t i = 0; i < p.queues.size(); ++i) out += fmt::format("| {} | {} |\n", i, p.queues[i].name);
  out +=
      "\nTo place arenas in memories, define `DSE_ARENA_<n>_ATTRIBUTE` (for instance a section attribute) when "
      "compiling\n`dse_arenas.c`.\n";
  out += host_part(network);
  if (!facts.command.empty()) out += fmt::format("\nExported by `{}`.\n", facts.command);
  return out;
}

nlohmann::ordered_json manifest(const nn::Network& network, const hw::Device& device, const program::Program& p,
                                std::int64_t constants, const Facts& facts, const std::vector<File>& files) {
  nlohmann::ordered_json j;
  j["format"] = kManifestFormat;
  j["network"] = {{"name", network.name}, {"structure", network.structure_hash()}};
  for (const auto& h : network.host)
    j["network"]["host"].push_back(
        {{"name", h.name}, {"type", h.type}, {"runs", h.before ? "before" : "after"}, {"why", h.why}});
  j["device"] = {{"name", device.name}, {"hash", device.hash()}};
  j["plan"] = {{"id", p.plan_id}, {"format", program::kPlanFormat}};
  if (!facts.point.empty()) j["point"] = facts.point;
  j["latency"] = {{"cycles", facts.latency_ticks},
                  {"us", microseconds(device, facts.latency_ticks)},
                  {"origin", "simulated"},
                  {"accuracy", facts.accuracy}};
  j["kernels"] = {{"timed_as", device.kernel_library}, {"ships", "reference"}, {"note", kernel_note(device)}};
  for (const program::Arena& a : p.arenas) {
    const hw::Memory* m = memory_of(device, a.name);
    j["arenas"].push_back(
        {{"name", a.name}, {"bytes", a.size}, {"alignment", a.alignment}, {"on_chip", m && m->on_chip}});
  }
  const auto ports = [&](const std::vector<program::Port>& list, bool inputs) {
    auto out = nlohmann::ordered_json::array();
    for (const program::Port& x : list) {
      out.push_back({{"name", x.name},
                     {"arena", p.arenas[static_cast<std::size_t>(x.arena)].name},
                     {"offset", x.offset},
                     {"bytes", x.size}});
      if (inputs) out.back()["mode"] = mode_of(x);
    }
    return out;
  };
  j["inputs"] = ports(p.inputs, true), j["outputs"] = ports(p.outputs, false);
  j["startup_bytes"] = facts.startup_bytes;
  const Ram ram = ram_of(p, constants);
  j["ram"] = {{"arenas", nlohmann::ordered_json::array()},
              {"runtime", ram.runtime},
              {"port_eager", ram.port},
              {"pointer_bytes", sizeof(void*)},
              {"total", ram.total()}};
  for (const ArenaRam& a : ram.arenas)
    j["ram"]["arenas"].push_back(
        {{"name", a.name}, {"bytes", a.object}, {"state", a.state}, {"resident", a.resident}, {"weights", a.image}});
  for (const File& f : files)
    j["files"].push_back({{"name", f.name}, {"bytes", f.bytes.size()}, {"sha256", sha256(f.bytes)}});
  return j;
}

bool write_files(const std::string& folder, const std::vector<File>& files, Diagnostics& diags) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    diags.error({folder, 0, 0}, "cannot make the folder: " + failed.message());
    return false;
  }
  for (const File& f : files) {
    const auto path = std::filesystem::path(folder) / f.name;
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(f.bytes.data()), static_cast<std::streamsize>(f.bytes.size()));
    out.close();
    if (!out) {
      diags.error({path.string(), 0, 0}, "cannot write");
      return false;
    }
  }
  return true;
}

}  // namespace

bool write_package(const nn::Network& network, const hw::Device& device, const program::Program& program,
                   std::span<const std::uint8_t> constants, const ByteVectors& inputs, const ByteVectors& outputs,
                   const Facts& facts, const std::string& folder, Diagnostics& diags) {
  if (const auto priced = nn::priced_text(network); !priced.empty()) {
    diags.error({folder, 0, 0}, "cannot be exported: " + priced);
    return false;
  }
  PackageFiles data{program::encode(program), {constants.begin(), constants.end()}, inputs, outputs};
  constexpr int kInterleavings = 8;
  if (!verify_package(data, kInterleavings, 1, folder, diags)) return false;

  std::vector<File> files{{"plan.dse", data.plan}, {"weights.bin", program::with_checksum(constants)}};
  for (std::size_t i = 0; i < inputs.size(); ++i) files.push_back({fmt::format("input{}.bin", i), inputs[i]});
  for (std::size_t i = 0; i < outputs.size(); ++i) files.push_back({fmt::format("output{}.bin", i), outputs[i]});
  for (auto& [name, text] : generate_c(program, data.plan, constants, inputs, outputs, network.name, device.name))
    files.push_back({name, bytes_of(text)});
  for (const ShippedFile& f : shipped_files()) files.push_back({std::string(f.name), bytes_of(f.text)});
  for (const auto& [name, text] : facts.documents) files.push_back({name, bytes_of(text)});
  files.push_back({"README.md", bytes_of(readme(network, device, program, facts, data.plan.size(), constants.size()))});
  files.push_back({"manifest.json",
                   bytes_of(manifest(network, device, program, std::ssize(constants), facts, files).dump(2) + "\n")});
  return write_files(folder, files, diags);
}

}  // namespace dse::deploy
