// The hash a file of the hub must have, known from its ETag, and the hashing of what arrives.
#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace linnet::hub {

// What a file must be. The ETag is also the name of its blob in the cache.
struct FileIdentity {
  std::string etag;  // 64 hexadecimal digits: SHA-256 (LFS and xet); 40: SHA-1 of the git blob
  uint64_t size = 0;
};

// The ETag of a header without quotes and "W/", in lower case; throws Error(failure) if it is no hash.
[[nodiscard]] std::string normalize_etag(std::string_view header);

class Digest {
 public:
  explicit Digest(const FileIdentity& identity);

  void add(std::span<const std::byte> bytes);
  void restart();
  // In hexadecimal, of all that was added since the start; the digest is used up until restart().
  [[nodiscard]] std::string finish();

 private:
  FileIdentity identity_;
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

}  // namespace linnet::hub
