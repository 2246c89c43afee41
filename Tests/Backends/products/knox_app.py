"""django-rest-knox: Basic at the sign-in, a token that use renews; the account is in a list."""

from datetime import timedelta

import django_product
import product

django_product.configure(
    __name__, "rest_framework", "knox",
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": ["knox.auth.TokenAuthentication"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"]},
    REST_KNOX={
        "TOKEN_TTL": timedelta(seconds=product.ACCESS), "AUTO_REFRESH": True, "MIN_REFRESH_INTERVAL": 1,
        "AUTO_REFRESH_MAX_TTL": timedelta(seconds=product.REFRESH)})

from django.urls import path  # noqa: E402
from knox import views  # noqa: E402
from rest_framework.authentication import BasicAuthentication  # noqa: E402
from rest_framework.permissions import IsAuthenticated  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402


class Login(views.LoginView):
    """The sign-in of the documentation of knox."""

    authentication_classes = (BasicAuthentication,)


class Users(APIView):
    """A call of the team's own API that answers as a filtered list does."""

    permission_classes = (IsAuthenticated,)

    def get(self, request):
        return Response([{"id": request.user.pk, "email": request.user.email, "name": request.user.get_full_name()}])


urlpatterns = [
    path("auth/login/", Login.as_view()), path("auth/logout/", views.LogoutView.as_view()), path("users/", Users.as_view())]
django_product.make_user("correct horse 9")
application = django_product.application()
