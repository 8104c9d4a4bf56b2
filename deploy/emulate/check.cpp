#include "deploy/emulate/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/system/process.h"
#include "base/system/scratch_folder.h"

namespace dse::deploy {

namespace fs = std::filesystem;

namespace {

struct Target {
  const char* name;
  std::vector<std::string> flags;  // of arm-none-eabi-gcc
  const char *machine, *cpu;       // of qemu-system-arm
};

/// Boards of QEMU 7.2 whose core and memories are known to start: docs/run/emulate.md.
const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {"cortex-m4", {"-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"}, "mps2-an386", "cortex-m4"},
      {"cortex-m33", {"-mcpu=cortex-m33", "-mthumb", "-mfloat-abi=soft"}, "mps2-an505", "cortex-m33"},
      {"cortex-m55", {"-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard"}, "mps3-an547", "cortex-m55"}};
  return all;
}

constexpr const char *kArchive = "libkernels.a", *kObjects = "kernel_objects";
constexpr double kCompileSeconds = 300, kRunSeconds = 300;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The last lines of what a tool said.
std::string tail(const std::string& text) {
  std::size_t at = text.size();
  for (int lines = 0; at > 0 && lines < 12; --at) lines += text[at - 1] == '\n';
  return text.substr(at);
}

class Check {
 public:
  Check(const std::string& target, const Compilable& package, Diagnostics& d) : name_(target), p_(package), d_(d) {}

  std::optional<Checked> run() {
    write();
    const auto at = std::find_if(targets().begin(), targets().end(), [&](const Target& t) { return t.name == name_; });
    out_.target = name_;
    const bool good = at == targets().end() ? host() : emulated(*at);
    return good ? std::optional(out_) : std::nullopt;
  }

 private:
  /// The package is not what it should be.
  bool fail(const std::string& what, const std::string& hint = "") {
    d_.error({}, name_ + ": " + what, hint);
    return false;
  }
  /// The tools are not.
  [[noreturn]] void give_up(const std::string& what, const std::string& hint = "") const {
    throw ToolError(name_ + ": " + what + (hint.empty() ? "" : " (" + hint + ")"));
  }

  void put(const fs::path& file, const std::string& text) const {
    std::ofstream out(file, std::ios::binary);
    if (!(out << text).flush()) give_up(file.string() + " cannot be written: " + std::strerror(errno));
  }

  void write() {
    if (scratch_.path().empty()) give_up("cannot make a folder to build in");
    for (const auto& [name, text] : p_.files) {
      std::error_code error;
      fs::create_directories((scratch_.path() / name).parent_path(), error);
      put(scratch_.path() / name, text);
    }
    if (p_.key) {
      std::string digits, bytes;
      for (const std::uint8_t b : *p_.key) digits += fmt::format("{:02x}", b), bytes += fmt::format("{},", b);
      const auto file = scratch_.path() / "key";
      put(file, digits);
      fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
      put(scratch_.path() / "emulate_key.h", "#define EMULATE_KEY " + bytes + "\n");
    }
  }

  std::vector<std::string> sources(bool emulated) const {
    std::vector<std::string> out;
    for (const auto& [name, text] : p_.files) {
      const bool inside = name.find('/') != std::string::npos;
      if (!name.ends_with(".c") || (inside && !emulated)) continue;
      if (emulated && (name == "main.c" || name == p_.prefix + "_port_random.c")) continue;
      out.push_back(name);
    }
    return out;
  }

  /// Runs a tool, and returns what it says. @throws ToolError when it fails.
  std::string tool(const std::vector<std::string>& argv, double seconds, const std::string& doing) {
    const auto done = run_process(argv, scratch_.path().string(), seconds);
    if (done.timed_out) give_up(fmt::format("{} took longer than {:.0f} s", doing, seconds));
    if (done.code != 0) give_up(fmt::format("{} failed (exit code {}):\n{}", doing, done.code, tail(done.output)));
    return done.output;
  }

  /// Runs the self-test. Nothing after a diagnostic: it fails.
  std::optional<std::string> selftest(const std::vector<std::string>& argv, const std::string& doing) {
    const auto done = run_process(argv, scratch_.path().string(), kRunSeconds);
    if (done.timed_out) give_up(fmt::format("{} took longer than {:.0f} s", doing, kRunSeconds));
    if (done.code != 0)
      return fail(fmt::format("{} failed (exit code {}):\n{}", doing, done.code, tail(done.output))), std::nullopt;
    return done.output;
  }

