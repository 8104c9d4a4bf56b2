// The project's own container of a whole network (.dsenet): what other formats cannot say, as Q formats.
//
//   offset 0   8 bytes  "DSENET\r\n"
//          8   uint32   format, 1
//         12   uint32   bytes of the header
//         16   uint64   bytes of the data
//         24   header   JSON: {"format": 1, "name", "inputs", "outputs", "tensors": [{"name", "shape", "type", "kind",
//                       "scale"?, "zero_point"?, "axis"?, "correction"?, "data": [offset, bytes]?, "fill"?}],
//                       "operators": [{"kind", "type"?, "name", "inputs", "outputs", "options"?}]}
//              data     the constants' bytes, where "data" says
//              uint32   CRC-32 (zlib's polynomial) of everything before it
//
// Integers are little endian. Options are those that differ from their defaults, by the names of for_each_option;
// enumerations by their names.
#pragma once
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// The file's bytes. Equal networks give equal bytes.
std::vector<std::uint8_t> write_dsenet(const Network& n);

/// Reads what write_dsenet() writes and derives the rest as every importer does.
/// @returns null on error, never throws on bad input.
NetworkPtr import_dsenet(const std::vector<std::uint8_t>& bytes, const std::string& file, Diagnostics& diags,
                         const LoadOptions& options = {});

}  // namespace dse::nn
