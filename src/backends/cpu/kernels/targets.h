// Which instruction sets the kernels are compiled for. Included before anything of Highway, in every file
// that uses it: all of them must agree.
#pragma once

// Highway 1.0.3 leaves AVX3_DL (with VNNI) out unless asked.
#define HWY_WANT_AVX3_DL 1
#ifdef LINNET_ONE_INSTRUCTION_SET
// Sanitizer and fuzz builds: the baseline alone, which the build sets to AVX2.
#define HWY_COMPILE_ONLY_STATIC 1
#endif
