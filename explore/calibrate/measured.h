// Cycles that were measured on a chip, as a table says them.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "base/diagnostics.h"
#include "models/nn/network.h"

namespace dse::explore {

struct MeasuredRow {
  nn::NetworkPtr network;
  std::string label;  // "resnet8" or "resnet8, operator 3 (conv1)"
  int op = -1;        // operator of the network; -1: all of it
  double cycles = 0;  // of the clock of the engine that computes, > 0
  bool whole = true;  // a network; else one operator
  int line = 0;       // of the table, from 1
  std::string about;  // what network it is about: rows of one network are left out of a fit together
};

struct MeasuredTable {
  std::vector<MeasuredRow> rows;
  int elsewhere = 0;  // rows that the conditions leave out
  // Lines of those that nothing can be simulated for:
  std::vector<int> without_a_file;  // the network is not there, nor said in words
  std::vector<int> of_no_operator;  // of a layer that the network does not have as one operator
};

/// Reads a network by path, relative to the table's folder, or by the name of a shipped one; null where there is none.
using ReadNetwork = std::function<nn::NetworkPtr(const std::string& path_or_name, Diagnostics& diagnostics)>;

/// What a row must have to be taken: `column=text`, `column!=text`, or in part of it, `column~text`, `column!~text`.
struct RowCondition {
  std::string column, text;
  bool part = false, other = false;

  bool holds(const std::string& cell) const {
    return (part ? cell.find(text) != std::string::npos : cell == text) != other;
  }
};
/// Nothing: it is none of these.
std::optional<RowCondition> condition_of(const std::string& words);
/// All of them; what is none is an error at `where`.
std::vector<RowCondition> conditions_of(const std::vector<std::string>& words, const Location& where,
                                        Diagnostics& diagnostics, const std::string& hint = {});
/// Whether a row has all of it. A column that the table lacks is empty.
bool holds(const std::vector<RowCondition>& conditions, const CsvTable& table, const CsvTable::Row& row);

/// Which rows of a table are taken, and what the words in it mean.
struct RowChoice {
  std::vector<RowCondition> where;  // all of them hold
  /// What the table calls an operator -> what TensorFlow Lite does.
  std::map<std::string, std::string> operators;
  /// What the table calls a network -> its path or name.
  std::map<std::string, std::string> networks;
  bool wide = false;  // networks and operators in words have activations of 16 bits
};

/// A table with the columns
///   network_file | network   path or name; where both are there, the first
///   cycles                   measured, above 0
///   layer | layer_or_whole   optional: empty or a word that begins with "whole" for all of it; the number of
///                            an operator in the file, from 0, or its name
///   operator, shape          optional: the operator, and tensors' shapes or a whole network, in words (shapes.h);
///                            where the network's file is not there, or has another operator by that number
/// and any others. Networks that can be had neither way are counted, not errors: tables name files that only their
/// makers have. No row left is an error.
/// @returns nothing after an error.
std::optional<MeasuredTable> read_measured(const CsvTable& table, const std::string& file, const RowChoice& choice,
                                           const ReadNetwork& read, Diagnostics& diagnostics);

}  // namespace dse::explore
