# linnet_test() and linnet_fuzz(): how a test program is built, found by ctest and gathered by label.

include(GoogleTest)
set(LINNET_FUZZ_SECONDS 30 CACHE STRING "How long each fuzz target looks for something new in a test run")

# A label on a test makes it part of the target <label>_tests, so that a sanitizer build compiles only what it runs.
#   quick    seconds, also under AddressSanitizer and UndefinedBehaviorSanitizer
#   threads  has something to say under ThreadSanitizer
#   large    takes longer than a sanitizer should: make test-all only, there
#   long     takes minutes: make test-all only
#   house    about the tree itself: no sanitizer needed
foreach(label quick threads large house fuzz)
  add_custom_target(${label}_tests)
endforeach()

# linnet_test(NAME SOURCES … [APART …] DEPENDS … [LABELS …]): one gtest program per folder of src/ under test. A test that needs
# data from outside the repository skips itself, visibly, where that is absent.
function(linnet_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;APART;DEPENDS;LABELS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES} ${TEST_APART})
  linnet_apart(${TEST_APART})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE LINNET_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${TEST_DEPENDS} GTest::gtest_main linnet_options linnet_light)
  foreach(label IN LISTS TEST_LABELS)
    add_dependencies(${label}_tests ${name})
  endforeach()
  # One label, "quick+threads": gtest_discover_tests loses all but the first of a list. ctest -L takes a pattern.
  string(JOIN "+" labels ${TEST_LABELS})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
    PROPERTIES LABELS "${labels}" TIMEOUT 300)
endfunction()

# linnet_fuzz(NAME SOURCES … DEPENDS … [CORPUS folder]): a libFuzzer program fuzz_NAME with two tests: the committed corpus
# is replayed, then LINNET_FUZZ_SECONDS of search. A finding is left in the build folder as crash-… for a new corpus file.
function(linnet_fuzz name)
  cmake_parse_arguments(FUZZ "" "CORPUS" "SOURCES;DEPENDS" ${ARGN})
  if(NOT FUZZ_CORPUS)
    set(FUZZ_CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  endif()
  add_executable(fuzz_${name} ${FUZZ_SOURCES})
  target_link_libraries(fuzz_${name} PRIVATE ${FUZZ_DEPENDS} linnet_options)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz_tests fuzz_${name})
  set(found ${CMAKE_CURRENT_BINARY_DIR}/found/${name})
  file(MAKE_DIRECTORY ${found})
  add_test(NAME Fuzz.${name}.ReplaysItsCorpus COMMAND fuzz_${name} -runs=0 ${FUZZ_CORPUS})
  add_test(NAME Fuzz.${name}.FindsNothingNew
    COMMAND fuzz_${name} -max_total_time=${LINNET_FUZZ_SECONDS} -timeout=10 -rss_limit_mb=1024 -print_final_stats=1
            ${found} ${FUZZ_CORPUS})
  math(EXPR limit "${LINNET_FUZZ_SECONDS} + 120")
  set_tests_properties(Fuzz.${name}.ReplaysItsCorpus Fuzz.${name}.FindsNothingNew
    PROPERTIES LABELS fuzz TIMEOUT ${limit})
endfunction()
