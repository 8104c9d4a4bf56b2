#include "deploy/export/package.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "deploy/export/projects.h"
#include "deploy/export/shipped.h"
#include "deploy/export/words.h"
#include "deploy/host/folder.h"
#include "deploy/host/runner.h"
#include "deploy/size/flash.h"
#include "deploy/size/library_use.h"
#include "deploy/size/ram.h"
#include "models/nn/dsenet.h"
#include "models/nn/graph/price.h"
#include "program/encoding.h"

namespace dse::deploy {

namespace {

using nlohmann::ordered_json;

/// What INFO and manifest.json both say.
ordered_json identity(const nn::Network& network, const hw::Device& device, const Shipment& s) {
  ordered_json j;
  j["tool"] = s.tool;
  j["network"] = {{"name", network.name}};
  j["device"] = {{"name", device.name}};
  if (!s.nameless) j["network"]["structure"] = network.structure_hash(), j["device"]["hash"] = device.hash();
  j["kernels"] = {{"timed_as", device.kernel_library},
                  {"ships", kernel_set_names()[static_cast<std::size_t>(s.kernels)]},
                  {"note", kernel_note(device, s)}};
  for (const ShippedPoint& p : s.points)
    j["points"].push_back({{"plan", p.id},
                           {"cycles", p.latency_ticks},
                           {"us", microseconds(device, p.latency_ticks)},
                           {"origin", "simulated"},
                           {"accuracy", s.accuracy}});
  return j;
}

ordered_json ports_json(const program::Program& p, bool inputs, bool nameless) {
  auto out = ordered_json::array();
  for (const program::Port& x : inputs ? p.inputs : p.outputs) {
    out.push_back({{"name", nameless ? "" : x.name},
                   {"arena", p.arenas[static_cast<std::size_t>(x.arena)].name},
                   {"offset", x.offset},
                   {"bytes", x.size}});
    if (inputs) out.back()["mode"] = mode_of(x);
  }
  return out;
}

ordered_json point_json(const nn::Network& network, const hw::Device& device, const ShippedPoint& s,
                        const Shipment& all, std::size_t program_bytes) {
  ordered_json j = {{"plan", s.id}, {"program_bytes", program_bytes}, {"startup_bytes", s.startup_bytes}};
  for (const program::Arena& a : s.program->arenas) {
    const hw::Memory* m = memory_of(device, a.name);
    j["arenas"].push_back(
        {{"name", a.name}, {"bytes", a.size}, {"alignment", a.alignment}, {"on_chip", m && m->on_chip}});
  }
  j["inputs"] = ports_json(*s.program, true, all.nameless);
  j["outputs"] = ports_json(*s.program, false, all.nameless);
  const Ram ram = ram_of(*s.program, std::ssize(s.constants));
  j["ram"] = {{"arenas", ordered_json::array()}, {"runtime", ram.runtime},         {"port_eager", ram.port},
              {"npu_emulation", ram.emulation},  {"pointer_bytes", sizeof(void*)}, {"total", ram.total()}};
  if (all.kernels == KernelSet::cmsis_nn) {
    const LibraryUse use = cmsis_use(*s.program);
    j["kernel_calls"] = {{"all", use.calls.all}, {"library", use.calls.taken}};
    j["macs"] = {{"all", use.macs.all}, {"library", use.macs.taken}};
    const std::int64_t memory = cmsis_ram(cmsis_memory(network));
    j["ram"]["cmsis_nn"] = memory;
    j["ram"]["total"] = ram.total() + memory;
  }
  if (all.style == Style::interpreted && !all.key && why_no_ram(network, device).empty()) {
    const TargetRam t = target_ram(network, device, *s.program, all.kernels);
    j["ram"]["target"] = {{"arenas", t.arenas},   {"runtime", t.runtime}, {"port_eager", t.port},
                          {"kernels", t.kernels}, {"stack", t.stack},     {"total", t.total()}};
  }
  for (const ArenaRam& a : ram.arenas)
    j["ram"]["arenas"].push_back(
        {{"name", a.name}, {"bytes", a.object}, {"state", a.state}, {"resident", a.resident}, {"weights", a.image}});
  return j;
}

/// Of the whole package; nothing where that is not said.
ordered_json flash_json(const nn::Network& network, const hw::Device& device, const Shipment& s,
                        const ReadmeFacts& facts) {
  if (s.style != Style::interpreted || s.key || !why_no_ram(network, device).empty()) return nullptr;
  const TargetFlash f = target_flash(s, facts.program_bytes, facts.package_bytes);
  ordered_json j = {{"constants", f.constants}, {"program", f.program}, {"frame", f.frame}};
  for (const auto& [core, bytes] : f.text) j["text"][core] = bytes, j["total"][core] = f.data() + bytes;
  j["compiler"] = flash_compiler();
  return j;
}

ordered_json manifest(const nn::Network& network, const hw::Device& device, const Shipment& s, const ReadmeFacts& facts,
                      const TextFiles& files) {
  ordered_json j = {{"format", kManifestFormat}};
  j.update(identity(network, device, s));
  for (const auto& h : network.host)
    j["network"]["host"].push_back(
        {{"name", h.name}, {"type", h.type}, {"runs", h.before ? "before" : "after"}, {"why", h.why}});
  j["style"] = s.style == Style::statically ? "static" : "interpreted";
  j["prefix"] = s.prefix;
  j["encrypted"] = s.key.has_value();
  for (std::size_t k = 0; k < s.points.size(); ++k)
    j["points"][k].update(point_json(network, device, s.points[k], s, facts.program_bytes[k]));
  if (auto flash = flash_json(network, device, s, facts); !flash.is_null()) j["flash"] = std::move(flash);
  for (const Checked& c : facts.checked)
    j["checked"].push_back({{"target", c.target},
                            {"runs", c.runs},
                            {"text", c.text},
                            {"data", c.data},
                            {"bss", c.bss},
                            {"objects", c.objects},
                            {"stack", c.stack},
                            {"instructions", c.instructions},
                            {"compiler", c.compiler}});
  for (const auto& [name, text] : files)
    j["files"].push_back({{"name", name},
                          {"bytes", text.size()},
                          {"sha256", sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()})}});
  return j;
}

