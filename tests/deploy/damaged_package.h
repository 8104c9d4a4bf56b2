// Packages whose check sums are right and whose contents need not be.
#pragma once
#include "base/little_endian.h"
#include "deploy/format/container.h"
#include "dse_decode.h"
#include "dse_package.h"

namespace dse::test {

/// Makes the CRCs of header and whole right again, as far as the table lies within. Needs a header and a trailer.
inline void reseal_package(deploy::Bytes& b) {
  const std::uint64_t table = std::uint64_t{dse_le32(b.data() + 16)} * dse_le32(b.data() + 20);
  set_u32(b, DSE_PACKAGE_CHECK, 0);
  if (DSE_PACKAGE_HEADER + table <= b.size() - DSE_PACKAGE_TRAILER)
    set_u32(b, DSE_PACKAGE_CHECK, dse_crc32c(0, b.data(), static_cast<std::uint32_t>(DSE_PACKAGE_HEADER + table)));
  const std::size_t end = b.size() - DSE_PACKAGE_TRAILER;
  set_u32(b, end, dse_crc32c(0, b.data(), static_cast<std::uint32_t>(end)));
}

}  // namespace dse::test
