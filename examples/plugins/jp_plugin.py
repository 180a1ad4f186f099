# --- jp_plugin.py: what a plugin of jp needs in Python 3.8 or later. Copy it into yours.
#
#   run(DESCRIPTION, main)   answers `describe`, or calls main(session)
#
# main returns nothing or an exit code, and raises Fail("why") to end with an error; sys.exit() does the
# same. Any other exception is an error too. What print() and other programs write goes to stderr, where it does no harm.
import contextlib, json, os, queue, sys, threading, traceback

# What Python calls a level, where jp has another name for it.
LEVELS = {"warning": "warn", "critical": "error"}


class Fail(Exception):
    """Ends the plugin and tells the user why."""

    def __init__(self, reason, code=1):
        super().__init__(reason)
        self.code = code


class Refused(Exception):
    """jp said no; the plugin can go on."""


class Session:
    def __init__(self, init, lines, out):
        self.init, self.args, self.config = init, init["args"], init["config"]
        self.stopping = threading.Event()  # set when the user wants an end, or jp is gone
        self._out, self._answers, self._turn = out, queue.Queue(), threading.Lock()
        self._writing, self._asked, self._lost = threading.Lock(), 0, "jp is gone"
        threading.Thread(target=self._listen, args=(lines,), daemon=True).start()

    def list_conversations(self):
        return self.request("list_conversations")["data"]

    def read_events(self, conversation):
        return self.request("read_events", conversation=conversation)["data"]

    def read_config(self, path=None):
        return self.request("read_config", **({"path": path} if path else {}))["data"]

    def create_conversation(self, title=None):
        """Makes a conversation, which is locked, and returns its id."""
        return self.request("create_conversation", **({"title": title} if title else {}))["conversation"]

    @contextlib.contextmanager
    def lock(self, conversation):
        """`with session.lock(id): session.push_events(id, [...])`"""
        self.request("lock", conversation=conversation)
        try:
            yield conversation
        finally:
            self.request("unlock", conversation=conversation)

    def push_events(self, conversation, events):
        return self.request("push_events", conversation=conversation, events=events)["count"]

    def print(self, text, **fields):
        """Shows a text as it is; channel="chrome" and format="markdown" are examples of fields."""
        self.send(type="print", text=_text(text), **fields)

    def log(self, level, message, **fields):
        level = level.lower()
        self.send(type="log", level=LEVELS.get(level, level), message=_text(message), fields=fields)

    def request(self, type, **fields):
        """Asks and waits. Threads that ask at the same time take turns."""
        with self._turn:
            self._asked += 1
            fields["id"], answer = str(self._asked), {}
            self.send(type=type, **fields)
            while answer.get("id") != fields["id"]:
                answer = self._answers.get()
                if answer is None:
                    self._answers.put(None)
                    raise Fail(self._lost)
        if answer["type"] == "error":
            raise Refused(answer["message"])
        return answer

    def send(self, **message):
        with self._writing:
            self._out.write(json.dumps(message, allow_nan=False) + "\n")
            self._out.flush()

    def _listen(self, lines):
        try:
            for line in lines:
                message = json.loads(line) if line.strip() else {"type": "nothing"}
                if message["type"] == "shutdown":
                    self.stopping.set()
                elif "id" in message:
                    self._answers.put(message)
                elif message["type"] == "error":
                    # Nobody waits for it: jp could not take what was printed or logged.
                    print("jp:", message["message"], file=sys.stderr, flush=True)
        except Exception as error:
            self._lost = "what jp said cannot be read: %s" % error
        finally:
            # Whatever happened, nobody must wait for ever.
            self._answers.put(None)
            self.stopping.set()


def _text(text):
    """Bytes in the name of a file that are no text have no form in JSON; they become question marks."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


def run(description, main):
    if sys.stdin.isatty():
        words = " ".join(description.get("command", [description["name"]]))
        text = description.get("help", description["description"]).rstrip()
        sys.exit("%s\n\nA plugin of jp: run `jp %s`." % (text, words))
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    lines = sys.stdin.buffer
    first = json.loads(lines.readline() or b"{}")
    if first.get("type") == "describe":
        out.write(json.dumps({"type": "describe", **description}, allow_nan=False) + "\n")
        out.flush()
        os._exit(0)
    if first.get("type") != "init":
        sys.exit("the first line is neither `describe` nor `init`")
    session = Session(first, lines, out)
    session.send(type="ready")
    end = {"code": 0}
    try:
        end["code"] = main(session) or 0
    except Fail as fail:
        end = {"code": fail.code, "reason": str(fail)}
    except Refused as refused:
        end = {"code": 1, "reason": str(refused)}
    except SystemExit as ended:
        # sys.exit() with nothing, a code or a text; argparse ends a program like this too.
        code = 0 if ended.code is None else ended.code
        end = {"code": code} if isinstance(code, int) else {"code": 1, "reason": str(code)}
    except KeyboardInterrupt:
        end = {"code": 130}
    except Exception as error:
        traceback.print_exc()
        end = {"code": 1, "reason": "%s: %s" % (type(error).__name__, error)}
    if "reason" in end:
        end["reason"] = _text(end["reason"])
    session.send(type="exit", **end)
    sys.stdout.flush()
    sys.stderr.flush()
    # The thread that reads would keep the interpreter from ending in order.
    os._exit(end["code"] & 255)
# --- the end of jp_plugin.py
