// Asserts on the public Error: its kind and a part of its message.
#pragma once

#include <gtest/gtest.h>

#include <linnet/linnet.hpp>
#include <string>

template <class Work>
void expect_error(linnet::ErrorKind kind, const std::string& part, Work&& work) {
  try {
    work();
    ADD_FAILURE() << "expected an error with '" << part << "'";
  } catch (const linnet::Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}
