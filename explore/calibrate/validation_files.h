// Where a validation's tables, devices and networks are.
#pragma once
#include <string>

#include "explore/calibrate/validation.h"

namespace dse::explore {

/// Tables from this folder; devices by path or name; networks by path from their table's folder, by the name of a
/// shipped one or of a member of a family (families.h).
ValidationInput validation_files(const std::string& folder);

}  // namespace dse::explore
