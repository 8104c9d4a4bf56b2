#include <gmock/gmock.h>

#include "plan/branch/search.h"
