#include "dse_internal.h"

void dse_arg_extreme(const dse_call* call) { (void)call; }
