// Operators that cannot be run, as black boxes: what they read and write is known and how long they take is stated, so
// that memory and latency of the whole network can be planned. What they compute is not known: every byte that they
// make is 0, or the zero point of an 8-bit tensor, for the interpreter and the simulation alike.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "models/nn/graph/derivation.h"

namespace dse::nn {

/// Cycles that a black box may take: dse_op has 32 bits for them.
inline constexpr std::int64_t max_cost = 2147483647;

/// Adds "GATHER_ND=12000" to the costs: an operator's type in the source format (of custom ones the name alone, too) or
/// its name, and cycles of the engine that computes. @returns what is wrong with the text, empty when nothing is.
std::string add_cost(const std::string& text, LoadOptions& options);

/// What `options` has an operator cost if it cannot be run: by its name, else by its type.
std::optional<std::int64_t> price_of(const Operator& op, const LoadOptions& options);

/// Makes a black box of an operator that has no kernel: OperatorKind::other, with the reason in `unsupported`. Its
/// calls read all inputs and write all outputs; the first takes the cycles. @returns false, with the reason in
/// `unsupported`, where the size of a tensor is not known or there is no output.
bool derive_price(Derivation& d, std::int64_t cycles);

/// Every cost names an operator of the network, whose operators have names. @returns false after errors that suggest a
/// near name. With LoadOptions::several it says nothing.
bool check_costs(const Network& network, const LoadOptions& options, const std::string& file, Diagnostics& diags);
/// The same of a finished network: every cost names one that cannot be run.
bool check_priced(const Network& network, const LoadOptions& options, const std::string& file, Diagnostics& diags);
/// The cost applies to an operator of the finished network (or of what a cut left to the host).
bool applies(const std::string& cost, const Network& network);

/// "2 operators are priced, not computed: NAME (TYPE) 12000 cycles, NAME (TYPE) 300 cycles"; empty where none is.
std::string priced_text(const Network& network);

}  // namespace dse::nn
