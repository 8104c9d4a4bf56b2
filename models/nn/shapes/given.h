// Shapes of inputs that the user gives (LoadOptions::shapes), where there is nothing to give or nobody to take it; and
// what is named of several networks at once.
#pragma once
#include <string>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn {

/// "there is no input 'y' to give a shape", with the inputs that there are in the hint.
void no_input_of_shape(const std::string& name, const std::vector<std::string>& inputs, const std::string& file,
                       Diagnostics& diags);

/// For formats that leave no shape open: every shape given is that of an input, and the one it has. With
/// LoadOptions::several it says nothing: inputs of other networks may be meant. @returns false after errors.
bool check_shapes(const Network& network, const LoadOptions& options, const std::string& file, Diagnostics& diags);

/// Of networks that were read together: with LoadOptions::several every cost applies to one of them, and every shape
/// names an input of one. Where one could not be read nothing is said, and nothing of shapes where one was cut, whose
/// inputs may be gone. @returns false after errors.
bool check_named(const std::vector<NetworkPtr>& networks, const LoadOptions& options, const std::string& file,
                 Diagnostics& diags);

}  // namespace dse::nn
