# Few cores are kept busy by few units: theirs are twice as large.
cmake_host_system_information(RESULT perfmodel_cores QUERY NUMBER_OF_LOGICAL_CORES)
if(perfmodel_cores LESS_EQUAL 4)
  set(perfmodel_unit_scale 2)
else()
  set(perfmodel_unit_scale 1)
endif()

# perfmodel_group_units(<target> ROOT <folder> SIZE <files> SOURCES <file>...): in presets with unity
# builds, the files of one room (a folder) are compiled SIZE at a time; elsewhere it does nothing.
#
# By room, so that a name in an anonymous namespace must be unique in its room and nowhere else; the
# tools, which are small, are compiled as one room, unlike their tests.
# What is parsed and instantiated once per unit (Eigen, CLI11, nlohmann/json) takes a third of the
# time, hence large units; of equal size, so that no core waits long for the last one.
function(perfmodel_group_units target)
  cmake_parse_arguments(PARSE_ARGV 1 units "" "ROOT;SIZE" "SOURCES")
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)

  set(rooms "")
  foreach(source IN LISTS units_SOURCES)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${units_ROOT}")
    cmake_path(GET path PARENT_PATH room)
    if(NOT target STREQUAL "perfmodel_tests")
      string(REGEX REPLACE "^tools/.*" "tools" room "${room}")
    endif()
    string(MAKE_C_IDENTIFIER "${room}" room)
    list(APPEND rooms ${room})
    list(APPEND sources_${room} "${source}")
  endforeach()
  list(REMOVE_DUPLICATES rooms)

  foreach(room IN LISTS rooms)
    list(LENGTH sources_${room} files)
    math(EXPR size "${units_SIZE} * ${perfmodel_unit_scale}")
    math(EXPR unit_count "(${files} + ${size} - 1) / ${size}")
    set(index 0)
    foreach(source IN LISTS sources_${room})
      math(EXPR unit "${index} * ${unit_count} / ${files}")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${room}_${unit}")
      math(EXPR index "${index} + 1")
    endforeach()
  endforeach()
endfunction()
