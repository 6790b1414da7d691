// Which file cublas_lt.h loads; no GPU is needed.
#include "backends/cuda/cublas_lt.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace linnet::cuda {
namespace {

TEST(CublasLt, NoneIsNone) {
  EXPECT_EQ(CublasLt::load("none"), nullptr);
}

TEST(CublasLt, AFileThatIsWantedAndNotThereIsAnError) {
  for (const char* name : {"/no/such/folder/libcublasLt.so.13", "/dev/null", "libm.so.6"}) {
    try {
      static_cast<void>(CublasLt::load(name));
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(CublasLt::kVariable), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace linnet::cuda
