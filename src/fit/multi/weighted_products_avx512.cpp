#define PERFMODEL_PRODUCTS_WIDTH 8
#define PERFMODEL_PRODUCTS_NAME add_avx512
#include "fit/multi/weighted_products.inc"
