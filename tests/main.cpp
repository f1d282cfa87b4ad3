// Catch2 version 3 brings its own main(); version 2 generates it in one source file, this one.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
