# Runs every fuzz target once over each committed file of its corpus, with any compiler; and the program that made the
# corpora: make_fuzz_corpus tests/fuzz/corpus.
foreach(target gguf safetensors model_config tokenizer tokenizer_json word_models pattern jinja)
  add_executable(replay_${target} ${CMAKE_CURRENT_LIST_DIR}/${target}_fuzz.cpp ${CMAKE_CURRENT_LIST_DIR}/target.cpp
                                  ${CMAKE_CURRENT_LIST_DIR}/replay.cpp)
  target_include_directories(replay_${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(replay_${target} PRIVATE linnet_models linnet_text linnet_jinja linnet_options)
  add_dependencies(quick_tests replay_${target})
  add_test(NAME Replay.${target} COMMAND replay_${target} ${CMAKE_CURRENT_LIST_DIR}/corpus/${target})
  set_tests_properties(Replay.${target} PROPERTIES LABELS quick TIMEOUT 300)
endforeach()

add_executable(make_fuzz_corpus EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/make_corpus.cpp)
target_include_directories(make_fuzz_corpus PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(make_fuzz_corpus PRIVATE linnet_text linnet_options)