  static std::vector<std::string> warnings() {
    return {"-std=c99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"};
  }

  bool has_library() const { return p_.kernels == KernelSet::cmsis_nn || (own() && !p_.library.empty()); }
  bool own() const { return p_.kernels == KernelSet::own; }

  /// For the package's own sources.
  std::vector<std::string> library_flags() const {
    if (!has_library()) return {};
    if (p_.kernels == KernelSet::cmsis_nn) return {"-isystem", p_.library + "/Include"};
    return {"-I.", "-isystem", p_.library, "-D" + macro("OWN_KERNELS") + "=\"own_kernels.h\""};
  }

  /// Compiles what the package's kernels come from into an archive, without a word about its warnings.
  bool library(std::vector<std::string> compiler, const char* archiver) {
    if (!has_library()) return true;
    const auto found = kernel_sources(p_.kernels, p_.library);
    if (found.empty())
      return fail(fmt::format("no kernels in {}", p_.library),
                  own() ? "own_kernels.h and sources" : "the folder of CMSIS-NN, with Include and Source");
    compiler.insert(compiler.end(), {"-std=gnu11", "-w", "-c", "-I", scratch_.path().string(), "-I",
                                     own() ? p_.library : p_.library + "/Include"});
    std::vector<std::string> archive{archiver, "rcs", kArchive};
    std::error_code error;
    fs::create_directories(scratch_.path() / kObjects, error);
    for (std::size_t i = 0; i < found.size(); ++i) {  // one by one: names may repeat
      auto argv = compiler;
      const std::string object = fmt::format("{}/{}.o", kObjects, i);
      argv.insert(argv.end(), {"-o", object, found[i]});
      tool(argv, kCompileSeconds, "compiling " + found[i]);
      archive.push_back(object);
    }
    tool(archive, kCompileSeconds, "archiving the kernels");
    return true;
  }

  bool host() {
    if (!has_program("cc")) give_up("there is no C compiler", "apt-get install gcc");
    const auto version = tool({"cc", "--version"}, 10, "cc");
    auto argv = warnings();
    argv.insert(argv.begin(), "cc");
    for (auto& f : library_flags()) argv.push_back(f);
    argv.insert(argv.end(), {"-o", "selftest"});
    for (auto& s : sources(false)) argv.push_back(s);
    if (!library({"cc", "-O2"}, "ar")) return false;
    if (has_library()) argv.emplace_back(kArchive);
    tool(argv, kCompileSeconds, "compiling");
    out_.compiler = first_line(version);
    std::vector<std::string> test{"./selftest"};
    if (p_.key) test.push_back("key");
    const auto said = selftest(test, "the self-test");
    if (said) out_.runs.push_back(first_line(*said));
    return said.has_value();
  }

  bool emulated(const Target& t) {
    for (const char* program : {"arm-none-eabi-gcc", "qemu-system-arm"})
      if (!has_program(program))
        give_up(std::string("there is no ") + program,
                "apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm");
    const auto version = tool({"arm-none-eabi-gcc", "--version"}, 10, "arm-none-eabi-gcc");
    out_.compiler = first_line(version);
    // The first image is that of a firmware; the second one also has the ports that prove the order of tasks.
    const std::vector<std::string> counting{"-include", "emulate.h", "-D" + macro("TEST_BEGIN") + "=emulate_count",
                                            "-D" + macro("TEST_END") + "=emulate_count_end"};
    std::vector<std::string> compiler{"arm-none-eabi-gcc", "-O2", "-ffunction-sections", "-fdata-sections"};
    compiler.insert(compiler.end(), t.flags.begin(), t.flags.end());
    if (!library(std::move(compiler), "arm-none-eabi-ar")) return false;
    build(t, "app.elf", counting);
    sizes();
    if (!boot(t, "app.elf", true)) return false;
    if (const auto broken = broken_promise(p_.promise, out_.objects, out_.stack); !own() && !broken.empty())
      return fail(broken);
    if (p_.style == Style::statically) return true;
    build(t, "ports.elf", {"-DEMULATE_PORTS"});
    return boot(t, "ports.elf", false);
  }

