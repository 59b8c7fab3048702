"""Signs with one side and verifies with the other, both ways."""

import datetime
import json
import pathlib
import subprocess
import sys

import requests
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from http_message_signatures import (
    HTTPMessageSigner,
    HTTPMessageVerifier,
    HTTPSignatureKeyResolver,
    algorithms,
)
from http_message_signatures.exceptions import InvalidSignature

command, work = sys.argv[1], pathlib.Path(sys.argv[2])
secret = load_pem_private_key((work / "bot.pem").read_bytes(), None)
keyid = json.loads((work / "key.json").read_text())["thumbprint"]
AGENT = "https://bot.example"
URL = "https://site.example/page?a=b"


class Keys(HTTPSignatureKeyResolver):
    def resolve_public_key(self, key_id):
        assert key_id == keyid, key_id
        return secret.public_key()

    def resolve_private_key(self, key_id):
        return secret


def ours(*more):
    """A request that the command signed."""
    line = [command, "sign", "--key", str(work / "bot.pem"), "--agent", AGENT, "--json", *more, "GET", URL]
    fields = json.loads(subprocess.run(line, check=True, capture_output=True).stdout)["headers"]
    return requests.Request("GET", URL, headers=dict(fields)).prepare()


def verify_theirs(request):
    verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=Keys())
    return verifier.verify(request)


for more in ([], ["--nonce", "auto"], ["--component", "@method", "--component", "@path"]):
    results = verify_theirs(ours(*more))
    assert len(results) == 1, results
    print("python verifies ours", *more)

forged = ours()
forged.headers["Signature-Agent"] = '"https://other.example"'
try:
    verify_theirs(forged)
except InvalidSignature:
    print("python refuses ours when it is changed")
else:
    sys.exit("python took a changed request")

request = requests.Request("GET", URL, headers={"Host": "site.example", "Signature-Agent": f'"{AGENT}"'}).prepare()
now = datetime.datetime.now(datetime.timezone.utc)
HTTPMessageSigner(signature_algorithm=algorithms.ED25519, key_resolver=Keys()).sign(
    request,
    key_id=keyid,
    covered_component_ids=("@authority", "signature-agent"),
    created=now,
    expires=now + datetime.timedelta(seconds=60),
    tag="web-bot-auth",
    label="sig1",
)
raw = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
(work / "request.txt").write_text(f"GET /page?a=b HTTP/1.1\r\n{raw}\r\n", newline="")
line = [command, "verify", "--key", str(work / "bot.pem"), "--json", str(work / "request.txt")]
answer = json.loads(subprocess.run(line, capture_output=True).stdout)
assert answer["outcome"] == "verified", answer
print("we verify python's")
