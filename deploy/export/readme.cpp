// README.md of a package: what it is, what it takes, how it is used.
#include <fmt/format.h>

#include "base/unit_text.h"
#include "deploy/export/words.h"
#include "deploy/size/flash.h"
#include "deploy/size/library_use.h"
#include "deploy/size/ram.h"

namespace dse::deploy {

const hw::Memory* memory_of(const hw::Device& device, const std::string& arena) {
  const int index = device.memory(arena);
  return index < 0 ? nullptr : &device.memories[static_cast<std::size_t>(index)];
}

const char* mode_of(const program::Port& input) {
  return input.streamed ? "streamed" : input.preserved ? "kept" : "released";
}

double microseconds(const hw::Device& device, std::int64_t ticks) {
  const std::int64_t hz = device.tick_hz();
  return hz > 0 ? static_cast<double>(ticks) * 1e6 / static_cast<double>(hz) : 0;
}

std::string kernel_note(const hw::Device& device, const Shipment& s) {
  if (s.kernels == KernelSet::own)
    return fmt::format("timed as {}, calls kernels of yours where you give some, and reference kernels",
                       device.kernel_library);
  if (s.kernels == KernelSet::cmsis_nn) {
    const LibraryUse use = cmsis_use(*s.points.front().program);
    const bool all = use.calls.taken == use.calls.all;
    return fmt::format(
        "timed as {}; CMSIS-NN computes {} of {} calls of kernels, {:.1f} % of the multiply-accumulates{}",
        device.kernel_library, use.calls.taken, use.calls.all,
        use.macs.all == 0 ? 0.0 : 100.0 * static_cast<double>(use.macs.taken) / static_cast<double>(use.macs.all),
        all ? "" : ", reference kernels the rest, whose time is not in the promise");
  }
  if (device.kernel_library.empty() || device.kernel_library == "reference")
    return "timed as, and ships, reference kernels";
  return fmt::format("timed as {}, ships reference kernels", device.kernel_library);
}

namespace {

std::string size_text(std::int64_t bytes) { return bytes < 1024 ? fmt::format("{} B", bytes) : kib_text(bytes); }

/// For a table: names come from users' files.
std::string cell(const std::string& s) {
  std::string out;
  for (const char c : s) out += c == '|' || static_cast<unsigned char>(c) < ' ' ? '_' : c;
  return out;
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

/// Points, their promises and their arenas.
std::string points_section(const hw::Device& device, const Shipment& s, const ReadmeFacts& facts) {
  std::string out = fmt::format(
      "Latency is simulated ({}; {}): {}.\n\n| point | cycles | us | on chip | program |\n|---|---|---|---|---|\n",
      kernel_note(device, s), s.accuracy, "from the first task to the last byte of the outputs");
  for (std::size_t k = 0; k < s.points.size(); ++k) {
    std::int64_t on_chip = 0;
    for (const auto& a : s.points[k].program->arenas)
      if (const auto* m = memory_of(device, a.name); m && m->on_chip) on_chip += a.size;
    out += fmt::format("| {} | {} | {:.1f} | {} | {} B |\n", s.points[k].id, s.points[k].latency_ticks,
                       microseconds(device, s.points[k].latency_ticks), size_text(on_chip), facts.program_bytes[k]);
  }
  if (s.points.size() > 1)
    out +=
        "\n`dse_init` takes the fastest point that fits the arenas it is given. Those of `dse_arenas.c` are of the "
        "point "
        "`DSE_POINT`, 0 = the fastest.\n";
  return out;
}

/// Which layers a library computes, and where it comes from.
std::string kernels_section(const nn::Network& network, const Shipment& s) {
  if (s.kernels == KernelSet::reference) return {};
  if (s.kernels == KernelSet::own)
    return "\n## Kernels of your own\n\n`dse_own.h` has a macro per kernel, which is the reference kernel unless you "
           "define it; `-DDSE_OWN_KERNELS='\"mine.h\"'`\nnames a header that does.\n";
  const LibraryUse use = cmsis_use(*s.points.front().program);
  std::string out =
      "\n## CMSIS-NN\n\nThe library (7.0 or later) is not part of this package: build with "
      "`-DDSE_CMSIS_NN=<its folder>`. Where it cannot take a\ntile - it knows int8 tensors without gaps - the "
      "reference kernel computes the call, and the promised time is not what\nthat takes. Both give the same "
      "bytes.\n\n| layer | calls | of CMSIS-NN |\n|---|---|---|\n";
  for (const auto& [layer, calls] : use.layers)
    out += fmt::format("| {} | {} | {} |\n", cell(network.operators[static_cast<std::size_t>(layer)].name), calls.all,
                       calls.taken == calls.all ? "all"
                       : calls.taken == 0       ? "none: reference"
                                                : std::to_string(calls.taken));
  return out;
}

std::string flash_text(const Shipment& s, const ReadmeFacts& facts) {
  const TargetFlash f = target_flash(s, facts.program_bytes, facts.package_bytes);
  std::string cores;
  for (const auto& [core, bytes] : f.text) cores += fmt::format("{}{} {}", cores.empty() ? "" : ", ", core, bytes);
  return fmt::format(
      "Flash: `dse_data`, which is weights {}, programs {} and {} around them, and code and tables: {} (by {},\n"
      "`-O2`). The libraries of C, of the compiler and of kernels come on top.\n\n",
      f.constants, f.program, f.frame, cores, flash_compiler());
}

/// The objects of a firmware, and what has to be in memory before the first run.
std::string memory_section(const nn::Network& network, const hw::Device& device, const Shipment& s,
                           const ReadmeFacts& facts) {
  const bool is_static = s.style == Style::statically;
  const ShippedPoint& point = s.points.front();
  const program::Program& p = *point.program;
  const auto constants = static_cast<std::int64_t>(point.constants.size());
  const Ram ram = ram_of(p, constants);
  std::string out =
      "\n## Memory\n\nObjects of a firmware that uses the package as below, to the byte (what a linker leaves free to "
      "align them comes on top):\n\n| object | section | bytes | memory | holds |\n|---|---|---|---|---|\n";
  std::string loaded;
  std::int64_t total = ram.all_arenas;
  for (std::size_t i = 0; i < ram.arenas.size(); ++i) {
    const ArenaRam& a = ram.arenas[i];
    const hw::Memory* m = memory_of(device, a.name);
    if (a.object > 0) {
      std::string holds = "tensors and tiles";
      if (a.state > 0) holds += fmt::format("; state that is kept between runs: {}", a.state);
      if (a.resident > 0) holds += fmt::format("; weights copied there once: {}", a.resident);
      if (a.image > 0) holds += fmt::format("; all weights, copied there once: {}", a.image);
      out += fmt::format("| `dse_arena_{}` | .bss | {} | {}{} | {} |\n", i, a.object, cell(a.name),
                         m && m->on_chip ? "" : ", not on chip", holds);
    }
    if (a.in_place && constants > 0 && m && m->on_chip)
      loaded += fmt::format(
          "The plan reads the weights from {}, which is on chip: {} bytes more of it, unless it keeps them without "
          "power. Place them there with `DSE_WEIGHTS_ATTRIBUTE`, so that start-up code loads them.\n\n",
          cell(a.name), constants);
  }
  if (!is_static) {
    out +=
        fmt::format("| `dse_runtime` | .bss | {} | | yours; with pointers of {} bytes |\n", ram.runtime, sizeof(void*));
    out += fmt::format("| `dse_port_eager` | .bss | {} | | yours |\n", ram.port);
    out += fmt::format("| `dse_data` | .rodata | {} | | package: programs, weights{} |\n", facts.package_bytes,
                       s.key ? ", encrypted" : "");
    if (s.key) out += "| the decrypted package | .bss | `DSE_UNSEALED_BYTES` | | yours |\n";
    total += ram.runtime + ram.port;
  } else {
    out += fmt::format("| `dse_weights` | .rodata | {} | | weights |\n", std::max<std::int64_t>(constants, 1));
  }
  if (ram.emulation > 0) {
    out +=
        fmt::format("| `dse_npu_memory` | .bss | {} | | what the emulation of the NPU works with |\n", ram.emulation);
    total += ram.emulation;
  }
  if (s.kernels == KernelSet::cmsis_nn) {
    const std::int64_t bytes = cmsis_memory(network);
    out += fmt::format(
        "| `dse_cmsis_memory` | .bss | {} | | what CMSIS-NN works with |\n"
        "| `dse_cmsis_calls` | .bss | {} | | how many calls it computed |\n",
        bytes, sizeof(std::uint32_t));
    total += cmsis_ram(bytes);
  }
  out +=
      fmt::format("\n.bss: {} bytes{}.\n\n", total, is_static ? "" : " (`DSE_RAM_BYTES` for the compiler that asks)");
  if (!is_static && !s.key && why_no_ram(network, device).empty()) {
    const TargetRam t = target_ram(network, device, p, s.kernels);
    out += fmt::format(
        "RAM on the chip of a 32-bit target: {} bytes (`DSE_TARGET_RAM_BYTES`): arenas {}, runtime {}, port {}, "
        "kernels "
        "{}{}.\n\n",
        t.total(), t.arenas, t.runtime, t.port, t.kernels,
        t.stack > 0
            ? fmt::format(", and a stack of\n{} (`DSE_STACK_BYTES`) to be kept free: a bound of what `dse_init()` "
                          "and `dse_run()` take, by {}",
                          t.stack, stack_compiler())
            : "; of a stack of this device's nothing is known");
    out += flash_text(s, facts);
  }
  return out + loaded;
}

/// What linked images took.
std::string checked_section(const ReadmeFacts& facts) {
  if (facts.checked.empty()) return "";
  std::string out =
      "## Checked\n\nThe self-test was compiled and run, and gave the simulated bytes. Emulators prove what a program "
      "computes,\nnever how long it takes. Flash = text + data and RAM = data + bss are what `arm-none-eabi-size` says "
      "of "
      "the\nlinked image: this package, its test vector, start-up code and self-test.\n\n"
      "| target | runs | text | data | bss | flash | RAM | stack | objects | instructions | compiler |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Checked& c : facts.checked) {
    if (c.bss == 0 && c.text == 0)
      out += fmt::format("| {} | {} | | | | | | | | | {} |\n", c.target, fmt::join(c.runs, ", "), c.compiler);
    else
      out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", c.target,
                         fmt::join(c.runs, ", "), c.text, c.data, c.bss, c.text + c.data, c.data + c.bss, c.stack,
                         c.objects, c.instructions, c.compiler);
  }
  if (facts.promised_objects >= 0)
    out += fmt::format(
        "\nObjects are the variables among data and bss that are not of the start-up code and the self-test: promised "
        "are {} bytes.\n",
        facts.promised_objects);
  return out +
         "\nStack is the most that was in use: which functions call each other does not depend on the input, so that "
         "it "
         "is also\nthe most that this build ever uses, interrupts apart. Instructions are those of one inference of "
         "this build, and\nno cycles: "
         "the board's memories, its caches and its pipeline are not in the count.\n\n";
}

std::string use_section(const Shipment& s) {
  std::string out = "## Try it\n\n```\ncc -std=c99 -Wall -Wextra -Werror *.c -o selftest && ./selftest";
  out += s.key ? " KEYFILE\n```\n\n" : "\n```\n\n";
  if (s.style == Style::statically) {
    return out +
           "## Use it\n\n```c\n#include \"dse.h\"\n\ndse_init();                                        /* once */\n"
           "memcpy(dse_input(0), image, DSE_INPUT_0_BYTES);    /* per inference */\n"
           "if (dse_run() == DSE_OK) use(dse_output(0));\n```\n\n"
           "Leave `main.c`, `dse_selftest.c` and `dse_test_vector.c` out of a firmware.\n";
  }
  out +=
      "runs the test vector with an eager port, a lazy one, one over a DMA controller and random interleavings of the "
      "engines;\nall must give the simulated outputs.\n\n## Use it\n\n```c\n#include \"dse.h\"\n\n"
      "static dse_runtime rt;\nstatic dse_port_eager eager;\n\n";
  out += s.key ? "static DSE_ALIGNED(16) uint8_t opened[DSE_UNSEALED_BYTES];\n\n"
                 "dse_unseal(dse_data, DSE_DATA_BYTES, key, opened, sizeof opened);   /* once */\n"
                 "dse_init(&rt, opened, sizeof opened, dse_arenas, DSE_ARENAS);       /* once */\n"
               : "dse_init(&rt, dse_data, DSE_DATA_BYTES, dse_arenas, DSE_ARENAS);    /* once */\n";
  if (has_streams(*s.points.front().program))
    out += "DSE_ATTACH(&rt);                                                    /* once: the NPU, emulated */\n";
  out +=
      "memcpy(dse_input(&rt, 0), image, dse_input_info(&rt, 0).size);      /* per inference */\n"
      "dse_port port = dse_make_port_eager(&eager);\n"
      "if (dse_run(&rt, &port) == DSE_OK) use(dse_output(&rt, 0));\n```\n\n"
      "`dse_step(&rt, &port)` in place of `dse_run` does one task and returns 1 until all are done. Leave `main.c`, "
      "`dse_selftest.c`,\n`dse_test_vector.c` and `dse_port_random.*` out of a firmware; give `dse_port_dma` the three "
      "functions of your DMA\ncontroller. Queues of the plan:\n\n| queue | name |\n|---|---|\n";
  const auto& p = *s.points.front().program;
  for (std::size_t i = 0; i < p.queues.size(); ++i) out += fmt::format("| {} | {} |\n", i, p.queues[i].name);
  return out;
}

}  // namespace

