"""Who is talked to, and who gets the token."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from fake_proxy import FakeProxy
from hub_case import FAILURE, MODEL, USAGE, HubCase, random_bytes

BIG = random_bytes(300_000)
NAME = "m-Q8_0.gguf"
TOKEN = "hf_secret"


class Policy(HubCase):
    def setUp(self):
        super().setUp()
        self.repo = self.hub.add("org/repo", {NAME: BIG}, lfs={NAME})
        self.environment["HF_TOKEN"] = TOKEN

    def authorized(self, server):
        return {entry.headers.get("Authorization") for entry in self.hub.requests(server)}

    def pull_anyway(self, *more):
        self.succeed("pull", "org/repo", *more)
        self.assert_snapshot(self.repo, [NAME])


class Token(Policy):
    def test_it_goes_to_the_endpoint_and_not_to_the_cdn(self):
        self.hub.required_token = TOKEN
        self.pull_anyway()
        self.assertEqual(self.authorized("hub"), {f"Bearer {TOKEN}"})
        self.assertEqual(self.authorized("cdn"), {None})

    def test_it_does_not_come_along_through_another_host(self):
        self.hub.fault("/api/", "redirect", server="hub", location=f"{self.hub.cdn_base}/api/elsewhere")
        self.hub.fault("/api/elsewhere", "redirect", server="cdn", location="/api/still-elsewhere")
        self.refuse(MODEL, "does not exist", "pull", "org/repo")
        self.assertEqual(len(self.hub.requests("cdn")), 2)
        self.assertEqual(self.authorized("cdn"), {None})

    def test_without_one_the_message_says_so(self):
        self.hub.required_token = TOKEN
        del self.environment["HF_TOKEN"]
        self.refuse(MODEL, "HF_TOKEN", "pull", "org/repo")
        (self.folder / "token").write_text(TOKEN + "\n")
        self.pull_anyway()
        self.environment["HF_TOKEN"] = "wrong"
        self.refuse(MODEL, "the token gives no access", "pull", "org/repo")
        self.environment["HF_TOKEN"] = "a\r\nb"
        self.refuse(USAGE, "one line", "pull", "org/repo")


class Redirects(Policy):
    def test_a_loop_ends(self):
        self.hub.fault("/api/", "redirect", times=99, location="/api/models/org/repo/revision/main")
        self.refuse(FAILURE, "more than 5 redirects", "pull", "org/repo")
        self.assertEqual(len(self.hub.log), 6)

    def test_private_addresses_are_refused_at_once(self):
        for location in ("https://10.0.0.1/x", "https://169.254.169.254/latest/meta-data", "https://192.168.1.1:8443/",
                         "https://[fe80::1]/", "https://[fd00::1]/", "https://[::ffff:10.0.0.1]/", "https://0.0.0.0/",
                         "https://0x0a000001/", "https://2852039166/"):
            self.hub.fault("/api/", "redirect", location=location)
            self.refuse(FAILURE, "not public; refused", "pull", "org/repo")

    def test_other_protocols_are_refused(self):
        for location, message in (("http://example.org/", "not plain https"), ("http://10.0.0.1/", "not plain https"),
                                  ("file:///etc/passwd", "not plain https|no URL"), ("ftp://127.0.0.1/", "not plain https"),
                                  ("https://user:password@example.org/", "not plain https"), ("//", "no URL"),
                                  ("", "redirects to nowhere")):
            self.hub.fault("/api/", "redirect", location=location)
            self.refuse(FAILURE, message, "pull", "org/repo")

    def test_relative_redirects_of_a_renamed_repository(self):
        self.hub.add("org/new", {NAME: BIG}, lfs={NAME}, commit=self.repo.commit)
        self.hub.repos.remove(self.repo)
        self.hub.fault("/api/", "redirect", location="/api/models/org/new/revision/main?blobs=true")
        for method in ("HEAD", "GET"):
            self.hub.fault("/resolve/", "redirect", method=method, location=f"/org/new/resolve/{self.repo.commit}/{NAME}")
        self.pull_anyway()

    def test_endpoints_must_be_https(self):
        for endpoint in ("http://huggingface.co", "http://10.0.0.1:80", "ftp://127.0.0.1", "nonsense"):
            self.environment["HF_ENDPOINT"] = endpoint
            self.refuse(USAGE, "HF_ENDPOINT", "pull", "org/repo")


class PlainProxy(Policy):
    def test_the_usual_variables(self):
        with FakeProxy() as proxy:
            self.environment["http_proxy"] = proxy.url
            self.pull_anyway()
            self.assertEqual(len(proxy.seen), len(self.hub.log))
            self.succeed("rm", "org/repo")
            proxy.seen.clear()
            self.environment["no_proxy"] = "127.0.0.0/8"
            self.pull_anyway()
            self.assertEqual(proxy.seen, [])


@unittest.skipUnless(shutil.which("openssl"), "needs openssl to make a certificate")
class Https(Policy):
    """The endpoint is https://hub.test, not on loopback as far as its name goes; so its redirects must be to public
    addresses, which the CDN at 127.0.0.1 has not."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="linnet-hub-")
        cls.addClassCleanup(folder.cleanup)
        cls.tls = tuple(str(pathlib.Path(folder.name) / name) for name in ("certificate.pem", "key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=linnet test", "-addext", "subjectAltName=DNS:hub.test,DNS:cdn.test", "-out", cls.tls[0],
                        "-keyout", cls.tls[1]], check=True, capture_output=True)

    def setUp(self):
        super().setUp()
        self.environment["SSL_CERT_FILE"] = self.tls[0]
        self.names = []
        for role in ("hub", "cdn"):
            self.names += ["--resolve", f"{role}.test:{self.hub.ports[role]}:127.0.0.1"]

    def test_a_name_that_resolves_to_loopback_is_refused_before_a_byte_is_sent(self):
        self.refuse(FAILURE, "cdn.test.*127.0.0.1, an address that is not public; refused", "pull", "org/repo", *self.names)
        self.assertEqual(self.hub.requests("cdn"), [])
        self.assert_no_entry(self.repo, NAME)
        self.pull_anyway("--allow-private", *self.names)
        self.assertEqual(self.authorized("cdn"), {None})

    def test_http_is_refused_even_on_the_same_host(self):
        self.hub.fault("/api/", "redirect", location=f"http://hub.test:{self.hub.ports['hub']}/api/x")
        self.refuse(FAILURE, "not plain https", "pull", "org/repo", "--allow-private", *self.names)
        self.hub.fault("/api/", "redirect", location="http://127.0.0.1:1/x")
        self.refuse(FAILURE, "not plain https", "pull", "org/repo", "--allow-private", *self.names)

    def test_a_certificate_nobody_vouches_for(self):
        del self.environment["SSL_CERT_FILE"]
        self.refuse(FAILURE, "certificate", "pull", "org/repo", *self.names)
        self.assertEqual(self.hub.log, [])

    def test_behind_a_proxy_names_decide(self):
        ports = {f"{role}.test": self.hub.ports[role] for role in ("hub", "cdn")}
        with FakeProxy({**ports, "nas.local": self.hub.ports["cdn"]}) as proxy:
            self.environment["https_proxy"] = proxy.url
            self.pull_anyway()
            self.assertEqual(self.authorized("cdn"), {None})
            proxy.seen.clear()
            for host in ("nas.local", "localhost", "10.0.0.1", "intranet", "[::1]"):
                self.hub.fault("/api/", "redirect", location=f"https://{host}/x")
                self.refuse(FAILURE, "a name that is not public; refused", "pull", "org/repo")
            self.assertEqual({seen.split(":")[0] for seen in proxy.seen}, {"hub.test"})
