# Writes the manual pages of PROGRAM (of VERSION) and of its commands into FOLDER, by HELP2MAN;
# compressed if COMPRESS is 1, as Debian's policy asks.
execute_process(COMMAND "${PROGRAM}" --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE ".*\nSubcommands:" "" commands "${help}")
string(REGEX REPLACE "\n\n.*" "" commands "${commands}")
string(REGEX MATCHALL "\n  [a-z]+" commands "${commands}")
list(TRANSFORM commands STRIP)
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
foreach(command IN ITEMS "" ${commands})
  string(JOIN "-" page perfmodel ${command})
  string(JOIN " " call "${PROGRAM}" ${command})
  execute_process(COMMAND "${PROGRAM}" ${command} --help OUTPUT_VARIABLE help)
  string(REGEX MATCH "^[^\n]+" what "${help}")
  execute_process(
    COMMAND "${HELP2MAN}" --no-info --help-option=--help-all --section=1 "--name=${what}" "--version-string=perfmodel ${VERSION}"
            "--output=${FOLDER}/${page}.1" "${call}" COMMAND_ERROR_IS_FATAL ANY)
  if(COMPRESS)
    execute_process(COMMAND gzip -9nf "${FOLDER}/${page}.1" COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
