// Integrity of packages: every flipped bit, every length, every wrong key, arena and version is an error or is
// corrected. Under the asan preset this also proves that nothing outside is looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sodium.h>

#include <cmath>
#include <memory>

#include "base/crc32.h"
#include "deploy/format/contents.h"
#include "deploy/format/sealed.h"
#include "deploy/host/runner.h"
#include "dse_decode.h"
#include "dse_port_eager.h"
#include "dse_repair.h"
#include "dse_seal.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/plan.h"
#include "program/encoding.h"
#include "tests/deploy/damaged_package.h"
#include "tests/deploy/shipment.h"
#include "tests/support/random_cases.h"

namespace dse::drills_test {
namespace {

using deploy::Audience;
using deploy::Bytes;
using deploy::Contents;

/// Bytes in a block of exactly their size, aligned as packages are.
class Exact {
 public:
  explicit Exact(const Bytes& b) : size_(b.size()), room_(new (std::align_val_t{16}) std::uint8_t[b.size() + 1]) {
    std::copy(b.begin(), b.end(), room_.get());
    room_.get()[size_] = 0;
  }
  const std::uint8_t* data() const { return room_.get(); }
  std::uint8_t* data() { return room_.get(); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(size_); }

 private:
  struct Free {
    void operator()(std::uint8_t* p) const { ::operator delete[](p, std::align_val_t{16}); }
  };
  std::size_t size_;
  std::unique_ptr<std::uint8_t[], Free> room_;
};

/// A network of one small layer, its plan, and what a package holds of it.
Contents small() {
  for (std::uint64_t seed = 1;; ++seed) {
    test::Random random(seed);
    const auto network = test::random_network(random);
    const auto device = test::random_device(random);
    const auto made = plan::make_plan(*network, *device, test::random_choices(random, *network, *device));
    const auto* p = std::get_if<plan::Plan>(&made);
    if (!p) continue;
    const auto program = plan::lower(*network, *device, *p);
    const auto constants = plan::constants_image(*network, *device, *p);
    if (constants.empty() || constants.size() > 900) continue;
    Contents c;
    c.info = R"({"network": {"name": "small"}})";
    c.points.push_back({program::encode(program), 0, 1234, "plan: small\n"});
    c.images.push_back(constants);
    c.device = "{}";
    c.network = Bytes(200, 7);
    c.inputs = nn::seeded_inputs(*network, seed);
    const auto values = nn::interpret(*network, c.inputs);
    for (const int t : network->outputs) c.outputs.push_back(values[static_cast<std::size_t>(t)]);
    return c;
  }
}

const Contents& contents() {
  static const Contents c = small();
  return c;
}

/// dse_init() into arenas as large as the first point needs.
int init(const Bytes& package, const Bytes& program = contents().points[0].program) {
  dse_runtime rt;
  if (dse_open(&rt, program.data(), static_cast<std::uint32_t>(program.size())) != DSE_OK) return 1;
  test::ArenaMemory arenas(rt);
  const Exact exact(package);
  return dse_init(&rt, exact.data(), exact.size(), arenas.data(), arenas.count());
}

Bytes flipped(Bytes b, std::size_t bit) {
  b[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
  return b;
}

bool same(const Contents& a, const Contents& b) {
  return a.info == b.info && a.images == b.images && a.network == b.network && a.device == b.device &&
         a.inputs == b.inputs && a.outputs == b.outputs && a.points.size() == b.points.size() &&
         std::equal(a.points.begin(), a.points.end(), b.points.begin(), [](const auto& x, const auto& y) {
           return x.program == y.program && x.image == y.image && x.ticks == y.ticks && x.plan == y.plan;
         });
}

TEST(Drills, TheCheckSumIsCastagnolis) {
  const std::string text = "123456789";  // RFC 3720 and every catalogue of CRCs
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  EXPECT_EQ(dse_crc32c(0, bytes, 9), 0xE3069283u);
  EXPECT_EQ(dse_crc32c(dse_crc32c(0, bytes, 4), bytes + 4, 5), 0xE3069283u);
  EXPECT_EQ(crc32c(bytes, 9), 0xE3069283u);
}

TEST(Drills, WhatIsWrittenIsReadAgain) {
  for (const bool parity : {false, true}) {
    Diagnostics d;
    const auto read = deploy::read_contents(deploy::write_contents(contents(), Audience::host, parity), "p", d);
    ASSERT_TRUE(read) << d.text();
    EXPECT_TRUE(same(*read, contents()));
    EXPECT_EQ(init(deploy::write_contents(contents(), Audience::target, parity)), DSE_OK);
  }
}

TEST(Drills, EveryFlippedBitIsNoticed) {
  const Bytes good = deploy::write_contents(contents(), Audience::target, false);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    ASSERT_LT(init(flipped(good, bit)), 0) << "bit " << bit;
    Diagnostics d;
    ASSERT_FALSE(deploy::read_contents(flipped(good, bit), "p", d)) << "bit " << bit;
    ASSERT_TRUE(d.has_errors());
  }
}

TEST(Drills, EveryFlippedBitIsCorrected) {
  const Bytes good = deploy::write_contents(contents(), Audience::target, true);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Exact bad(flipped(good, bit));
    std::uint32_t corrected = 0;
    ASSERT_EQ(dse_repair(bad.data(), bad.size(), &corrected), DSE_OK) << "bit " << bit;
    EXPECT_EQ(corrected, 1u) << "bit " << bit;
    ASSERT_TRUE(std::equal(good.begin(), good.end(), bad.data())) << "bit " << bit;
  }
  std::uint32_t corrected = 7;
  Exact whole(good);
  EXPECT_EQ(dse_repair(whole.data(), whole.size(), &corrected), DSE_OK);
  EXPECT_EQ(corrected, 0u);
}

TEST(Drills, ABitInEveryBlockIsCorrectedAndTwoInOneAreAnError) {
  const Bytes good = deploy::write_contents(contents(), Audience::target, true);
  const std::uint32_t parity = dse_parity_offset(static_cast<std::uint32_t>(good.size()));
  ASSERT_GT(parity, 0u);
  test::Random random(5);
  for (int round = 0; round < 300; ++round) {
    Bytes bad = good;
    for (std::uint32_t b = 0; b < parity; b += DSE_PARITY_BLOCK)
      bad = flipped(std::move(bad), b * 8 + random() % (DSE_PARITY_BLOCK * 8));
    Exact repaired(bad);
    std::uint32_t corrected = 0;
    ASSERT_EQ(dse_repair(repaired.data(), repaired.size(), &corrected), DSE_OK);
    EXPECT_EQ(corrected, parity / DSE_PARITY_BLOCK);
    ASSERT_TRUE(std::equal(good.begin(), good.end(), repaired.data()));
    const std::uint64_t block = random() % (parity / DSE_PARITY_BLOCK) * DSE_PARITY_BLOCK * 8;
    const std::uint64_t one = random() % (DSE_PARITY_BLOCK * 8), other = random() % (DSE_PARITY_BLOCK * 8);
    if (one == other) continue;
    Exact twice(flipped(flipped(good, block + one), block + other));
    ASSERT_LT(dse_repair(twice.data(), twice.size(), nullptr), 0) << "block " << block << " " << one << " " << other;
  }
}

TEST(Drills, EveryLengthButItsOwnIsRefused) {
  for (const bool parity : {false, true}) {
    const Bytes good = deploy::write_contents(contents(), Audience::target, parity);
    for (std::size_t n = 0; n < good.size(); ++n) {
      const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
      ASSERT_LT(init(cut), 0) << n;
      Exact exact(cut);
      ASSERT_LT(dse_repair(exact.data(), exact.size(), nullptr), 0) << n;
    }
    Bytes longer = good;
    longer.push_back(0);
    EXPECT_EQ(init(longer), DSE_ERR_LENGTH);
  }
}

Bytes resealed(Bytes b) {
  test::reseal_package(b);
  return b;
}

TEST(Drills, VersionsAndSectionsFromTheFuture) {
  const Bytes good = deploy::write_contents(contents(), Audience::target, false);
  EXPECT_EQ(init(resealed(good)), DSE_OK);
  Bytes future = good;
  ++future[8];
  EXPECT_EQ(init(resealed(future)), DSE_ERR_FORMAT);
  Bytes reserved = good;
  reserved[24] = 1;
  EXPECT_EQ(init(resealed(reserved)), DSE_ERR_MALFORMED);
  const std::uint32_t sections = dse_le32(good.data() + 16);
  for (std::uint32_t i = 0; i < sections; ++i) {  // of another kind: required ones are refused, others skipped
    Bytes other = good;
    const std::size_t at = DSE_PACKAGE_HEADER + i * DSE_PACKAGE_ENTRY;
    const bool required = (other[at + 4] & DSE_SECTION_REQUIRED) != 0;
    other[at] = 'Z';
    EXPECT_EQ(init(resealed(other)), required ? DSE_ERR_UNSUPPORTED : DSE_OK) << i;
    Bytes beyond = good;
    beyond[at + 14] = 0xff;  // its size
    EXPECT_EQ(init(resealed(beyond)), DSE_ERR_LENGTH) << i;
    Bytes crooked = good;
    ++crooked[at + 8];  // its offset
    EXPECT_EQ(init(resealed(crooked)), DSE_ERR_MALFORMED) << i;
  }
}

TEST(Drills, ArenasThatAreTooSmallOrMisalignedOrMissing) {
  const Bytes good = deploy::write_contents(contents(), Audience::target, false);
  const Bytes& program = contents().points[0].program;
  const Exact exact(good);
  dse_runtime rt;
  ASSERT_EQ(dse_open(&rt, program.data(), static_cast<std::uint32_t>(program.size())), DSE_OK);
  const std::int32_t count = dse_arena_count(&rt), constants = dse_constants_arena(&rt);
  int smaller = 0, crooked = 0;
  for (std::int32_t a = 0; a < count; ++a) {
    ASSERT_EQ(dse_open(&rt, program.data(), static_cast<std::uint32_t>(program.size())), DSE_OK);
    const std::uint32_t size = dse_arena_size(&rt, a), alignment = dse_arena_alignment(&rt, a);
    if (size == 0) continue;
    test::ArenaMemory arenas(rt);
    const auto with = [&](dse_arena arena) {
      const dse_arena was = arenas[static_cast<std::size_t>(a)];
      arenas[static_cast<std::size_t>(a)] = arena;
      const int status = dse_init(&rt, exact.data(), exact.size(), arenas.data(), count);
      arenas[static_cast<std::size_t>(a)] = was;
      return status;
    };
    const dse_arena whole = arenas[static_cast<std::size_t>(a)];
    EXPECT_EQ(with({whole.base, size - 1}), DSE_ERR_POINT) << a;
    EXPECT_EQ(with({nullptr, size}), a == constants ? DSE_OK : DSE_ERR_POINT) << a;
    ++smaller;
    if (alignment > 1) EXPECT_EQ(with({whole.base + 1, size}), DSE_ERR_ALIGNMENT) << a;
    crooked += alignment > 1;
    EXPECT_EQ(dse_init(&rt, exact.data(), exact.size(), arenas.data(), count - 1), DSE_ERR_POINT);
  }
  EXPECT_GT(smaller, 1);
  EXPECT_GT(crooked, 1);
  Bytes shifted(good.size() + 17);
  auto* at = shifted.data();
  while (reinterpret_cast<std::uintptr_t>(at) % 16 != 8) ++at;
  std::copy(good.begin(), good.end(), at);
  test::ArenaMemory arenas(rt);
  EXPECT_EQ(dse_init(&rt, at, static_cast<std::uint32_t>(good.size()), arenas.data(), count), DSE_ERR_ALIGNMENT);
  EXPECT_EQ(dse_init(&rt, nullptr, 100, arenas.data(), count), DSE_ERR_MAGIC);
}

TEST(Drills, AnyBytesAreRefusedOrOpened) {
  const Bytes good = deploy::write_contents(contents(), Audience::host, false);
  test::Random random(11);
  int opened = 0;
  for (int i = 0; i < 20000; ++i) {
    Bytes bad = good;
    for (int k = test::pick(random, 1, 4); k > 0; --k)
      bad[random() % std::min<std::size_t>(bad.size(), 300)] = static_cast<std::uint8_t>(random());
    bad = resealed(std::move(bad));
    opened += init(bad) == DSE_OK;
    Diagnostics d;
    const auto read = deploy::read_contents(bad, "p", d);
    ASSERT_EQ(read.has_value(), !d.has_errors());
  }
  EXPECT_GT(opened, 10);
}

const deploy::Key kKey{1, 2, 3, 200, 5};

TEST(Seal, ChaChaAndPolyHoldAgainstTheirStandard) {
  // RFC 8439, 2.4.2 and 2.5.2; draft-irtf-cfrg-xchacha-03, 2.2.1.
  std::uint8_t key[32], out[114];
  for (int i = 0; i < 32; ++i) key[i] = static_cast<std::uint8_t>(i);
  const std::uint8_t nonce[12] = {0, 0, 0, 0, 0, 0, 0, 0x4a};
  const std::string text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be "
      "it.";
  ASSERT_EQ(text.size(), sizeof out);
  dse_chacha20(key, nonce, 1, reinterpret_cast<const std::uint8_t*>(text.data()), out, sizeof out);
  const std::uint8_t first[16] = {0x6e, 0x2e, 0x35, 0x9a, 0x25, 0x68, 0xf9, 0x80,
                                  0x41, 0xba, 0x07, 0x28, 0xdd, 0x0d, 0x69, 0x81};
  EXPECT_TRUE(std::equal(first, first + 16, out));
  EXPECT_EQ(out[113], 0x4d);
  const std::uint8_t poly_key[32] = {0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52,
                                     0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d,
                                     0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b};
  const std::string message = "Cryptographic Forum Research Group";
  dse_poly1305 poly;
  dse_poly1305_start(&poly, poly_key);
  dse_poly1305_add(&poly, reinterpret_cast<const std::uint8_t*>(message.data()), 34);
  std::uint8_t tag[16];
  dse_poly1305_end(&poly, tag);
  const std::uint8_t want[16] = {0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6,
                                 0xc2, 0x2b, 0x8b, 0xaf, 0x0c, 0x01, 0x27, 0xa9};
  EXPECT_TRUE(std::equal(want, want + 16, tag));
  const std::uint8_t long_nonce[16] = {0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0, 0x31, 0x41, 0x59, 0x27};
  std::uint8_t subkey[32];
  dse_hchacha20(key, long_nonce, subkey);
  EXPECT_EQ(subkey[0], 0x82);
  EXPECT_EQ(subkey[1], 0x41);
  EXPECT_EQ(subkey[31], 0xdc);
}

TEST(Seal, PolyIsLibsodiumsOnExtremesAndAtRandom) {
  ASSERT_GE(sodium_init(), 0);
  test::Random random(2);
  for (int i = 0; i < 4000; ++i) {
    std::uint8_t key[32];
    Bytes message(random() % 200);
    const int kind = static_cast<int>(random() % 4);
    for (auto& b : key) b = static_cast<std::uint8_t>(kind == 0 ? 0xff : random());
    for (auto& b : message) b = static_cast<std::uint8_t>(kind < 2 ? 0xff : random());
    dse_poly1305 poly;
    std::uint8_t tag[16], want[16];
    dse_poly1305_start(&poly, key);
    const auto cut = message.empty() ? 0 : random() % message.size();
    dse_poly1305_add(&poly, message.data(), static_cast<std::uint32_t>(cut));
    dse_poly1305_add(&poly, message.data() + cut, static_cast<std::uint32_t>(message.size() - cut));
    dse_poly1305_end(&poly, tag);
    crypto_onetimeauth_poly1305(want, message.data(), message.size(), key);
    ASSERT_TRUE(std::equal(tag, tag + 16, want)) << i;
  }
}

TEST(Seal, OpensOnTheTargetWhatLibsodiumEncrypted) {
  test::Random random(3);
  for (int i = 0; i < 200; ++i) {
    Bytes inside(random() % 700);
    for (auto& b : inside) b = static_cast<std::uint8_t>(random());
    const std::string info(random() % 40, 'x');
    deploy::Key key;
    for (auto& b : key) b = static_cast<std::uint8_t>(random());
    const Exact sealed(deploy::seal(inside, info, key, i % 2 == 0));
    ASSERT_EQ(dse_unsealed_size(sealed.data(), sealed.size()), inside.size());
    Exact room(Bytes(inside.size()));
    ASSERT_EQ(dse_unseal(sealed.data(), sealed.size(), key.data(), room.data(), room.size()), DSE_OK) << i;
    EXPECT_TRUE(std::equal(inside.begin(), inside.end(), room.data()));
    Diagnostics d;
    EXPECT_EQ(deploy::unseal({sealed.data(), sealed.size()}, key, "s", d), inside);
    if (!inside.empty())
      EXPECT_EQ(dse_unseal(sealed.data(), sealed.size(), key.data(), room.data(), room.size() - 1), DSE_ERR_LENGTH);
    key[static_cast<std::size_t>(i) % 32] ^= 1;
    EXPECT_EQ(dse_unseal(sealed.data(), sealed.size(), key.data(), room.data(), room.size()), DSE_ERR_KEY);
    EXPECT_FALSE(deploy::unseal({sealed.data(), sealed.size()}, key, "s", d));
  }
}

TEST(Seal, AnyChangeIsRefusedWholeEvenWithItsSumsMadeRight) {
  const Bytes inside = deploy::write_contents(contents(), Audience::target, false);
  const Bytes good = deploy::seal(inside, contents().info, kKey);
  EXPECT_EQ(init(good), DSE_ERR_SEALED);
  Exact room(Bytes(inside.size(), 0x5A));
  const Bytes untouched(inside.size(), 0x5A);
  const std::uint32_t table = dse_le32(good.data() + 16) * dse_le32(good.data() + 20) + DSE_PACKAGE_HEADER;
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    const Exact bad(flipped(good, bit));
    ASSERT_LT(dse_unseal(bad.data(), bad.size(), kKey.data(), room.data(), room.size()), 0) << bit;
    // With right sums again: whatever counts is authenticated. What does not, is in the table: numbers, flags, sums.
    const Exact sound(resealed(flipped(good, bit)));
    const int status = dse_unseal(sound.data(), sound.size(), kKey.data(), room.data(), room.size());
    if (bit / 8 >= table && bit / 8 < good.size() - 4) {
      const bool padding = status == DSE_OK;
      if (padding) {
        EXPECT_TRUE(std::equal(inside.begin(), inside.end(), room.data()));
        std::copy(untouched.begin(), untouched.end(), room.data());
      }
    } else if (status == DSE_OK) {
      EXPECT_TRUE(std::equal(inside.begin(), inside.end(), room.data())) << "bit " << bit;
      std::copy(untouched.begin(), untouched.end(), room.data());
    }
    ASSERT_TRUE(std::equal(untouched.begin(), untouched.end(), room.data())) << "written before it was proven";
  }
}