/// What a package has beside the sources of a firmware: where it runs by itself. Files that come in several kinds are
/// shipped under the name of the plain one.
TextFiles selftest_files(const Shipment& s) {
  const bool is_static = s.style == Style::statically;
  std::map<std::string, std::string> of{{"dse_selftest.c", "dse_selftest.c"}};  // what -> as
  of[is_static ? "main_static.c" : "main.c"] = "main.c";
  of[is_static ? "emulate/main_static.c" : "emulate/main.c"] = "emulate/main.c";
  of[is_static ? "dse_start_static.h" : s.key ? "dse_start_sealed.h" : "dse_start.h"] = "dse_start.h";
  TextFiles out;
  for (const ShippedFile& f : shipped_files()) {
    const std::string name(f.name);
    const bool board = name.starts_with("emulate/") && !name.starts_with("emulate/main");
    if (!is_static && name.starts_with("dse_cycles."))  // measures what the plan's operators take on the target
      out.emplace_back(name, f.text);
    else if (of.count(name))
      out.emplace_back(of[name], f.text);
    else if (s.parity && !is_static && name.starts_with("dse_repair."))  // called by who has check bits to use
      out.emplace_back(name, f.text);
    else if (board && !(is_static && name.find("tick_dma") != name.npos))
      out.emplace_back(name, f.text);
  }
  return out;
}

/// What stands beside the encrypted bytes.
struct Shown {
  nn::Network network;
  hw::Device device;
  Shipment shipment;
};

/// Without names of the network, its layers and tensors, the device and the command, and without documents.
Shown without_names(const nn::Network& network, const hw::Device& device, const Shipment& s) {
  Shown out{network, device, s};
  out.network.name = out.device.name = "private";
  out.network.host.clear();
  for (auto& o : out.network.operators) o.name.clear();
  for (auto& t : out.network.tensors) t.name.clear();
  out.shipment.command.clear();
  out.shipment.documents.clear();
  return out;
}

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

