"""djangorestframework-simplejwt with rotation and the blacklist, and at most eight sign-ins a minute."""

from datetime import timedelta

import django_product
import product

django_product.configure(
    __name__, "rest_framework", "rest_framework_simplejwt.token_blacklist",
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework_simplejwt.authentication.JWTAuthentication"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"], "DEFAULT_THROTTLE_RATES": {"login": "8/min"}},
    SIMPLE_JWT={
        "ROTATE_REFRESH_TOKENS": True, "BLACKLIST_AFTER_ROTATION": True, "ACCESS_TOKEN_LIFETIME": timedelta(seconds=product.ACCESS),
        "REFRESH_TOKEN_LIFETIME": timedelta(seconds=product.REFRESH)})

from django.urls import path  # noqa: E402
from rest_framework.permissions import IsAuthenticated  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.throttling import ScopedRateThrottle  # noqa: E402
from rest_framework.views import APIView  # noqa: E402
from rest_framework_simplejwt.views import TokenBlacklistView, TokenObtainPairView, TokenRefreshView  # noqa: E402


class Me(APIView):
    """A call of the team's own API."""

    permission_classes = (IsAuthenticated,)

    def get(self, request):
        return Response({
            "id": request.user.pk, **{name: getattr(request.user, name) for name in ("username", "email", "first_name", "last_name", "date_joined")}})


class Login(TokenObtainPairView):
    """The sign-in with a limit."""

    throttle_classes = (ScopedRateThrottle,)
    throttle_scope = "login"


urlpatterns = [
    path("api/token/", Login.as_view()), path("api/token/refresh/", TokenRefreshView.as_view()),
    path("api/token/blacklist/", TokenBlacklistView.as_view()), path("api/me/", Me.as_view())]
django_product.make_user("correct horse 9")
application = django_product.application()
