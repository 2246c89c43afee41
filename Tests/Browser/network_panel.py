"""Chromium's network panel by its protocol: the events of `Network`, made into the HAR that the panel exports."""

import base64
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import Error


def fields(headers):
    """Header fields as HAR has them."""
    return [{"name": name, "value": value} for name, lines in headers.items() for value in lines.split("\n")]


class NetworkPanel:
    """Records what a page sends from now on."""

    def __init__(self, page):
        self.session = page.context.new_cdp_session(page)
        self.requests = {}
        self.calls = []
        for name in (
            "requestWillBeSent", "requestWillBeSentExtraInfo", "responseReceived", "responseReceivedExtraInfo", "loadingFinished",
            "loadingFailed", "webSocketCreated", "webSocketWillSendHandshakeRequest", "webSocketHandshakeResponseReceived",
            "webSocketFrameSent", "webSocketFrameReceived",
        ):
            self.session.on(f"Network.{name}", lambda event, name=name: self._note(name, event))
        self.session.send("Network.enable")

    def _note(self, name, event):
        if name in ("requestWillBeSent", "webSocketCreated"):
            self.requests[event["requestId"]] = {"frames": []}
            self.calls.append(self.requests[event["requestId"]])
        call = self.requests.setdefault(event["requestId"], {"frames": []})
        if name.startswith("webSocketFrame"):
            call["frames"].append((name, event))
        call[name] = event

    def har(self):
        """The HAR of everything so far."""
        version = self.session.send("Browser.getVersion")["product"]
        entries = [self._entry(call) for call in self.calls]
        return {"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "comment": version, "pages": [
            {"startedDateTime": entries[0]["startedDateTime"], "id": "page_1", "title": "/", "pageTimings": {"onLoad": 12.5}}], "entries": entries}}

    def _entry(self, call):
        sent = call.get("requestWillBeSent") or call["webSocketWillSendHandshakeRequest"]
        received = call.get("responseReceived") or call.get("webSocketHandshakeResponseReceived") or {}
        url = call["webSocketCreated"]["url"] if "webSocketCreated" in call else sent["request"]["url"]
        end = (call.get("loadingFinished") or call.get("loadingFailed") or received or sent)["timestamp"]
        entry = {
            "_initiator": sent.get("initiator") or call["webSocketCreated"].get("initiator"), "_priority": sent["request"].get("initialPriority"),
            "_resourceType": sent.get("type", "websocket").lower(), "cache": {}, "pageref": "page_1", "request": self._request(call, sent, url),
            "response": self._response(call, received), "serverIPAddress": received.get("response", {}).get("remoteIPAddress", ""),
            "startedDateTime": datetime.fromtimestamp(sent["wallTime"], UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "time": (end - sent["timestamp"]) * 1000, "timings": self._timings(received.get("response", {}).get("timing"), sent, end),
        }
        if call["frames"]:
            entry["_webSocketMessages"] = [{
                "type": "send" if name.endswith("Sent") else "receive", "time": event["timestamp"], "opcode": event["response"]["opcode"],
                "data": event["response"]["payloadData"]} for name, event in call["frames"]]
        return entry

    def _request(self, call, sent, url):
        headers = call.get("requestWillBeSentExtraInfo", {}).get("headers") or sent["request"]["headers"]
        request = {
            "method": sent["request"].get("method", "GET"), "url": url, "httpVersion": "http/1.1", "headers": fields(headers),
            "queryString": [{"name": name, "value": value} for name, value in parse_qsl(urlsplit(url).query)], "cookies": [], "headersSize": -1,
            "bodySize": len(sent["request"].get("postData", "")),
        }
        if "postData" in sent["request"]:
            request["postData"] = {"mimeType": headers.get("Content-Type", ""), "text": sent["request"]["postData"]}
        return request

    def _response(self, call, received):
        if not received:
            return {
                "status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [], "content": {"size": 0, "mimeType": "x-unknown"},
                "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 0, "_error": call["loadingFailed"]["errorText"],
                "_fetchedViaServiceWorker": False}
        answer = received["response"]
        content = {"size": 0, "mimeType": answer.get("mimeType", "x-unknown")}
        if "loadingFinished" in call:
            try:
                body = self.session.send("Network.getResponseBody", {"requestId": received["requestId"]})
                size = len(base64.b64decode(body["body"]) if body["base64Encoded"] else body["body"].encode())
                content |= {"size": size, "text": body["body"]} | ({"encoding": "base64"} if body["base64Encoded"] else {})
            except Error:
                pass  # Some bodies are gone, and the panel leaves them out.
        extra = call.get("responseReceivedExtraInfo", {})
        return {
            "status": answer["status"], "statusText": answer["statusText"], "httpVersion": answer.get("protocol", "http/1.1"),
            "headers": fields(extra.get("headers") or answer["headers"]), "cookies": [], "content": content, "redirectURL": "", "headersSize": -1,
            "bodySize": -1, "_transferSize": int(call.get("loadingFinished", {}).get("encodedDataLength", 0)), "_error": None,
            "_fetchedViaServiceWorker": False}

    @staticmethod
    def _timings(timing, sent, end):
        if not timing:
            return {"blocked": (end - sent["timestamp"]) * 1000, "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": 0, "receive": 0}
        span = lambda name: timing[f"{name}End"] - timing[f"{name}Start"] if timing[f"{name}Start"] >= 0 else -1  # noqa: E731
        return {
            "blocked": max(0, (timing["requestTime"] - sent["timestamp"]) * 1000), "dns": span("dns"), "ssl": span("ssl"), "connect": span("connect"),
            "send": span("send"), "wait": timing["receiveHeadersEnd"] - timing["sendEnd"], "_blocked_queueing": 1.234,
            "receive": (end - timing["requestTime"]) * 1000 - timing["receiveHeadersEnd"]}
