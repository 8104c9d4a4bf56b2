// Cycles that were measured on a chip, as a table says them.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "models/nn/network.h"

namespace dse::explore {

struct MeasuredRow {
  nn::NetworkPtr network;
  std::string label;  // "resnet8" or "resnet8, operator 3 (conv1)"
  int op = -1;        // operator of the network; -1: all of it
  double cycles = 0;  // of the clock of the engine that computes, > 0
  int group = 0;      // rows of one network have one
  int line = 0;       // of the table, from 1
};

struct MeasuredTable {
  std::vector<MeasuredRow> rows;
  int elsewhere = 0;       // rows that `where` leaves out
  int without_a_file = 0;  // rows whose cell of a network is empty or names no file
  int of_no_operator = 0;  // rows of a layer that the network does not have as one operator
};

/// Reads a network by path, relative to the table's folder, or by the name of a shipped one; null where there is none.
using ReadNetwork = std::function<nn::NetworkPtr(const std::string& path_or_name, Diagnostics& diagnostics)>;

/// A table with the columns
///   network_file | network   path or name; where both are there, the first
///   cycles                   measured, above 0
///   layer | layer_or_whole   optional: empty or a word that begins with "whole" for all of it; the number of
///                            an operator in the file, from 0, or its name
/// and any others. `where`: column and text; only rows that have them are read. Networks that cannot be read are
/// counted, not errors: tables name files that only their makers have. No row left is an error.
/// @returns nothing after an error.
std::optional<MeasuredTable> read_measured(std::string_view text, const std::string& file,
                                           const std::vector<std::pair<std::string, std::string>>& where,
                                           const ReadNetwork& read, Diagnostics& diagnostics);

}  // namespace dse::explore
