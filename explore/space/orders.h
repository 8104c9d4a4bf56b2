// In which orders a sweep lets the layers of a network run.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::explore {

/// Words of `choices: {network.order: ...}` besides the names of layers: all orders that are possible, and the file's.
inline const char* const kSearchedOrder = "searched";
inline const char* const kFileOrder = "file";

struct Orders {
  bool any = false;                      // every one in which each layer runs after those that it needs
  std::vector<std::vector<int>> listed;  // else these, all layers each, none twice
  std::string problem;                   // not empty: none of those that the sweep allows is one of this network

  /// `choices`: of the sweep. Reshapes are aliased. Where there is one order only, that of the file is listed.
  static Orders of(const nn::Network& network, const std::map<std::string, std::vector<std::string>>& choices);
  /// What is wrong with a word or a list of layers; empty: nothing. `at`, where given: the place in the list that it is
  /// about; its end where a layer is missing.
  static std::string check(const nn::Network& network, const std::string& text, std::size_t* at = nullptr);
};

}  // namespace dse::explore
