# cmake -DBUILD=... -DWORK=... -DCONSUMER=... -DCXX=... -DFLAGS=... -P install.cmake
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
foreach(program dse)
  if(NOT EXISTS ${WORK}/prefix/bin/${program})
    message(FATAL_ERROR "bin/${program} was not installed")
  endif()
endforeach()
run(${CMAKE_COMMAND} -G Ninja -S ${CONSUMER} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
# Only the installed configurations: the program lies beside them.
run(${CMAKE_COMMAND} -E copy ${WORK}/build/consumer ${WORK}/prefix/bin/consumer)
run(${WORK}/prefix/bin/consumer)