/// Bits per byte of a sample.
double entropy(std::span<const std::uint8_t> bytes) {
  std::array<double, 256> n{};
  for (const auto b : bytes) ++n[b];
  double h = 0;
  for (const double k : n)
    if (k > 0) h -= k / static_cast<double>(bytes.size()) * std::log2(k / static_cast<double>(bytes.size()));
  return h;
}

TEST(Seal, LeaksNothingOfTheWeights) {
  Contents c = contents();
  c.images[0].assign(200'000, 0);
  for (std::size_t i = 0; i < c.images[0].size(); ++i) c.images[0][i] = static_cast<std::uint8_t>(i % 7 == 0 ? 3 : 253);
  const Bytes inside = deploy::write_contents(c, Audience::target, false);
  const Bytes one = deploy::seal(inside, c.info, kKey), two = deploy::seal(inside, c.info, kKey);
  EXPECT_LT(entropy(inside), 1.0);
  const std::size_t head = 1000;
  EXPECT_GT(entropy(std::span(one).subspan(head)), 7.99);
  EXPECT_NE(one, two) << "a nonce of its own each time";
  std::size_t equal = 0;
  for (std::size_t i = head; i < one.size(); ++i) equal += one[i] == two[i];
  EXPECT_LT(static_cast<double>(equal) / static_cast<double>(one.size()), 0.006);  // 1 in 256
  for (std::size_t i = 0; i + 8 <= 100; i += 8)
    EXPECT_EQ(::memmem(one.data(), one.size(), c.images[0].data() + i, 8), nullptr);
}

}  // namespace
}  // namespace dse::drills_test
