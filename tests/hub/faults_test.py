"""A server or network that fails, lies or attacks."""
import json

from fake_hub import git_blob
from hub_case import FAILURE, MODEL, HubCase, random_bytes

BIG = random_bytes(3_000_000)
NAME = "m-Q8_0.gguf"


class FaultCase(HubCase):
    def setUp(self):
        super().setUp()
        self.repo = self.hub.add("org/repo", {NAME: BIG}, lfs={NAME})

    def pull_anyway(self):
        value = self.succeed("pull", "org/repo")
        self.assert_snapshot(self.repo, [NAME])
        return value

    def ranges(self):
        return [entry.headers.get("Range") for entry in self.hub.requests("cdn", "GET")]


class Transient(FaultCase):
    def test_status_codes_are_tried_again(self):
        for code in (500, 503, 408, 429):
            self.hub.fault("/api/", "status", code=code)
            self.hub.fault("/resolve/", "status", method="HEAD", code=code)
            self.hub.fault("/", "status", server="cdn", code=code)
        self.pull_anyway()
        self.assertEqual(len(self.hub.requests(part="/api/")), 5)

    def test_the_attempts_are_counted(self):
        self.hub.fault("/api/", "status", code=500, times=99)
        self.refuse(FAILURE, "status 500 .after 3 attempts", "pull", "org/repo", "--retries", "2")
        self.assertEqual(len(self.hub.log), 3)

    def test_waits_grow_and_retry_after_is_honoured(self):
        self.hub.fault("/api/", "status", code=429, headers={"Retry-After": "1"})
        self.pull_anyway()
        first, second = self.hub.requests(part="/api/")
        self.assertGreater(second.time - first.time, 0.95)
        self.hub.log.clear()
        self.hub.fault("/api/", "status", code=503, times=3)
        self.succeed("pull", "org/repo", "--first-wait", "100")
        times = [entry.time for entry in self.hub.requests(part="/api/")]
        gaps = [after - before for before, after in zip(times, times[1:])]
        for i, gap in enumerate(gaps):   # between half and all of 100, 200, 400 ms
            self.assertGreater(gap, 0.05 * 2 ** i)
        self.hub.fault("/api/", "status", code=503, headers={"Retry-After": "9999"})
        self.refuse(FAILURE, "asks to wait 9999 seconds", "pull", "org/repo")

    def test_dropped_connections(self):
        self.hub.fault("/api/", "drop")
        self.hub.fault("/", "drop", server="cdn", times=2)
        self.pull_anyway()

    def test_a_server_that_is_not_there(self):
        self.environment["HF_ENDPOINT"] = "http://127.0.0.1:1"
        self.refuse(FAILURE, "after 3 attempts", "pull", "org/repo", "--retries", "2")

    def test_truncation_continues_by_range(self):
        self.hub.fault("/", "truncate", server="cdn", after=1_000_000)
        self.hub.fault("/", "truncate", server="cdn", after=500_000)
        self.assertEqual(self.pull_anyway()["downloaded"], len(BIG))
        self.assertEqual(self.ranges(), [None, "bytes=1000000-", "bytes=1500000-"])

    def test_truncation_without_a_length(self):
        self.hub.fault("/", "no_length_truncate", server="cdn", after=1_000_000)
        self.pull_anyway()
        self.assertEqual(self.ranges(), [None, "bytes=1000000-"])

    def test_progress_gives_new_attempts_but_crumbs_do_not(self):
        self.hub.fault("/", "truncate", server="cdn", after=1_100_000, times=2)
        self.succeed("pull", "org/repo", "--retries", "1")
        self.assert_snapshot(self.repo, [NAME])
        self.succeed("rm", "org/repo")
        self.hub.fault("/", "truncate", server="cdn", after=10, times=99)
        self.refuse(FAILURE, "after 3 attempts", "pull", "org/repo", "--retries", "2")
        self.assertEqual(self.partial_size(self.repo, NAME), 30)

    def test_a_server_that_ignores_ranges(self):
        self.hub.fault("/", "truncate", server="cdn", after=1_000_000)
        self.hub.fault("/", "ignore_range", server="cdn")
        self.assertEqual(self.pull_anyway()["downloaded"], len(BIG) + 1_000_000)

    def test_no_content_length(self):
        self.hub.fault("/", "no_length", server="cdn")
        self.pull_anyway()
        small = self.hub.add("org/small", {NAME: b"small"})
        self.hub.fault("org/small", "no_length", method="HEAD")
        self.hub.fault("org/small", "no_length", method="GET", server="hub")
        self.succeed("pull", "org/small")
        self.assert_snapshot(small, [NAME])

    def test_a_stall_is_given_up_and_continued(self):
        self.hub.fault("/", "slow", server="cdn", chunk=1_000_000, delay=4)
        self.succeed("pull", "org/repo", "--stall", "1")
        self.assert_snapshot(self.repo, [NAME])
        self.assertEqual(self.ranges(), [None, "bytes=1000000-"])


