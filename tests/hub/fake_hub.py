"""A small Hugging Face hub on 127.0.0.1 for tests, with a second port as its CDN, and every fault a test may ask for.

    with FakeHub() as hub:
        repo = hub.add("org/repo", {"config.json": b"{}", "m-Q8_0.gguf": big}, lfs={"m-Q8_0.gguf"})
        hub.fault("m-Q8_0.gguf", "status", code=503, times=2)
        … run a client against hub.endpoint, then look at hub.log

A fault applies to requests whose server ("hub" or "cdn"), method and path match, the first `times` of them.
"""
import hashlib
import http.server
import json
import socket
import ssl
import threading
import time
import urllib.parse


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def git_blob(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Repo:
    def __init__(self, name, files, lfs, commit):
        self.name, self.files, self.lfs, self.commit = name, dict(files), set(lfs), commit
        self.extra_names = []   # listed, but not there

    def etag(self, name):
        return sha256(self.files[name]) if name in self.lfs else git_blob(self.files[name])

    def listing(self, with_sizes):
        siblings = []
        for name, data in self.files.items():
            entry = {"rfilename": name}
            if with_sizes:
                entry.update(size=len(data), blobId=git_blob(data))
                if name in self.lfs:
                    entry["lfs"] = {"sha256": sha256(data), "size": len(data), "pointerSize": 130}
            siblings.append(entry)
        siblings += [{"rfilename": name} for name in self.extra_names]
        return {"id": self.name, "sha": self.commit, "tags": ["x"], "siblings": siblings}


class Fault:
    def __init__(self, part, kind, server, method, times, values):
        self.part, self.kind, self.server, self.method, self.left = part, kind, server, method, times
        self.__dict__.update(values)


class Entry:
    def __init__(self, server, handler):
        self.server, self.method, self.path = server, handler.command, handler.path
        self.headers = dict(handler.headers.items())
        self.time = time.monotonic()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 20

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.answer()

    def answer(self):
        hub, role = self.server.hub, self.server.role
        hub.log.append(Entry(role, self))
        self.fault = hub.take_fault(role, self.command, self.path)
        try:
            if self.fault and self.apply_fault():
                return
            (self.answer_hub if role == "hub" else self.answer_cdn)()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    # Faults that are a whole answer; the others change the way a body is sent.
    def apply_fault(self):
        fault = self.fault
        if fault.kind == "status":
            self.reply(fault.code, getattr(fault, "headers", {}), getattr(fault, "body", b"no"))
        elif fault.kind == "redirect":
            self.reply(302, {"Location": fault.location}, b"")
        elif fault.kind == "drop":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif fault.kind == "headers":
            self.reply(200, fault.headers, b"{}")
        elif fault.kind == "header_flood":
            self.reply(200, {f"X-Flood-{i}": "x" * 1000 for i in range(200)}, b"{}")
        elif fault.kind == "body":
            self.reply(200, {}, fault.body)
        elif fault.kind == "sleep":
            time.sleep(fault.seconds)
            return False
        else:
            return False
        return True

    def reply(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer_hub(self):
        hub = self.server.hub
        url = urllib.parse.urlsplit(self.path)
        parts = [urllib.parse.unquote(part) for part in url.path.split("/")[1:]]
        if parts[:2] == ["api", "models"] and len(parts) == 6 and parts[4] == "revision":
            repo = hub.find("/".join(parts[2:4]), parts[5])
            if not repo:
                return self.reply(404, {}, b"")
            if hub.required_token and self.headers.get("Authorization") != f"Bearer {hub.required_token}":
                return self.reply(401, {}, b"")
            return self.reply(200, {"Content-Type": "application/json"},
                              json.dumps(repo.listing("blobs=true" in url.query and hub.states_sizes)).encode())
        if len(parts) >= 5 and parts[2] == "resolve":
            repo, name = hub.find("/".join(parts[:2]), parts[3]), "/".join(parts[4:])
            if repo and name in repo.files:
                return self.answer_file(repo, name)
        return self.reply(404, {}, b"")

    def answer_file(self, repo, name):
        hub, data = self.server.hub, repo.files[name]
        headers = {"X-Repo-Commit": repo.commit, "ETag": f'"{repo.etag(name)}"'}
        if name not in repo.lfs:
            return self.send_data(data, headers)
        headers.update({"X-Linked-ETag": f'"{repo.etag(name)}"', "X-Linked-Size": str(len(data)), "ETag": '"of-the-link"',
                        "Location": f"{hub.cdn_base}/{repo.etag(name)}?signature=secret"})
        return self.reply(302, headers, b"Found")

    def answer_cdn(self):
        data = self.server.hub.blobs().get(urllib.parse.urlsplit(self.path).path.lstrip("/"))
        if data is None:
            return self.reply(404, {}, b"")
        return self.send_data(data, {"ETag": '"cdn"'})

    def send_data(self, data, headers):
        fault = self.fault
        kind = fault.kind if fault else ""
        if kind == "wrong_bytes":
            data = bytes(len(data))
        if kind == "extra_bytes":
            data = data + b"x" * 1000
        status, start = 200, 0
        wanted = self.headers.get("Range")
        if wanted and kind != "ignore_range":
            start = int(wanted.removeprefix("bytes=").split("-")[0])
            if start >= len(data):
                return self.reply(416, {"Content-Range": f"bytes */{len(data)}"}, b"")
            status = 206
            shown = start + 1 if kind == "wrong_range" else start
            headers["Content-Range"] = f"bytes {shown}-{len(data) - 1}/{len(data)}"
        body = data[start:]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if kind in ("no_length", "no_length_truncate", "extra_bytes"):
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(body)))
        if kind == "gzip":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if self.command != "HEAD":
            self.send_body(body, kind, fault)

    def send_body(self, body, kind, fault):
        if kind in ("truncate", "no_length_truncate"):
            self.wfile.write(body[:fault.after])
            self.close_connection = True
        elif kind == "slow":
            for at in range(0, len(body), fault.chunk):
                self.wfile.write(body[at:at + fault.chunk])
                self.wfile.flush()
                time.sleep(fault.delay)
        else:
            self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address):
        pass   # a client that went away, or refused the handshake


