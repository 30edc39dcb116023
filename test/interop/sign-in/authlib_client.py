"""A client of Authlib that knows nothing but the issuer: it prints where the browser has to go, reads where the browser
came back to, and prints what it has found out."""

import json
import os
import sys

# the test site is on this machine, without TLS
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.common.security import generate_token
from authlib.common.urls import add_params_to_uri
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken

issuer, client_id, client_secret, redirect_uri, after = sys.argv[1:]
metadata = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=10).json()
assert metadata["issuer"] == issuer
keys = JsonWebKey.import_key_set(requests.get(metadata["jwks_uri"], timeout=10).json())

session = OAuth2Session(
    client_id,
    client_secret,
    scope="openid profile",
    redirect_uri=redirect_uri,
    code_challenge_method="S256",
)
nonce, verifier = generate_token(), generate_token(48)
url, state = session.create_authorization_url(
    metadata["authorization_endpoint"], nonce=nonce, code_verifier=verifier
)
print(url, flush=True)


def subject_of(tokens, **params):
    claims = jwt.decode(
        tokens["id_token"],
        keys,
        claims_cls=CodeIDToken,
        claims_options={"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": client_id}},
        claims_params={"client_id": client_id, "access_token": tokens["access_token"], **params},
    )
    claims.validate()
    return claims["sub"]


back = sys.stdin.readline().strip()
tokens = session.fetch_token(
    metadata["token_endpoint"], authorization_response=back, state=state, code_verifier=verifier
)
first = subject_of(tokens, nonce=nonce)
person = session.get(metadata["userinfo_endpoint"], timeout=10).json()
assert person["sub"] == first
access_token = tokens["access_token"]
renewed = session.refresh_token(metadata["token_endpoint"], refresh_token=tokens["refresh_token"])
print(
    json.dumps(
        {
            "sub": first,
            "name": person["name"],
            "refreshed": subject_of(renewed),
            "isNew": renewed["access_token"] != access_token,
            "logout": add_params_to_uri(
                metadata["end_session_endpoint"],
                {"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": after, "state": "bye"}.items(),
            ),
        }
    )
)
