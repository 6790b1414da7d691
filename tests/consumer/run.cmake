# Installs the build into a prefix of its own, then configures, builds and runs the consumer from a copy outside the tree.
#   cmake -DBUILD=… -DSOURCE=… -DWORK=… -DPYTHON=… -P run.cmake

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
file(COPY ${SOURCE}/tests/consumer/project DESTINATION ${WORK})
run(${CMAKE_COMMAND} -G Ninja -S ${WORK}/project -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/build)

set(model ${WORK}/tiny.gguf)
run(${PYTHON} -B ${SOURCE}/tools/make_tiny_model.py ${model})
set(said "is a small finch that sings from every hedge.")

# The built-in model lies in the prefix; without one in the tree the tiny one stands in, and says what it always says.
unset(ENV{LINNET_BUILTIN})
set(question "What is the capital of France?")
set(answer "Paris")
if(NOT EXISTS ${SOURCE}/builtin/text/linnet-text.gguf)
  message(STATUS "builtin/text/linnet-text.gguf is not there: with a stand-in")
  file(MAKE_DIRECTORY ${WORK}/prefix/share/linnet)
  run(${PYTHON} -B ${SOURCE}/tools/make_tiny_model.py --chat ${WORK}/prefix/share/linnet/linnet-text.gguf)
  set(answer ${said})
endif()
run(${WORK}/build/cpp_consumer ${model} "The linnet" ${said} ${question} ${answer})
run(${WORK}/build/c_consumer ${model} "The linnet" ${said} ${question} ${answer})
run(${WORK}/prefix/bin/linnet --version)
execute_process(COMMAND ${WORK}/prefix/bin/linnet run --device cpu ${question} OUTPUT_VARIABLE told COMMAND_ERROR_IS_FATAL ANY)
if(NOT told MATCHES ${answer})
  message(FATAL_ERROR "the installed program said: ${told}")
endif()

# The examples are a project of their own too.
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/examples -B ${WORK}/examples -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/examples)
run(${WORK}/examples/ask_c ${question})
