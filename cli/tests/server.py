"""An MCP server for the tests of `init`: its first argument says how it behaves."""

import json
import os
import sys
import time

MODE = sys.argv[1]


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def page(cursor):
    """Two tools on two pages, in no order."""
    if MODE == "circle":
        return {"tools": [], "nextCursor": "again"}
    if cursor is None:
        send = {
            "name": "send_mail",
            "description": "Send a mail.",
            "annotations": {"destructiveHint": True, "readOnlyHint": False},
            "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}},
        }
        return {"tools": [send], "nextCursor": "2"}
    read = {
        "name": "read_mail",
        "description": "Read the mails.",
        "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object"},
        "outputSchema": {
            "type": "object",
            "properties": {
                "mails": {"type": "array", "items": {"$ref": "#/$defs/Mail"}},
                "next": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            },
            "required": ["mails"],
            "$defs": {
                "Mail": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "integer"},
                        "folder": {"enum": ["inbox", "sent"]},
                        "sent": {"type": "string", "format": "date-time"},
                        "sizes": {"type": "object", "additionalProperties": {"type": "integer"}},
                    },
                    "required": ["id", "folder"],
                }
            },
        },
    }
    return {"tools": [read]}


def answer(method, params):
    if method == "initialize":
        capabilities = {} if MODE == "bare" else {"tools": {}}
        info = {"name": "mail", "version": "1"}
        return {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info}
    return page(params.get("cursor"))


if MODE == "banner":
    print("Mail server, version 1", flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if MODE == "ends":
        sys.exit("no database")
    if "id" not in message or "method" not in message:
        continue
    identity, method = message["id"], message["method"]
    if MODE == "silent":
        # It does not even end when nobody speaks to it any more.
        while True:
            time.sleep(60)
    if MODE == "refuses" and method == "tools/list":
        say({"id": identity, "error": {"code": -32603, "message": "log in\nfirst"}})
        continue
    if MODE == "long" and method == "tools/list":
        try:
            print("x" * 3_000_000, flush=True)
        except BrokenPipeError:
            os._exit(0)
    # What a client has to put up with.
    say({"method": "notifications/message", "params": {"level": "info", "data": "hello"}})
    say({"id": "s1", "method": "ping"})
    say({"id": "s2", "method": "roots/list"})
    say({"id": identity, "result": answer(method, message.get("params", {}))})
