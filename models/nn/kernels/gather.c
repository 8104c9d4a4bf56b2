#include "dse_internal.h"

void dse_gather(const dse_call* call) { (void)call; }
