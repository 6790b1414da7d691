#include "files/hub/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/quoted.h"
#include "files/hub/names.h"

namespace linnet::hub {
namespace {

constexpr size_t kSha256Digits = 64;
constexpr size_t kSha1Digits = 40;

void check(int result) {
  if (result != 1) fail(ErrorKind::failure, "hub: the cryptographic library does not hash");
}

}  // namespace

std::string normalize_etag(std::string_view header) {
  std::string_view inner = header;
  if (inner.starts_with("W/")) inner.remove_prefix(2);
  if (inner.size() >= 2 && inner.front() == '"' && inner.back() == '"')
    inner = inner.substr(1, inner.size() - 2);
  std::string etag(inner);
  std::transform(etag.begin(), etag.end(), etag.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
  if (!is_hex(etag, kSha256Digits) && !is_hex(etag, kSha1Digits)) {
    fail(ErrorKind::failure, "hub: the server's ETag ", quoted_name(header),
         " is no SHA-256 and no git blob's SHA-1");
  }
  return etag;
}

Digest::Digest(const FileIdentity& identity)
    : identity_(identity), context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  if (!context_) fail(ErrorKind::failure, "hub: out of memory");
  restart();
}

void Digest::restart() {
  const bool sha256 = identity_.etag.size() == kSha256Digits;
  check(EVP_DigestInit_ex(context_.get(), sha256 ? EVP_sha256() : EVP_sha1(), nullptr));
  if (sha256) return;
  // A git blob is hashed with "blob", its size in decimal and a zero byte before it.
  const std::string header = "blob " + std::to_string(identity_.size);
  check(EVP_DigestUpdate(context_.get(), header.c_str(), header.size() + 1));
}

void Digest::add(std::span<const std::byte> bytes) {
  check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string Digest::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  check(EVP_DigestFinal_ex(context_.get(), bytes.data(), &size));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
  return text;
}

}  // namespace linnet::hub