  void build(const Target& t, const std::string& image, const std::vector<std::string>& more) {
    std::vector<std::string> argv{"arm-none-eabi-gcc"};
    argv.insert(argv.end(), t.flags.begin(), t.flags.end());
    for (const auto& w : warnings()) argv.push_back(w);
    for (const char* f :
         {"-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "-nostartfiles", "--specs=nosys.specs",
          "-Wl,--no-warn-rwx-segments", "-fno-builtin-memset", "-I.", "-Iemulate", "-Lemulate"})
      argv.emplace_back(f);
    argv.push_back(fmt::format("-Temulate/{}.ld", t.name));
    // Every arena into a section of its own, which the linker script places.
    for (std::size_t i = 0; i < p_.memories.size(); ++i)
      argv.push_back(
          fmt::format("-D{}=__attribute__((section(\".bss.arena{}\")))", macro("MEMORY_" + p_.memories[i]), i));
    argv.emplace_back("-D" + macro("WEIGHTS_ATTRIBUTE") + "=__attribute__((section(\".weights\")))");
    if (p_.key) argv.insert(argv.end(), {"-include", "emulate_key.h"});
    argv.insert(argv.end(), more.begin(), more.end());
    for (auto& f : library_flags()) argv.push_back(f);
    argv.insert(argv.end(), {"-o", image});
    for (auto& s : sources(true)) argv.push_back(s);
    if (has_library()) argv.emplace_back(kArchive);
    tool(argv, kCompileSeconds, "compiling");
  }

  /// "DSE_X" with the package's prefix.
  std::string macro(const std::string& name) const { return capitals_of(p_.prefix) + "_" + name; }

  void sizes() {
    const auto said = tool({"arm-none-eabi-size", "app.elf"}, 10, "arm-none-eabi-size");
    std::istringstream in(said.substr(said.find('\n') + 1));
    in >> out_.text >> out_.data >> out_.bss;
    if (in.fail()) give_up("arm-none-eabi-size prints no sizes");
    out_.objects = objects_of(tool({"arm-none-eabi-nm", "-P", "app.elf"}, 10, "arm-none-eabi-nm"));
  }

  /// `counting`: a nanosecond of the board's is an instruction, whatever time it takes here.
  bool boot(const Target& t, const std::string& image, bool counting) {
    std::vector<std::string> argv{"qemu-system-arm",
                                  "-M",
                                  t.machine,
                                  "-cpu",
                                  t.cpu,
                                  "-display",
                                  "none",
                                  "-serial",
                                  "null",
                                  "-monitor",
                                  "none",
                                  "-semihosting-config",
                                  "enable=on,target=native",
                                  "-kernel",
                                  image};
    if (counting) argv.insert(argv.end(), {"-icount", "shift=0,sleep=off"});
    const auto said = selftest(argv, "the self-test in " + std::string(t.machine));
    if (!said) return false;
    std::istringstream in(*said);
    std::string word, is;
    while (in >> word >> is) {
      if (word == "stack")
        out_.stack = std::stoll(is);
      else if (word == "instructions")
        out_.instructions = std::max<std::int64_t>(out_.instructions, std::stoll(is));
      else if (is == "ok" && std::find(out_.runs.begin(), out_.runs.end(), word) == out_.runs.end())
        out_.runs.push_back(word);
    }
    return !out_.runs.empty() || fail("the image says nothing");
  }

  const std::string name_;
  const Compilable& p_;
  Diagnostics& d_;
  ScratchFolder scratch_;
  Checked out_;
};

}  // namespace

std::vector<std::string> check_targets() {
  std::vector<std::string> out{"host"};
  for (const Target& t : targets()) out.emplace_back(t.name);
  return out;
}

std::vector<std::string> kernel_sources(KernelSet kernels, const std::string& folder) {
  const bool own = kernels == KernelSet::own;
  std::vector<std::string> out;
  std::error_code error;
  for (fs::recursive_directory_iterator at(own ? fs::path(folder) : fs::path(folder) / "Source", error), end;
       !error && at != end; at.increment(error)) {
    const std::string stem = at->path().stem().string();
    const bool floats = stem.ends_with("f16") || stem.ends_with("f32");
    if (at->path().extension() == ".c" && (own || !floats)) out.push_back(at->path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<Checked> check_on(const std::string& target, const Compilable& package, Diagnostics& diagnostics) {
  return Check(target, package, diagnostics).run();
}

}  // namespace dse::deploy
