#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A SAMP hub of Python's own XML-RPC with two programs that are none: samp_hub.py NAME [SECRET [HOST]].

Writes NAME.samp, the file by which it is found, and told.json, all that it was told. Runs until it is killed. A file say.json,
[how, type, parameters], is passed to the client that takes messages, how being "Call" or "Notification", and removed.
"""
import json
import os
import sys
import threading
import time
from xmlrpc.client import ServerProxy
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer

NAME, SECRET, HOST = (sys.argv[1:] + ["s3cret", "127.0.0.1"][len(sys.argv) - 2 :])[:3]
CLIENTS = {
    "c1": ("TOPCAT", ["table.load.votable", "table.load.fits"]),
    "c2": ("Aladin & co <3>", ["image.load.fits", "table.load.votable", "coverage.load.moc.fits"]),
}
told = []


class Handler(SimpleXMLRPCRequestHandler):
    rpc_paths = ("/xmlrpc",)


class Hub:
    callback = None

    def pass_on(self):
        """What is said in files, one after the other."""
        while True:
            time.sleep(0.05)
            if not self.callback or not os.path.exists("say.json"):
                continue
            with open("say.json") as file:
                how, kind, parameters = json.load(file)
            client = getattr(ServerProxy(self.callback).samp.client, "receive" + how)
            message = {"samp.mtype": kind, "samp.params": parameters}
            client(*(["k:1", "c1"] + (["7"] if how == "Call" else []) + [message]))
            os.remove("say.json")

    def _dispatch(self, method, arguments):
        name = method.split(".")[-1]
        told.append([name, *arguments])
        with open("told.part", "w") as file:
            json.dump(told, file)
        os.replace("told.part", "told.json")
        if name == "register":
            if arguments[0] != "s3cret":
                raise ValueError("wrong secret")
            return {"samp.private-key": "k:1", "samp.self-id": "me", "samp.hub-id": "hub"}
        if arguments[0] != "k:1":
            raise ValueError("wrong key")
        if name == "setXmlrpcCallback":
            self.callback = arguments[1]
        if name == "getSubscribedClients":
            return {one: {} for one, (_, types) in CLIENTS.items() if arguments[1] in types}
        if name == "getMetadata":
            return {"samp.name": CLIENTS[arguments[1]][0], "count": 3, "list": ["a", ["b"]], "yes": True}
        return ""


server = SimpleXMLRPCServer(("127.0.0.1", 0), Handler, logRequests=False, allow_none=True)
hub = Hub()
server.register_instance(hub)
threading.Thread(target=hub.pass_on, daemon=True).start()
os.umask(0o077)
with open(NAME + ".part", "w") as file:
    file.write(f"# a hub\nsamp.secret={SECRET}\nsamp.hub.xmlrpc.url=http://{HOST}:{server.server_address[1]}/xmlrpc\n")
os.replace(NAME + ".part", NAME + ".samp")
server.serve_forever()
