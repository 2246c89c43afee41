"""drfpasswordless with the tokens of Django REST framework, which never end; the team's own API has the sign-out."""

import django_product

django_product.configure(
    __name__, "rest_framework", "rest_framework.authtoken", "drfpasswordless", SITE_ID=1,
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"]},
    PASSWORDLESS_AUTH={
        "PASSWORDLESS_AUTH_TYPES": ["EMAIL"], "PASSWORDLESS_EMAIL_NOREPLY_ADDRESS": "noreply@example.com",
        "PASSWORDLESS_TOKEN_EXPIRE_TIME": 900})

from django.urls import include, path  # noqa: E402
from rest_framework.permissions import IsAuthenticated  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402


class Me(APIView):
    """A call of the team's own API."""

    permission_classes = (IsAuthenticated,)

    def get(self, request):
        return Response({"pk": request.user.pk, "email": request.user.email, "name": request.user.get_full_name()})


class Logout(APIView):
    """The team's own sign-out."""

    permission_classes = (IsAuthenticated,)

    def post(self, request):
        request.auth.delete()
        return Response(status=204)


urlpatterns = [
    path("", include("drfpasswordless.urls")), path("api/profile/", Me.as_view()), path("api/logout/", Logout.as_view())]
django_product.make_user(None)
application = django_product.application()
