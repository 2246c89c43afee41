"""Flask-Security: unified sign-in by a mailed code, a refresh token in a cookie, or with PRODUCT_VARIANT=body in the body."""

import os
from datetime import timedelta

import product
from flask import Flask, jsonify
from flask_security import MailUtil, Security, SQLAlchemyUserDatastore, auth_required, current_user, hash_password
from flask_security.models import fsqla_v4 as fsqla
from flask_sqlalchemy import SQLAlchemy

app = Flask(__name__)
app.config.update(
    SECRET_KEY=product.SIGNING_KEY, SECURITY_PASSWORD_SALT="known-to-everybody", SQLALCHEMY_DATABASE_URI=f"sqlite:///{product.FOLDER}/database",
    SECURITY_PASSWORD_HASH="argon2", SECURITY_PASSWORD_HASH_OPTIONS={}, SECURITY_UNIFIED_SIGNIN=True,
    SECURITY_US_ENABLED_METHODS=["password", "email"], SECURITY_US_EMAIL_SUBJECT="Code",
    SECURITY_TOTP_SECRETS={"1": "TjQ9Qa31VOrfEzuPy4VHQWPCTmRzCnFzMKLxXYiZu9B"}, SECURITY_TOTP_ISSUER="example",
    SECURITY_TOKEN_MAX_AGE=timedelta(seconds=product.ACCESS), SECURITY_REFRESH_TOKEN=True,
    SECURITY_REFRESH_TOKEN_MAX_AGE=timedelta(seconds=product.REFRESH), WTF_CSRF_ENABLED=False, SECURITY_WAN_ALLOW_AS_FIRST_FACTOR=[],
    SECURITY_API_ENABLED_METHODS=["token"], SECURITY_AUTO_LOGIN_AFTER_CONFIRM=False)
if os.environ["PRODUCT_VARIANT"] == "body":
    app.config["SECURITY_REFRESH_TOKEN_COOKIE_NAME"] = None
database = SQLAlchemy(app)
fsqla.FsModels.set_db_info(database)


class Role(database.Model, fsqla.FsRoleMixin):
    """A role."""


class User(database.Model, fsqla.FsUserMixin):
    """A user."""


class FsRefreshTracker(database.Model, fsqla.FsRefreshTrackerMixin):
    """The generations of refresh tokens."""


class FileMail(MailUtil):
    """Keeps messages for the tests."""

    def send_mail(self, template, subject, recipient, sender, body, html, **_):
        product.write_mail(recipient, body)


store = SQLAlchemyUserDatastore(database, User, Role, refresh_tracker_model=FsRefreshTracker)
security = Security(app, store, mail_util_cls=FileMail)
with app.app_context():
    database.create_all()
    if not store.find_user(email="ada@example.com"):
        ada = store.create_user(email="ada@example.com", password=hash_password("correct horse 9"))
        store.set_token_uniquifier(ada)
        store.us_set(ada, "email", security._totp_factory.generate_totp_secret())
        database.session.commit()


@app.get("/api/account")
@auth_required("token")
def me():
    """A call of the team's own API."""
    return jsonify(account={"id": current_user.id, "mail": current_user.email, "active": current_user.active})


application = product.RecordedWSGI(app)
