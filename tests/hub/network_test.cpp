// Addresses, names, URLs and proxies: who may be talked to.
#include <gtest/gtest.h>

#include "base/error.h"
#include "files/hub/addresses.h"
#include "files/hub/client.h"
#include "files/hub/proxy.h"
#include "files/hub/url.h"

namespace linnet::hub {
namespace {

Reach reach(std::string_view text) {
  const auto address = parse_address(text);
  EXPECT_TRUE(address) << text;
  return address ? reach_of(*address) : Reach::inside;
}

TEST(HubAddresses, KnowsWhatIsPublic) {
  for (const char* text : {"8.8.8.8", "172.15.255.255", "172.32.0.0", "100.63.0.1", "100.128.0.0",
                           "2606:4700::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"}) {
    EXPECT_EQ(reach(text), Reach::everywhere) << text;
  }
  for (const char* text : {"127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"}) {
    EXPECT_EQ(reach(text), Reach::loopback) << text;
  }
  for (const char* text :
       {"10.0.0.1",   "172.16.0.1", "172.31.255.255",  "192.168.1.1",       "169.254.169.254",
        "100.64.0.1", "0.0.0.0",    "224.0.0.1",       "255.255.255.255",   "198.18.0.1",
        "::",         "fe80::1",    "fe80::1%eth0",    "fc00::1",           "fd12::1",
        "ff02::1",    "fec0::1",    "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "2002:a00:1::",
        "2001::1",    "::10.0.0.1"}) {
    EXPECT_EQ(reach(text), Reach::inside) << text;
  }
}

TEST(HubAddresses, KnowsNamesThatMeanSomethingInsideOnly) {
  for (const char* host : {"localhost", "a.localhost", "LOCALHOST.", "nas.local", "printer", "db.internal",
                           "x.home.arpa", "10.0.0.1", "::1", "a.0x7f", "1.2.3"}) {
    EXPECT_TRUE(is_inside_host(host)) << host;
  }
  for (const char* host :
       {"huggingface.co", "cdn-lfs.hf.co", "notlocalhost.com", "8.8.8.8", "local.example"}) {
    EXPECT_FALSE(is_inside_host(host)) << host;
  }
  EXPECT_TRUE(is_loopback_host("127.0.0.1"));
  EXPECT_TRUE(is_loopback_host("localhost"));
  EXPECT_FALSE(is_loopback_host("localhost.example"));
  EXPECT_FALSE(is_loopback_host("10.0.0.1"));
}

TEST(HubUrl, SeesTheHostThatLibcurlWouldConnectTo) {
  const auto url = parse_url("HTTPS://User@EXAMPLE.org:8443/a?b");
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.host, "example.org");
  EXPECT_EQ(url.port, 8443);
  EXPECT_TRUE(url.has_user);
  EXPECT_EQ(parse_url("http://0x7f000001/").host, "127.0.0.1");
  EXPECT_EQ(parse_url("http://127.1/").host, "127.0.0.1");
  EXPECT_EQ(parse_url("http://[::1]:80/").host, "::1");
  EXPECT_EQ(parse_url("https://example.org").port, 443);
  EXPECT_TRUE(parse_url("https://example.org/a").same_origin(parse_url("https://EXAMPLE.org:443/b")));
  EXPECT_FALSE(parse_url("https://example.org/").same_origin(parse_url("http://example.org:443/")));
  EXPECT_FALSE(parse_url("https://example.org/").same_origin(parse_url("https://example.org:444/")));
  for (const char* text : {"", "nonsense://x y", "https://", "https://a b/"})
    EXPECT_THROW((void)parse_url(text), Error) << text;
}

TEST(HubUrl, ResolvesRedirects) {
  const auto base = parse_url("https://hub.example/org/repo/resolve/main/file?x=1");
  EXPECT_EQ(resolve_url(base, "/other").text, "https://hub.example/other");
  EXPECT_EQ(resolve_url(base, "//cdn.example/x").host, "cdn.example");
  EXPECT_EQ(resolve_url(base, "https://cdn.example/x?y").text, "https://cdn.example/x?y");
  EXPECT_EQ(percent_encode("a/b c#?ü", "/"), "a/b%20c%23%3F%C3%BC");
  EXPECT_EQ(percent_encode("refs/pr/1"), "refs%2Fpr%2F1");
}

TEST(HubProxy, FollowsTheUsualRules) {
  const Proxies proxies{"http://p:1", "http://p:2", "localhost, .corp.example 10.0.0.0/8,[::1]"};
  const auto proxy = [&](const char* url) { return proxy_for(parse_url(url), proxies); };
  EXPECT_EQ(proxy("https://huggingface.co/"), "http://p:2");
  EXPECT_EQ(proxy("http://127.0.0.1:8000/"), "http://p:1");
  EXPECT_EQ(proxy("https://corp.example/"), "");
  EXPECT_EQ(proxy("https://a.CORP.example/"), "");
  EXPECT_EQ(proxy("https://notcorp.example/"), "http://p:2");
  EXPECT_EQ(proxy("https://10.1.2.3/"), "");
  EXPECT_EQ(proxy("https://11.1.2.3/"), "http://p:2");
  EXPECT_EQ(proxy("https://[::1]/"), "");
  EXPECT_EQ(proxy("http://localhost/"), "");
  EXPECT_EQ(proxy_for(parse_url("https://x.example/"), {"", "http://p:2", "*"}), "");
}

TEST(HubClient, TakesHttpsOrLoopbackAsEndpoint) {
  const auto accepts = [](const char* endpoint) {
    Options options;
    options.endpoint = endpoint;
    try {
      const Client client(options);
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return false;
    }
  };
  for (const char* endpoint : {"https://huggingface.co", "https://hub.corp.example:8443/hf/",
                               "http://127.0.0.1:8000", "http://localhost:1/", "http://[::1]:8"}) {
    EXPECT_TRUE(accepts(endpoint)) << endpoint;
  }
  for (const char* endpoint :
       {"http://huggingface.co", "http://10.0.0.1", "ftp://127.0.0.1", "file:///etc", "https://",
        "https://user@huggingface.co", "https://huggingface.co/?x", "http://localhost.example"}) {
    EXPECT_FALSE(accepts(endpoint)) << endpoint;
  }
}

}  // namespace
}  // namespace linnet::hub
