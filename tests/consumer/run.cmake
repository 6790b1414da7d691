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
run(${WORK}/build/cpp_consumer ${model} "The linnet" ${said})
run(${WORK}/build/c_consumer ${model} "The linnet" ${said})
run(${WORK}/prefix/bin/linnet --version)
