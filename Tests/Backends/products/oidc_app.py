"""A mock of an OpenID Connect provider, which takes any client."""

from datetime import timedelta

import oidc_provider_mock
import product
from oidc_provider_mock._storage import User

ada = User(sub="ada", claims={"email": "ada@example.com", "name": "Ada Lovelace"})
application = product.RecordedWSGI(
    oidc_provider_mock.app(access_token_max_age=timedelta(seconds=product.ACCESS), user_claims=[ada]))
