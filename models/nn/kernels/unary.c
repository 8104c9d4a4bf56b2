#include "dse_internal.h"

void dse_unary(const dse_call* call) { (void)call; }
