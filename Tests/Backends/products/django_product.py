"""What the products on Django share: settings, mail, and a user."""

import django
import product
from django.conf import settings
from django.core.mail.backends.base import BaseEmailBackend


class FileMail(BaseEmailBackend):
    """Keeps messages for the tests."""

    def send_messages(self, messages):
        for message in messages:
            for recipient in message.to:
                product.write_mail(recipient, message.body)
        return len(messages)


def configure(module, *apps, **further):
    """Configures Django for the module that has the URLs."""
    defaults = {
        "DEBUG": False, "SECRET_KEY": product.SIGNING_KEY, "ALLOWED_HOSTS": product.ORIGIN_HOSTS, "ROOT_URLCONF": module, "USE_TZ": True,
        "DATABASES": {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": product.FOLDER / "database"}},
        "DEFAULT_AUTO_FIELD": "django.db.models.AutoField", "EMAIL_BACKEND": "django_product.FileMail",
        "INSTALLED_APPS": ["django.contrib.auth", "django.contrib.contenttypes", *apps],
        "MIDDLEWARE": ["django.middleware.common.CommonMiddleware"],
        "TEMPLATES": [{
            "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
            "OPTIONS": {"context_processors": [
                "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
            ] if "django.contrib.messages" in apps else []}}],
    }
    settings.configure(**defaults | further)
    django.setup()


def make_user(password):
    """Makes the tables and Ada, and gives her."""
    from django.contrib.auth import get_user_model
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    users = get_user_model().objects
    return users.filter(username="ada").first() or users.create_user(
        "ada", "ada@example.com", password, first_name="Ada", last_name="Lovelace")


def application():
    """The WSGI application with the record."""
    from django.core.wsgi import get_wsgi_application

    return product.RecordedWSGI(get_wsgi_application())
