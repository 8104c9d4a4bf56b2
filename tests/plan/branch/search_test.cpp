#include "plan/branch/search.h"

#include <gmock/gmock.h>
