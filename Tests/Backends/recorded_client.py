"""A client that sends the recorded requests with the secrets of now, and compares the answers with the recorded ones."""

import http.client
import json
import ssl
import urllib.parse


def shape(value):
    """The names and types of JSON without the values; of a list, the first element stands for all."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shape(element) for element in value[:1]]
    return type(value).__name__


def value_at(place, headers, body):
    """What an answer has at a place of `Product.issues`."""
    kind, _, name = place.partition(":")
    if kind == "cookie":
        values = [value.partition(";")[0].partition("=")[2] for field, value in headers if field == "set-cookie" and value.startswith(f"{name}=")]
        return values[0]
    if kind == "location":
        location = next(value for field, value in headers if field == "location")
        return urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)[name][0]
    value = json.loads(body)
    for part in place[1:].split("/"):
        value = value[part]
    return value


class RecordedClient:
    """A client of a product or of what plays it."""

    def __init__(self, product, origin, certificate, **live):
        """`live` are secrets that differ from the recorded ones from the start."""
        self.product, self.recorded = product, product.recorded()
        self.live = dict(live)
        self.host = urllib.parse.urlsplit(origin).netloc
        self.context = ssl.create_default_context(cafile=certificate)

    def send(self, situation, **replaced):
        """Sends the request of a step, with further texts replaced; its answer must be as recorded."""
        request, wanted = self.recorded[situation]
        # The recorder sent it, but left it out of what it wrote.
        headers = {"accept": "application/json"} | {name: self.product.filled(value, situation, self.live) for name, value in request.headers}
        body = request.body
        for recorded in sorted({one for texts in self.product.texts.values() for one in texts}, key=len, reverse=True):
            kind = self.product.kind_of(recorded, situation)
            if kind in self.live:
                value = self.live[kind]
                body = body.replace(recorded, urllib.parse.quote_plus(value) if "=" in body.partition("{")[0] else value)
        for old, new in replaced.items():
            body = body.replace(old, new)
        connection = http.client.HTTPSConnection(self.host, context=self.context, timeout=10)
        connection.request(request.method, request.first.split(" ")[1], body.encode() or None, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        answer_headers = [(name.lower(), value) for name, value in answer.getheaders()]
        connection.close()
        assert answer.status == wanted.status, (self.product.name, situation, answer.status, text)
        if wanted.body.lstrip().startswith(("{", "[")):
            assert shape(json.loads(text)) == shape(json.loads(wanted.body)), (self.product.name, situation, text)
        for kind, place in self.product.issues.get(situation, {}).items():
            self.live[kind] = value_at(place, answer_headers, text)
        return text
