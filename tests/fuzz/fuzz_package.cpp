// Packages: with the sums of header and whole made right again, the reader and the runtime's loader refuse them or take
// them, and what is taken runs within its arenas. Repairing and decrypting look at nothing outside.
#include "deploy/format/contents.h"
#include "deploy/format/sealed.h"
#include "dse_decode.h"
#include "dse_repair.h"
#include "dse_seal.h"
#include "tests/deploy/damaged_package.h"
#include "tests/deploy/damaged_plan.h"

namespace {

using dse::deploy::Bytes;

/// Length, and the sums of header, sections and whole, right; the programs' too, so that what they hold is looked at.
void reseal(Bytes& b) {
  if (b.size() < DSE_PACKAGE_HEADER + DSE_PACKAGE_TRAILER) return;
  dse::set_u32(b, 12, static_cast<std::uint32_t>(b.size()));
  dse::test::reseal_package(b);
  dse_package p;
  if (dse_package_open_header(&p, b.data(), static_cast<std::uint32_t>(b.size())) != DSE_OK) return;
  for (std::uint32_t i = 0; i < p.sections; ++i) {
    dse_section s;
    if (dse_package_section(&p, i, &s) != DSE_OK) continue;
    if (s.kind == DSE_SECTION_PROGRAM && s.size >= 16) {
      Bytes program(s.bytes, s.bytes + s.size);
      dse::test::seal_plan(program);
      std::copy(program.begin(), program.end(), b.begin() + (s.bytes - b.data()));
    }
    dse::set_u32(b, DSE_PACKAGE_HEADER + i * p.entry + 16, dse_crc32c(0, s.bytes, s.size));
  }
  dse::test::reseal_package(b);
}

/// dse_init() and a run of what it takes, in arenas between guard bytes.
void load(const std::uint8_t* package, std::uint32_t size) {
  constexpr std::uint32_t kArena = 1u << 16, kGuard = 64;
  std::vector<Bytes> memory(DSE_MAX_ARENAS, Bytes(kArena + 2 * kGuard, 0x5A));
  std::vector<dse_arena> arenas;
  for (Bytes& m : memory) arenas.push_back({m.data() + kGuard, kArena});
  dse_runtime rt;
  if (dse_init(&rt, package, size, arenas.data(), DSE_MAX_ARENAS) == DSE_OK && dse_instruction_count(&rt) <= 20'000) {
    const auto port = std::make_unique<dse::test::BoundedPort>();
    port->inner = dse_make_port_random(&port->random, size, 0);
    const dse_port bounded = {port.get(), dse::test::BoundedPort::submit, dse::test::BoundedPort::wait};
    (void)dse_run(&rt, &bounded);
  }
  for (const Bytes& m : memory)
    for (std::size_t i = 0; i < kGuard; ++i)
      if (m[i] != 0x5A || m[m.size() - 1 - i] != 0x5A) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Bytes bytes(data + 1, data + size);
  if (data[0] & 1) reseal(bytes);
  const auto length = static_cast<std::uint32_t>(bytes.size());
  dse::Diagnostics d;
  const auto read = dse::deploy::read_contents(bytes, "p", d);
  if (read.has_value() == d.has_errors()) std::abort();
  (void)dse::deploy::sections_of(bytes, "p", d);
  (void)dse::deploy::info_of(bytes);

  const std::unique_ptr<std::uint8_t[], void (*)(std::uint8_t*)> exact(
      new (std::align_val_t{16}) std::uint8_t[bytes.size()],
      [](std::uint8_t* p) { ::operator delete[](p, std::align_val_t{16}); });
  std::copy(bytes.begin(), bytes.end(), exact.get());
  load(exact.get(), length);

  const dse::deploy::Key key{};
  alignas(16) std::uint8_t room[4096];
  (void)dse_unseal(exact.get(), length, key.data(), room, sizeof room);
  (void)dse::deploy::unseal(bytes, key, "p", d);
  if (!bytes.empty()) (void)dse_repair(exact.get(), length, nullptr);
  return 0;
}
