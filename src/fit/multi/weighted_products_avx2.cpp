#define PERFMODEL_PRODUCTS_WIDTH 4
#define PERFMODEL_PRODUCTS_NAME add_avx2
#include "fit/multi/weighted_products.inc"