std::string readme(const nn::Network& network, const hw::Device& device, const Shipment& s, const ReadmeFacts& facts) {
  const program::Program& p = *s.points.front().program;
  std::string out = fmt::format("# {} on {}\n\n", network.name, device.name) + points_section(device, s, facts);
  out += "\n| input | bytes | arena | offset | |\n|---|---|---|---|---|\n";
  for (const program::Port& in : p.inputs)
    out += fmt::format("| {} | {} | {} | {} | {} |\n", s.nameless ? "" : cell(in.name), in.size,
                       p.arenas[static_cast<std::size_t>(in.arena)].name, in.offset,
                       in.streamed    ? "streamed: the plan reads every byte once, in order, while it runs"
                       : in.preserved ? "kept: still there after the run"
                                      : "released: write it before each run, the plan reuses its bytes");
  if (has_streams(p))
    out +=
        "\n## The NPU is emulated\n\nThe plan's command streams are those of the simulated NPU: its bytes are what "
        "this "
        "package computes, on the processor, with\nthe kernels of the interpreter and weights decoded as the NPU "
        "decodes "
        "them. Its time is what was simulated. An NPU of Arm's runs\nwhat Arm's compiler makes of the network; "
        "`dse_set_stream_executor()` is where a firmware with one calls it.\n";
  out += kernels_section(network, s) + memory_section(network, device, s, facts) + checked_section(facts) +
         use_section(s) + host_part(network);
  if (!s.command.empty()) out += fmt::format("\nExported by `{}`.\n", s.command);
  return out;
}

}  // namespace dse::deploy
