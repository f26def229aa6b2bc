"""The robot description: a URDF with meshes that clients can download."""

import asyncio
import json
from io import BytesIO
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from xml.etree import ElementTree

import pytest
import trimesh
from websockets.asyncio.client import connect

from rck.control.hub import Hub
from rck.control.server import Address


def described(url):
    """Return the URDF that a client gets."""

    async def ask():
        async with connect(url, max_size=None) as line:
            await line.send(json.dumps({"op": "subscribe", "topic": "/robot_description"}))
            return json.loads(await line.recv())["msg"]["data"]

    return asyncio.run(ask())


def mesh_urls(urdf):
    return sorted({mesh.get("filename") for mesh in ElementTree.fromstring(urdf).iter("mesh")})


def refusal(url, **headers):
    with pytest.raises(HTTPError) as caught:
        urlopen(Request(url, headers=headers))
    return caught.value.code


def test_every_mesh_of_the_description_can_be_downloaded_and_is_a_solid(served):
    urls = mesh_urls(described(served.url))
    assert urls
    for url in urls:
        assert url.startswith(f"http://127.0.0.1:{served.port}/meshes/")
        with urlopen(url) as answer:
            solid = trimesh.load_mesh(BytesIO(answer.read()), file_type="stl")
        assert solid.is_watertight
        assert solid.volume > 0


def test_mesh_url_is_secret_and_serves_nothing_else(world_of, serving):
    address = Address(port=0, token="secret", origins=("https://lab.example",))
    with serving(Hub(world_of()), address) as served:
        url = mesh_urls(described(f"{served.url}/?token=secret"))[0]
        assert "secret" not in url
        folder, _, name = url.rpartition("/")
        key = url.split("/")[4]
        assert refusal(url.replace(key, "guess")) == 426
        for path in ("..%2f..%2fpyproject.toml", "%2e%2e/server.py", "/etc/passwd", name + "%00", ""):
            assert refusal(f"{folder}/{path}") == 426
        assert refusal(url, Origin="https://evil.example") == 403
        assert refusal(url, Host="evil.example") == 403
        with urlopen(Request(url, headers={"Origin": "https://lab.example"})) as answer:
            assert answer.headers["Access-Control-Allow-Origin"] == "https://lab.example"


def test_subscribers_get_a_new_description_when_an_object_is_added(served):
    async def watch():
        async with connect(served.url, max_size=None) as line:
            await line.send(json.dumps({"op": "subscribe", "topic": "/robot_description"}))
            first = json.loads(await line.recv())["msg"]["data"]
            args = {"name": "ball", "shape": "sphere", "sizes": [0.02], "pose": {"position": {"x": 2.0}}}
            await line.send(json.dumps({"op": "call_service", "service": "/spawn", "args": args}))
            while True:
                told = json.loads(await line.recv())
                if told["op"] == "publish":
                    return first, told["msg"]["data"]

    first, second = asyncio.run(watch())
    fresh = set(mesh_urls(second)) - set(mesh_urls(first))
    assert [url.rpartition("/")[2] for url in fresh] == ["ball_1.stl"]
    assert urlopen(fresh.pop()).status == 200