class Lies(FaultCase):
    def test_a_wrong_hash_leaves_nothing(self):
        self.hub.fault("/", "wrong_bytes", server="cdn")
        self.refuse(FAILURE, "hash", "pull", "org/repo")
        self.assert_no_entry(self.repo, NAME)
        self.assertFalse(self.partial(self.repo, NAME).exists())
        self.assertFalse((self.repo_folder() / "refs/main").exists())
        self.pull_anyway()

    def test_a_wrong_git_blob_leaves_nothing(self):
        small = self.hub.add("org/small", {NAME: b"small"})
        self.hub.fault("/resolve/", "wrong_bytes", method="GET")
        self.refuse(FAILURE, git_blob(b"small"), "pull", "org/small")
        self.assert_no_entry(small, NAME)

    def test_a_partial_file_with_other_contents_is_found_out(self):
        self.partial(self.repo, NAME).parent.mkdir(parents=True)
        self.partial(self.repo, NAME).write_bytes(b"x" * 1000)
        self.refuse(FAILURE, "hash", "pull", "org/repo")
        self.pull_anyway()

    def test_partial_files_of_odd_sizes(self):
        self.partial(self.repo, NAME).parent.mkdir(parents=True)
        self.partial(self.repo, NAME).write_bytes(BIG + b"more")
        self.pull_anyway()
        self.succeed("rm", "org/repo")
        self.partial(self.repo, NAME).parent.mkdir(parents=True)
        self.partial(self.repo, NAME).write_bytes(BIG)
        self.assertEqual(self.pull_anyway()["downloaded"], 0)

    def test_more_bytes_than_stated(self):
        self.hub.fault("/", "extra_bytes", server="cdn")
        self.refuse(FAILURE, "more than the 3000000 bytes it stated", "pull", "org/repo")
        self.assert_no_entry(self.repo, NAME)
        self.pull_anyway()

    def test_another_range_than_asked_for(self):
        self.hub.fault("/", "truncate", server="cdn", after=1000)
        self.hub.fault("/", "wrong_range", server="cdn")
        self.refuse(FAILURE, "bytes 1001-", "pull", "org/repo")
        self.pull_anyway()

    def test_compression_nobody_asked_for(self):
        self.hub.fault("/", "gzip", server="cdn")
        self.refuse(FAILURE, "compresses, unasked", "pull", "org/repo")

    def test_headers_that_contradict_the_listing(self):
        base = {"X-Repo-Commit": self.repo.commit, "X-Linked-ETag": f'"{self.repo.etag(NAME)}"', "X-Linked-Size": "3000000"}
        for change, message in (({"X-Linked-Size": "2999999"}, "its listing 3000000"),
                                ({"X-Linked-ETag": '"' + "0" * 64 + '"'}, "its listing says"),
                                ({"X-Linked-ETag": '"../../../../x"'}, "is no SHA-256"),
                                ({"X-Repo-Commit": "b" * 40}, "the server answers for")):
            self.hub.fault("/resolve/", "headers", method="HEAD", headers={**base, **change})
            self.refuse(FAILURE, message, "pull", "org/repo")
        self.hub.states_sizes = False
        self.hub.fault("/resolve/", "headers", method="HEAD",
                       headers={"ETag": f'"{self.repo.etag(NAME)}"', "Content-Length": "x"})
        self.refuse(FAILURE, "states no size|Content-Length", "pull", "org/repo")

    def test_a_server_without_sizes_in_its_listing(self):
        self.hub.states_sizes = False
        self.pull_anyway()


class Attacks(FaultCase):
    def test_file_names_that_leave_the_snapshot(self):
        for name in ("../../../evil", "/etc/evil", "a/../../evil", "evil\n", "evil\u0000.gguf", "a\\..\\evil", "x" * 300, ""):
            self.repo.extra_names = [name]
            self.refuse(FAILURE, "outside the cache", "pull", "org/repo")
        self.assertFalse(self.cache.exists())

    def test_shards_that_leave_the_snapshot(self):
        index = json.dumps({"weight_map": {"a": "../../../../evil"}}).encode()
        self.hub.add("org/index", {"model.safetensors.index.json": index})
        self.refuse(FAILURE, "outside the cache", "pull", "org/index")

    def test_a_listing_without_end(self):
        self.hub.fault("/api/", "body", body=b" " * (17 << 20))
        self.refuse(FAILURE, "more than 16777216 bytes", "pull", "org/repo")

    def test_listings_that_are_none(self):
        for body in (b"", b"<html>", b"[]", b"{}", b"[" * 100_000, b'{"sha": "../../x", "siblings": []}'):
            self.hub.fault("/api/", "body", body=body)
            self.refuse(FAILURE, "listing", "pull", "org/repo")

    def test_headers_without_end(self):
        self.hub.fault("/api/", "header_flood")
        self.refuse(FAILURE, "bytes of headers", "pull", "org/repo")

    def test_error_pages_are_not_kept(self):
        self.hub.fault("/api/", "status", code=404, body=b"x" * (8 << 20))
        self.refuse(MODEL, "does not exist", "pull", "org/repo")

    def test_a_file_that_is_also_a_folder(self):
        self.hub.add("org/clash", {"a-Q8_0.gguf": b"file", "a-Q8_0.gguf/b-F16.gguf": b"inside"})
        self.succeed("pull", "org/clash:a-Q8_0.gguf")
        self.refuse(FAILURE, "cannot make the folder|cannot link", "pull", "org/clash:a-Q8_0.gguf/b-F16.gguf")
