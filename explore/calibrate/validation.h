// All that was measured against what is simulated: which tables, on which devices, with which constants fitted.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/yaml/yaml.h"
#include "explore/calibrate/calibrate.h"

namespace dse::explore {

/// Rows of a table, as a validation file names them.
struct ValidationRows {
  std::string table;                             // a path from the folder of the tables
  std::vector<std::string> where;                // conditions (measured.h)
  std::vector<std::string> operators, networks;  // "what the table says=what is meant"
  std::string type = "int8";                     // or int16: activations of networks in words
};

struct ValidationBoard {
  std::string device;
  std::vector<std::string> set;  // FIELD=VALUE: how the board was set up
  std::vector<ValidationRows> rows;
  bool counts = true;           // else nothing is fitted to its rows
  std::string buffers = "two";  // plan::Buffers of its plans
};

/// Boards whose constants are fitted together, because they run one library on cores of one kind.
struct ValidationFit {
  std::string name, note;
  std::vector<std::string> fit, each;  // paths of constants, shared and of each board; none: as the files have them
  std::vector<ValidationBoard> boards;
};

/// Rows that nothing is said about, and why.
struct LeftAside {
  std::string table, why;
  std::vector<std::string> where;
};

struct ValidationSpec {
  std::vector<ValidationFit> fits;
  std::vector<LeftAside> left_aside;
};

const yaml::Object<ValidationSpec>& validation_fields();

struct ValidatedBoard {
  std::string name;
  std::int64_t clock_hz = 0;  // of the engine that computes
};

struct ValidatedFit {
  std::string name, note;
  std::vector<ValidatedBoard> boards;
  Calibration calibration;
  bool fitted = false;
};
/// Of its rows of whole networks, or of single operators: sizes of their errors, sorted.
std::vector<double> error_sizes(const ValidatedFit& fit, bool whole);

struct ValidatedTable {
  std::string table;
  int rows = 0, compared = 0, without_a_network = 0;
  struct Aside {
    std::string why;
    int rows = 0;
  };
  std::vector<Aside> left_aside;
  std::vector<int> unspoken;  // lines of rows that the file says nothing of

  int aside() const {  // rows
    int sum = 0;
    for (const auto& a : left_aside) sum += a.rows;
    return sum;
  }
};

struct Validation {
  std::vector<ValidatedFit> fits;
  std::vector<ValidatedTable> tables;
};

/// What a validation file names, from where the caller has it.
struct ValidationInput {
  std::function<std::optional<std::string>(const std::string& table, Diagnostics&)> table;  // text
  std::function<std::optional<std::string>(const std::string& device, Diagnostics&)> device;
  /// `table`: the one that names it.
  std::function<nn::NetworkPtr(const std::string& network, const std::string& table, Diagnostics&)> network;
  std::function<void(const std::string& fit)> begun;  // for progress
};

/// Errors: a table or device that is not there, a row that two fits take, conditions that are none.
std::optional<Validation> validate(const ValidationSpec& spec, const ValidationInput& input, Diagnostics& diagnostics);

/// How often what is simulated is in the order of what was measured, over pairs of whole networks that differ by more
/// than 15 %: in cycles of one board and library, in time of one network between boards.
struct OrderedPairs {
  int pairs = 0, right = 0;
};
struct PairOrders {
  OrderedPairs networks, boards;
};
PairOrders pair_orders(const Validation& v);

}  // namespace dse::explore
