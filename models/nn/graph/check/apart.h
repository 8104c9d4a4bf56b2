// What two tensors that ought to be quantised alike are told apart by.
#pragma once
#include <string>
#include <utility>

#include "models/nn/tensor.h"

namespace dse::nn {

/// "scale 0.1, zero point 0" and "scale 0.10000001, zero point 0", with as many digits as tell different numbers apart.
/// Of tensors with several scales the first that differs, "scale 3 of 64: ...", or how many there are. Equal where
/// scales and zero points are.
std::pair<std::string, std::string> quantized_apart(const Tensor& a, const Tensor& b);

/// Both, with a semicolon between them.
std::string apart_text(const Tensor& a, const Tensor& b);

/// "input 'x' and output 'y' are quantised differently (...)", with both.
std::string input_apart_text(const Tensor& input, const Tensor& output);

}  // namespace dse::nn
