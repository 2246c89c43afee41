"""django-allauth headless for apps: a code by mail, then a session token, or with PRODUCT_VARIANT=jwt access and refresh tokens."""

import os

import django_product
import product

is_jwt = os.environ["PRODUCT_VARIANT"] == "jwt"
_strategies = "allauth.headless.tokens.strategies."
django_product.configure(
    __name__, "django.contrib.sessions", "django.contrib.messages", "allauth", "allauth.account", "allauth.headless", "rest_framework",
    CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware",
        "allauth.account.middleware.AccountMiddleware"],
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    ACCOUNT_LOGIN_METHODS={"email"}, ACCOUNT_SIGNUP_FIELDS=["email*", "password1*"], ACCOUNT_EMAIL_VERIFICATION="none",
    ACCOUNT_LOGIN_BY_CODE_ENABLED=True, ACCOUNT_LOGIN_BY_CODE_MAX_ATTEMPTS=3,
    HEADLESS_ONLY=True, HEADLESS_CLIENTS=("app",),
    HEADLESS_FRONTEND_URLS={
        "account_signup": "https://app.example/signup", "account_reset_password_from_key": "https://app.example/{key}"},
    HEADLESS_TOKEN_STRATEGY=_strategies + ("jwt.JWTTokenStrategy" if is_jwt else "sessions.SessionTokenStrategy"),
    HEADLESS_JWT_ALGORITHM="HS256", HEADLESS_JWT_ACCESS_TOKEN_EXPIRES_IN=product.ACCESS,
    HEADLESS_JWT_REFRESH_TOKEN_EXPIRES_IN=product.REFRESH, HEADLESS_JWT_STATEFUL_VALIDATION_ENABLED=True,
    SESSION_COOKIE_AGE=14 * product.REFRESH if is_jwt else product.REFRESH)

from allauth.account.models import EmailAddress  # noqa: E402
from allauth.headless.contrib.rest_framework.authentication import JWTTokenAuthentication, XSessionTokenAuthentication  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework.permissions import IsAuthenticated  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402


class Me(APIView):
    """A call of the team's own API."""

    authentication_classes = (JWTTokenAuthentication if is_jwt else XSessionTokenAuthentication,)
    permission_classes = (IsAuthenticated,)

    def get(self, request):
        user = request.user
        return Response({"id": user.pk, "email": user.email, "name": user.get_full_name()})


urlpatterns = [path("_allauth/", include("allauth.headless.urls")), path("api/me", Me.as_view())]
ada = django_product.make_user("correct horse 9")
EmailAddress.objects.get_or_create(user=ada, email=ada.email, defaults={"verified": True, "primary": True})
application = django_product.application()
