// What marks the public symbols of Linnet, and the namespace they live in.
#pragma once

#if defined(__GNUC__)
#define LINNET_API __attribute__((visibility("default")))
#define LINNET_HIDDEN __attribute__((visibility("hidden")))
#else
#define LINNET_API
#define LINNET_HIDDEN
#endif

// Everything public is linnet::v0::X, reached as linnet::X. Linnet's own sources have types of the same names
// in namespace linnet; there v0 is no inline namespace, and the public ones are spelled out.
#if defined(LINNET_INTERNAL)
#define LINNET_V0 v0
#else
#define LINNET_V0 inline v0
#endif
