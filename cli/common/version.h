#pragma once

namespace dse::cli {

/// Of this build, as CMake's project() says.
inline constexpr const char* version = DSE_VERSION;

}  // namespace dse::cli
