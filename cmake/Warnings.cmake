# perfmodel_set_warnings(<target>): the warnings that the project's own code must be free of.
# Dependencies are included as system headers and stay silent.
function(perfmodel_set_warnings target)
  target_compile_options(
    ${target}
    PRIVATE -Wall
            -Wextra
            -Wpedantic
            -Wconversion
            -Wsign-conversion
            -Wshadow
            -Wnon-virtual-dtor
            -Wold-style-cast
            -Wcast-align
            -Woverloaded-virtual
            -Wdouble-promotion
            -Wformat=2
            # GCC 12 sees overlapping or endless copies in std::string's operator+ where there are
            # none (GCC bug 105651).
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow>)
  if(PERFMODEL_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