class FakeHub:
    """`tls`: (certificate, key) for https as hub.test and cdn.test instead of http on 127.0.0.1."""

    def __init__(self, tls=None):
        self.log, self.faults, self.repos = [], [], []
        self.required_token, self.states_sizes = None, True
        self.lock = threading.Lock()
        self.servers = {}
        for role in ("hub", "cdn"):
            server = Server(("127.0.0.1", 0), Handler)
            server.hub, server.role = self, role
            if tls:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(*tls)
                server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
            self.servers[role] = server
        self.ports = {role: server.server_address[1] for role, server in self.servers.items()}
        name = (lambda role: f"https://{role}.test") if tls else (lambda role: "http://127.0.0.1")
        self.endpoint = f"{name('hub')}:{self.ports['hub']}"
        self.cdn_base = f"{name('cdn')}:{self.ports['cdn']}"

    def __enter__(self):
        for server in self.servers.values():
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_):
        for server in self.servers.values():
            server.shutdown()
            server.server_close()

    def add(self, name, files, lfs=(), commit=None):
        commit = commit or hashlib.sha1(name.encode() + b"".join(files.values())).hexdigest()
        self.repos.insert(0, Repo(name, files, lfs, commit))
        return self.repos[0]

    def find(self, name, revision):
        for repo in self.repos:   # the newest first: that is "main"
            if repo.name == name and revision in ("main", repo.commit):
                return repo
        return None

    def blobs(self):
        return {repo.etag(name): repo.files[name] for repo in self.repos for name in repo.lfs}

    def fault(self, part, kind, server=None, method=None, times=1, **values):
        self.faults.append(Fault(part, kind, server, method, times, values))

    def take_fault(self, server, method, path):
        with self.lock:
            for fault in self.faults:
                if (fault.left > 0 and fault.part in path and fault.server in (None, server)
                        and fault.method in (None, method)):
                    fault.left -= 1
                    return fault
        return None

    def requests(self, server=None, method=None, part=""):
        return [entry for entry in self.log
                if server in (None, entry.server) and method in (None, entry.method) and part in entry.path]
