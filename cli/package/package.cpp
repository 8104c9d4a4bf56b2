// dse package: looks into packages, verifies, repairs and decrypts them.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/characters.h"
#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/output.h"
#include "cli/package/package_file.h"
#include "cli/package/whose_files.h"
#include "deploy/format/contents.h"
#include "deploy/format/sealed.h"
#include "deploy/host/runner.h"

namespace dse::cli {
namespace {

struct PackageOptions {
  std::string file, key, out;
  std::vector<std::string> files;
  int interleavings = 20;
  std::uint64_t seed = 1;
  bool json = false;
};

int inspect(const PackageOptions& o) {
  Diagnostics d;
  const auto file = package_path(o.file);
  const auto text = read_file(file, d);
  const deploy::Bytes bytes = text ? deploy::Bytes(text->begin(), text->end()) : deploy::Bytes();
  const auto sections = text ? deploy::sections_of(bytes, file, d) : std::vector<deploy::SectionLine>();
  if (const int code = report(d)) return code;
  const auto info = nlohmann::ordered_json::parse(deploy::info_of(bytes), nullptr, false);
  bool whole = true;
  for (const auto& s : sections) whole = whole && s.whole;
  if (o.json) {
    nlohmann::ordered_json j = {{"format", 1}, {"bytes", bytes.size()}, {"encrypted", deploy::is_sealed(bytes)}};
    if (info.is_object()) j["info"] = info;
    for (const auto& s : sections)
      j["sections"].push_back({{"kind", s.kind},
                               {"number", s.number},
                               {"offset", s.offset},
                               {"bytes", s.bytes},
                               {"crc32c", fmt::format("{:08x}", s.crc)},
                               {"required", s.required},
                               {"whole", s.whole}});
    print_json(j);
    return whole ? Exit::ok : Exit::mismatch;
  }
  fmt::print("{}: {} bytes{}\n", file, bytes.size(), deploy::is_sealed(bytes) ? ", encrypted" : "");
  if (info.is_object()) {
    fmt::print("{} on {}, by {}\n", info.value("/network/name"_json_pointer, std::string("?")),
               info.value("/device/name"_json_pointer, std::string("?")), info.value("tool", std::string("?")));
    if (info.contains("points"))
      for (const auto& p : info["points"])
        fmt::print("point {}: {} cycles, {}; {}\n", p.value("plan", std::string("?")), p.value("cycles", 0),
                   p.value("origin", std::string("?")), p.value("accuracy", std::string("?")));
  }
  fmt::print("\n{:<7} {:>6} {:>10} {:>10}  {:<8}  {}\n", "section", "number", "offset", "bytes", "crc32c", "");
  for (const auto& s : sections)
    fmt::print("{:<7} {:>6} {:>10} {:>10}  {:08x}  {}\n", s.kind, s.number, s.offset, s.bytes, s.crc,
               !s.whole     ? "DAMAGED"
               : s.required ? "required"
                            : "");
  return whole ? Exit::ok : Exit::mismatch;
}

int verify(const PackageOptions& o) {
  int worst = Exit::ok;
  for (const auto& what : o.files) {
    const auto file = package_path(what);
    Diagnostics d;
    const bool folder = std::filesystem::is_directory(what);
    if (folder) is_whole_package(what, d);
    const auto bytes = open_package_file(file, o.key, d);
    const auto contents = bytes ? deploy::read_contents(*bytes, file, d) : std::nullopt;
    if (const int code = report(d)) {
      worst = std::max(worst, code);
      continue;
    }
    const std::string sums =
        folder ? "every check sum matches, and every file of the folder" : "every check sum matches";
    if (contents->outputs.empty()) {
      fmt::print("{}: {}; it has no test vector to run\n", file, sums);
      continue;
    }
    Diagnostics runs;
    const bool good = deploy::verify_contents(*contents, o.interleavings, o.seed, file, runs);
    report(runs);
    if (good)
      fmt::print(
          "{}: {}; {} runs of {} point{} (eager, lazy, DMA, {} interleavings), outputs as "
          "expected\n",
          file, sums, (o.interleavings + 4) * std::ssize(contents->points), contents->points.size(),
          contents->points.size() == 1 ? "" : "s", o.interleavings);
    else
      worst = std::max<int>(worst, Exit::mismatch);
  }
  return worst;
}

int decrypt(const PackageOptions& o) {
  Diagnostics d;
  const auto file = package_path(o.file);
  const auto text = read_file(file, d);
  const deploy::Bytes stored = text ? deploy::Bytes(text->begin(), text->end()) : deploy::Bytes();
  if (text && !deploy::is_sealed(stored))
    d.note({file, 0, 0}, "is not encrypted: written as it is, repaired where it was damaged");
  const auto bytes = text ? unlock_package(stored, file, o.key, d) : std::nullopt;
  if (const int code = report(d)) return code;
  write_file(o.out, characters(*bytes));
  fmt::print("{}: {} bytes\n", o.out, bytes->size());
  return Exit::ok;
}

void add_key(CLI::App& command, std::string& key) {
  command.add_option("--key", key, "file with the key (32 bytes or 64 hexadecimal digits), or env:NAME");
}

}  // namespace

void add_package(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<PackageOptions>();
  auto* package = app.add_subcommand("package", "Look into packages (plan.dse), verify, repair and decrypt them");
  package->require_subcommand(1);
  auto* inspected = package->add_subcommand("inspect", "What a package says it is, and its table of sections");
  inspected->add_option("file", o->file, "plan.dse, or the folder of a package")->required();
  inspected->add_flag("--json", o->json, "print JSON");
  inspected->callback([o, &invocation] { invocation.exit = inspect(*o); });
  auto* verified = package->add_subcommand("verify",
                                           "Check every sum, of a folder every file, and run the test vector through "
                                           "all ports, with arenas as large as promised");
  verified->add_option("files", o->files, "files, or folders of packages")->required();
  verified->add_option("--interleavings", o->interleavings, "random orders of the engines that are tried")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  verified->add_option("--seed", o->seed, "of the first one")->capture_default_str();
  add_key(*verified, o->key);
  verified->callback([o, &invocation] { invocation.exit = verify(*o); });
  auto* decrypted =
      package->add_subcommand("decrypt", "Write the package without encryption, and with what was damaged repaired");
  decrypted->add_option("file", o->file, "plan.dse, or the folder of a package")->required();
  decrypted->add_option("--out,-o", o->out, "file to write")->required();
  add_key(*decrypted, o->key);
  decrypted->callback([o, &invocation] { invocation.exit = decrypt(*o); });
}

}  // namespace dse::cli
