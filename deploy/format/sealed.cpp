#include "deploy/format/sealed.h"

#include <sodium.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "deploy/format/errors.h"
#include "dse_package.h"

namespace dse::deploy {

static_assert(DSE_SEAL_KEY == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
static_assert(DSE_SEAL_NONCE == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
static_assert(DSE_SEAL_TAG == crypto_aead_xchacha20poly1305_ietf_ABYTES);

namespace {

std::optional<Key> of_digits(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  Key key;
  std::size_t length = 0;
  const char* end = nullptr;
  if (text.size() != 2 * key.size() ||
      sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &length, &end) != 0 ||
      length != key.size() || end != text.data() + text.size())
    return std::nullopt;
  return key;
}

/// What is authenticated besides: the header as far as it is known before anything is encrypted, and INFO.
Bytes authenticated(std::span<const std::uint8_t> header, std::span<const std::uint8_t> info) {
  Bytes out(header.begin(), header.begin() + DSE_SEAL_HEADER);
  out.insert(out.end(), info.begin(), info.end());
  return out;
}

}  // namespace

// What was given is not said where it names nothing: people give the key itself.
std::optional<Key> read_key(const std::string& from, Diagnostics& d) {
  const char* what = "a key is 32 bytes, or 64 hexadecimal digits";
  if (from.starts_with("env:")) {
    const char* value = std::getenv(from.c_str() + 4);
    const auto key = value ? of_digits(value) : std::nullopt;
    if (!key)
      d.error({"--key", 0, 0},
              value ? "the environment variable " + from.substr(4) + " holds no key"
                    : "the environment variable is not set",
              "a key is 64 hexadecimal digits there");
    return key;
  }
  std::error_code error;
  const auto status = std::filesystem::status(from, error);
  if (!std::filesystem::exists(status)) {
    d.error({"--key", 0, 0}, "there is no such file", "--key takes a file, or env:NAME, and never the key itself");
    return std::nullopt;
  }
  // Before it is opened: a pipe nobody writes to would never end.
  if (!std::filesystem::is_regular_file(status)) {
    d.error({from, 0, 0}, "is no regular file", "--key takes a file, or env:NAME");
    return std::nullopt;
  }
  std::ifstream in(from, std::ios::binary);
  if (!in) {
    d.error({from, 0, 0}, "cannot read the key", "--key takes a file, or env:NAME");
    return std::nullopt;
  }
  std::string text;
  for (char c; text.size() <= 2 * sizeof(Key) + 2 && in.get(c);) text += c;
  Key key;
  if (text.size() == key.size()) {
    std::copy(text.begin(), text.end(), key.begin());
    return key;
  }
  if (auto digits = of_digits(text)) return digits;
  d.error({from, 0, 0}, "holds no key", what);
  return std::nullopt;
}

Bytes seal(std::span<const std::uint8_t> package, const std::string& info, const Key& key, bool parity) {
  ensure(sodium_init() >= 0, "libsodium cannot start");
  std::vector<Section> sections{{DSE_SECTION_INFO, false, 0, Bytes(info.begin(), info.end())},
                                {DSE_SECTION_SEALED, true, 0, Bytes(DSE_SEAL_NONCE + DSE_SEAL_TAG + package.size())}};
  Bytes& body = sections[1].bytes;
  randombytes_buf(body.data(), DSE_SEAL_NONCE);
  const std::size_t count = sections.size() + (parity ? 1 : 0);  // check bits are a section too
  const Bytes header = container_start(count, container_size(sections, parity));
  const Bytes extra = authenticated(header, sections[0].bytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
      body.data() + DSE_SEAL_NONCE + DSE_SEAL_TAG, body.data() + DSE_SEAL_NONCE, nullptr, package.data(),
      package.size(), extra.data(), extra.size(), nullptr, body.data(), key.data());
  return write_container(sections, parity);
}

bool is_sealed(std::span<const std::uint8_t> bytes) {
  dse_package p;
  dse_section s;
  return dse_package_open_header(&p, bytes.data(), static_cast<std::uint32_t>(bytes.size())) == DSE_OK &&
         dse_package_find(&p, DSE_SECTION_SEALED, DSE_NO_SECTION, &s) != 0;
}

std::optional<Bytes> unseal(std::span<const std::uint8_t> bytes, const Key& key, const std::string& file,
                            Diagnostics& d) {
  dse_package p;
  dse_section sealed, info;
  int status = dse_package_open(&p, bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  if (status == DSE_OK && (dse_package_find(&p, DSE_SECTION_SEALED, DSE_NO_SECTION, &sealed) == 0 ||
                           sealed.size < DSE_SEAL_NONCE + DSE_SEAL_TAG))
    status = DSE_ERR_MALFORMED;
  if (status != DSE_OK) {
    d.error({file, 0, 0}, explain(status));
    return std::nullopt;
  }
  const bool named = dse_package_find(&p, DSE_SECTION_INFO, DSE_NO_SECTION, &info) != 0;
  const Bytes extra = authenticated(bytes, named ? std::span(info.bytes, info.size) : std::span<const std::uint8_t>());
  const std::uint8_t* body = sealed.bytes + DSE_SEAL_NONCE + DSE_SEAL_TAG;
  Bytes out(sealed.size - DSE_SEAL_NONCE - DSE_SEAL_TAG);
  if (crypto_aead_xchacha20poly1305_ietf_decrypt_detached(out.data(), nullptr, body, out.size(),
                                                          sealed.bytes + DSE_SEAL_NONCE, extra.data(), extra.size(),
                                                          sealed.bytes, key.data()) != 0) {
    d.error({file, 0, 0}, explain(DSE_ERR_KEY));
    return std::nullopt;
  }
  return out;
}

}  // namespace dse::deploy
