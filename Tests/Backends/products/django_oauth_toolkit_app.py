"""django-oauth-toolkit: the password grant of a confidential client, rotation with protection against reuse, revocation."""

import django_product
import product

django_product.configure(
    __name__, "django.contrib.sessions", "oauth2_provider",
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware"],
    OAUTH2_PROVIDER={
        "ACCESS_TOKEN_EXPIRE_SECONDS": product.ACCESS, "REFRESH_TOKEN_EXPIRE_SECONDS": product.REFRESH, "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True, "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0, "SCOPES": {"profile": "profile"},
        "PKCE_REQUIRED": False})

from django.http import JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.decorators import protected_resource  # noqa: E402
from oauth2_provider.models import Application  # noqa: E402


@protected_resource(scopes=["profile"])
def me(request):
    """A call of the team's own API, in the shape of JSON:API."""
    user = request.resource_owner
    attributes = {"email": user.email, "full-name": user.get_full_name()}
    return JsonResponse({"data": {"type": "user", "id": str(user.pk), "attributes": attributes}})


urlpatterns = [path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")), path("api/user", me)]
django_product.make_user("correct horse 9")
Application.objects.filter(client_id="phone").exists() or Application.objects.create(
    client_id="phone", client_secret="hush hush", client_type="confidential", authorization_grant_type="password", name="phone")
application = django_product.application()
