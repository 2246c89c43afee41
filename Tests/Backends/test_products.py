"""The products answer as they did when they were recorded."""

import base64

from product_process import ACCESS
from recorded_client import RecordedClient


def begin(product, process):
    """A client that has asked for a code or for consent, and the texts to replace in its requests."""
    # Limits of earlier tests are over.
    process.move_clock(ACCESS)
    secret = process.secrets.get("CLIENT_SECRET")
    live = {"client": base64.b64encode(f"phone:{secret}".encode()).decode()} if secret else {}
    client = RecordedClient(product, process.origin, process.certificate, **live)
    if product.way == "link":
        client.live["login"] = process.link().partition("code=")[2]
    texts = {product.secrets[name]: value for name, value in process.secrets.items() if name == "CLIENT_ID"}
    for step in ("ask", "consent"):
        if step in product.steps:
            client.send(step, **texts)
    if product.way == "code":
        texts[product.secret] = process.code(product.identifier)
    return client, texts


def test_a_product_answers_as_recorded(running):
    product, process = running
    client, texts = begin(product, process)
    if "wrong" in product.steps:
        client.send("wrong", **texts)
    client.send("redeem", **texts)
    client.send("account", **texts)
    process.end_access()
    if product.renews:
        client.send("expired", **texts)
        client.send("refresh", **texts)
        client.send("account", **texts)
        process.end_refresh()
        client.send("refused", **texts)
    client, texts = begin(product, process)
    client.send("redeem", **texts)
    for step in ("logout", "logout_refresh"):
        if step in product.steps:
            client.send(step, **texts)
    if not product.renews:
        client.send("expired", **texts)
