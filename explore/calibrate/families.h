// Networks of published families by name: tables of measurements name them so, and seldom have their files.
#pragma once
#include <string>

#include "models/nn/network.h"

namespace dse::explore {

/// "mobilenet-v1-0.5-160" (Howard et al. 2017: width and resolution, 1,001 classes as TensorFlow has them, or
/// "mobilenet-v1-0.25-96x10" for another number) or "mobilenet-v2-0.35-96" (Sandler et al. 2018; channels in eights),
/// with seeded weights. Null: no such family, a width outside 0.05 to 2 or a resolution outside 32 to 512.
nn::NetworkPtr network_of_family(const std::string& name);

}  // namespace dse::explore
