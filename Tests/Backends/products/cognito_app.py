"""moto's Cognito: Ada signs in by a password and a code of her authenticator, Bob by a password alone.

moto's tokens never end, so the ones of the user pool are removed here when their time is over.
"""

import os
import time

os.environ |= {
    "MOTO_COGNITO_IDP_USER_POOL_ID_STRATEGY": "HASH", "MOTO_COGNITO_IDP_USER_POOL_CLIENT_ID_STRATEGY": "HASH",
    "MOTO_COGNITO_IDP_USER_POOL_ENABLE_TOTP": "true"}

import product  # noqa: E402
from moto.cognitoidp.models import cognitoidp_backends  # noqa: E402
from moto.core import DEFAULT_ACCOUNT_ID  # noqa: E402
from moto.server import DomainDispatcherApplication, create_backend_app  # noqa: E402

backend = cognitoidp_backends[DEFAULT_ACCOUNT_ID]["us-east-1"]
pool = backend.create_user_pool("example", {"AutoVerifiedAttributes": ["email"]})
client = backend.create_user_pool_client(pool.id, False, {
    "ClientName": "phone", "ExplicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]})
backend.set_user_pool_mfa_config(pool.id, {}, {"Enabled": True}, "OPTIONAL")
for name, display in (("ada", "Ada Lovelace"), ("bob", "Bob Byte")):
    attributes = [{"Name": "email", "Value": f"{name}@example.com"}, {"Name": "name", "Value": display}]
    backend.admin_create_user(pool.id, name, "SUPPRESS", None, attributes)
    backend.admin_set_user_password(pool.id, name, "Correct-horse-9", True)
backend.admin_get_user(pool.id, "ada").token_verified = True
backend.admin_set_user_mfa_preference(pool.id, "ada", {"Enabled": True, "PreferredMfa": True}, {})
first_seen = {}


def remove_old_tokens():
    """Removes tokens whose time is over."""
    now = time.time()
    for tokens, life in ((pool.access_tokens, product.ACCESS), (pool.refresh_tokens, product.REFRESH)):
        for token in list(tokens):
            if now - first_seen.setdefault(token, now) >= life:
                del tokens[token]


(product.FOLDER / "client").write_text(client.id)
application = product.RecordedWSGI(DomainDispatcherApplication(create_backend_app), remove_old_tokens)