/// Every file of a package, whose `contents` are proven. Nothing after diagnostics: a check failed.
std::optional<TextFiles> package_files(const nn::Network& network, const hw::Device& device, const Shipment& s,
                                       const Contents& contents, Diagnostics& diags) {
  const std::string info = identity(network, device, s).dump();  // that stays readable
  const auto encrypted = [&](Bytes bytes) { return s.key ? seal(bytes, info, *s.key, s.parity) : bytes; };
  const Bytes inside = write_contents(contents, Audience::target, s.parity && !s.key);
  const Bytes target = encrypted(inside);
  ReadmeFacts facts;
  facts.package_bytes = target.size();
  GeneratedInput in{network,  device,    {}, {}, target,    s.points.front().constants,
                    s.inputs, s.outputs, 0,  "", s.kernels, s.nameless};
  for (std::size_t k = 0; k < s.points.size(); ++k) {
    in.points.push_back(s.points[k].program.get()), in.ticks.push_back(s.points[k].latency_ticks);
    in.plan_ids += (k ? " " : "") + s.points[k].id;
    facts.program_bytes.push_back(contents.points[k].program.size());
  }
  if (s.key) in.unsealed = static_cast<std::uint32_t>(inside.size());

  TextFiles files = generate_c(in, s.style);
  for (auto& f : selftest_files(s)) files.push_back(std::move(f));
  const TextFiles sources = files;
  for (auto& f : needed_files(sources)) files.push_back(std::move(f));
  rename(files, s.prefix);
  const auto projects = project_files(files, *s.points.front().program, s.prefix, s.kernels, s.projects);
  Compilable compilable{files, s.prefix, s.style, {}, s.key, s.kernels, s.library};
  for (std::size_t a = 0; a < in.points[0]->arenas.size(); ++a)
    compilable.memories.push_back(macro_of(*in.points[0], a));
  if (!s.key) {
    const bool runtime = s.style == Style::interpreted;
    compilable.promise.objects = linked_objects(network, *in.points[0], s.kernels, runtime, emulation_of(in));
    if (runtime && emulation_of(in) == 0) compilable.promise.stack = stack_of(network, s.kernels);
  }
  facts.promised_objects = compilable.promise.objects;
  for (const std::string& target_name : s.check) {
    auto checked = check_on(target_name, compilable, diags);
    if (!checked) return std::nullopt;
    facts.checked.push_back(std::move(*checked));
  }
  TextFiles words{{"README.md", readme(network, device, s, facts)}};
  rename(words, s.prefix);
  files.push_back(words[0]);
  files.insert(files.end(), projects.begin(), projects.end());
  files.emplace_back("plan.dse", text_of(encrypted(write_contents(contents, Audience::host, s.parity && !s.key))));
  for (const auto& document : s.documents) files.push_back(document);
  files.emplace_back("manifest.json", manifest(network, device, s, facts, files).dump(2) + "\n");
  return files;
}

}  // namespace

Contents contents_of(const nn::Network& network, const hw::Device& device, const Shipment& s) {
  Contents c;
  c.info = identity(network, device, s).dump();
  for (const ShippedPoint& p : s.points) {
    const auto same = std::find(c.images.begin(), c.images.end(), p.constants);
    c.points.push_back(
        {program::encode(*p.program), static_cast<std::size_t>(same - c.images.begin()), p.latency_ticks, p.plan});
    if (same == c.images.end()) c.images.push_back(p.constants);
  }
  c.network = nn::write_dsenet(network);
  c.device = s.device;
  c.inputs = s.inputs, c.outputs = s.outputs;
  return c;
}

bool can_be_shipped(const nn::Network& network, const Shipment& s, const std::string& folder, Diagnostics& diags) {
  if (const auto priced = nn::priced_text(network); !priced.empty()) {
    diags.error({folder, 0, 0}, "cannot be exported: " + priced);
    return false;
  }
  if (s.style == Style::statically && (s.points.size() > 1 || s.key)) {
    diags.error({folder, 0, 0}, s.key ? "the static style has no package to encrypt" : "the static style has one point",
                "export it interpreted");
    return false;
  }
  if (s.kernels == KernelSet::cmsis_nn && has_streams(*s.points.front().program)) {
    diags.error({folder, 0, 0}, "the plan runs on an NPU, whose emulation is of reference kernels",
                "export it without --kernels cmsis-nn");
    return false;
  }
  return true;
}

bool write_package(const nn::Network& network, const hw::Device& device, const Shipment& s, const std::string& folder,
                   Diagnostics& diags) {
  if (!can_be_shipped(network, s, folder, diags)) return false;
  const Contents contents = contents_of(network, device, s);
  constexpr int kInterleavings = 8;
  if (!verify_contents(contents, kInterleavings, 1, folder, diags)) return false;
  std::optional<TextFiles> files;
  if (s.nameless) {
    const Shown shown = without_names(network, device, s);
    files = package_files(shown.network, shown.device, shown.shipment, contents, diags);
  } else {
    files = package_files(network, device, s, contents, diags);
  }
  if (files) write_folder(folder, *files);
  return files.has_value();
}

}  // namespace dse::deploy
