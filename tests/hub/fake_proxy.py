"""A proxy on 127.0.0.1 for tests: relays plain requests, tunnels CONNECT to the local port that stands for a name."""
import http.client
import http.server
import select
import socket
import threading
import urllib.parse


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 20

    def log_message(self, *_):
        pass

    def do_CONNECT(self):
        self.server.seen.append(self.path)
        port = self.server.names.get(self.path.split(":")[0])
        if not port:
            return self.send_error(502)
        self.send_response(200)
        self.end_headers()
        with socket.create_connection(("127.0.0.1", port), timeout=20) as target:
            self.relay(target)
        self.close_connection = True

    def relay(self, target):
        other = {self.connection: target, target: self.connection}
        while True:
            for ready in select.select(list(other), [], [], 20)[0] or [None]:
                data = ready.recv(65536) if ready else b""
                if not data:
                    return
                other[ready].sendall(data)

    def forward(self):
        self.server.seen.append(self.path)
        url = urllib.parse.urlsplit(self.path)
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=20)
        headers = {name: value for name, value in self.headers.items() if not name.lower().startswith("proxy-")}
        connection.request(self.command, urllib.parse.urlunsplit(("", "", url.path, url.query, "")), headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_HEAD = forward


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address):
        pass


class FakeProxy:
    """`names`: host → local port for CONNECT. `seen`: what was asked of it."""

    def __init__(self, names=None):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.names, self.server.seen = names or {}, []
        self.seen = self.server.seen
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
