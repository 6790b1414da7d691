// Which proxy a URL is fetched through. Decided here and not by libcurl, because the check of addresses has
// to know whether the address connected to is the server's or the proxy's.
#pragma once

#include <string>

#include "files/hub/options.h"
#include "files/hub/url.h"

namespace linnet::hub {

// URL of the proxy; empty to connect directly.
[[nodiscard]] std::string proxy_for(const Url& url, const Proxies& proxies);

}  // namespace linnet::hub
