#include "dse_internal.h"

void dse_svdf(const dse_call* call) { (void)call; }
