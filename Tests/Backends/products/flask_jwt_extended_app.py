"""flask-jwt-extended with a blocklist: the refresh token travels in Authorization, and a refresh gives an access token alone."""

from datetime import timedelta

import product
from flask import Flask, jsonify, request
from flask_jwt_extended import JWTManager, create_access_token, create_refresh_token, get_jwt, get_jwt_identity, jwt_required

app = Flask(__name__)
app.config.update(
    JWT_SECRET_KEY=product.SIGNING_KEY, JWT_ACCESS_TOKEN_EXPIRES=timedelta(seconds=product.ACCESS),
    JWT_REFRESH_TOKEN_EXPIRES=timedelta(seconds=product.REFRESH))
jwt = JWTManager(app)
blocked = set()
users = {"ada": ("correct horse 9", {"full_name": "Ada Lovelace", "username": "ada", "id": 1})}


@jwt.token_in_blocklist_loader
def is_blocked(_, payload):
    """Whether a token was revoked."""
    return payload["jti"] in blocked


@app.post("/login")
def login():
    """Signs in by a password."""
    name, password = request.json.get("username"), request.json.get("password")
    if name not in users or users[name][0] != password:
        return jsonify({"msg": "Bad username or password"}), 401
    return jsonify(access_token=create_access_token(identity=name, fresh=True), refresh_token=create_refresh_token(identity=name))


@app.post("/refresh")
@jwt_required(refresh=True)
def refresh():
    """Gives another access token."""
    return jsonify(access_token=create_access_token(identity=get_jwt_identity(), fresh=False))


@app.delete("/logout")
@jwt_required(verify_type=False)
def logout():
    """Revokes the token that it is called with."""
    blocked.add(get_jwt()["jti"])
    return jsonify(msg=get_jwt()["type"].capitalize() + " token successfully revoked")


@app.get("/who_am_i")
@jwt_required()
def me():
    """The account."""
    return jsonify(users[get_jwt_identity()][1])


application = product.RecordedWSGI(app)
