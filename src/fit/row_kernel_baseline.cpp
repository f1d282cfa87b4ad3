#define PERFMODEL_KERNEL_WIDTH 2
#define PERFMODEL_KERNEL_NAME baseline
#include "fit/row_kernel.inc"
