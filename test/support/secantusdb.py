"""SecantusDB 0.7.0b3 without its one deadlock, and quicker; with the parameters of `python -m secantus`.

The first write to a collection makes it in the transaction of the write, which then waits for the lock of the whole
store; create, createIndexes and dropDatabase hold that lock and wait for that transaction, and nothing ends either.
So the first write holds the lock from before its transaction on. MongoDB has no such trouble.

It keeps the answers of the last 10,000 writes for drivers that send a write again, and looks for outdated ones at each
write, as it looks for outdated sessions at each command, so that all becomes slower with every write of a run. Once a
second is enough, and a driver sends again at once: the last 500 are.

A change stream that waits is answered at every write to any collection, mostly with nothing, and asks again at once: a
fifth of all commands of a run. MongoDB has it wait until there is something for it, or its time is over.

Each command looks up in the store whether its database is profiled; none is.
"""

import functools
import time

from secantus import commands, transactions
from secantus.cli import main
from secantus.cursors import CursorNotFound
from secantus.sessions import SessionRegistry
from secantus.storage import Storage
from secantus.transactions import TransactionRegistry


def first_write_alone(write):
    @functools.wraps(write)
    def wrapper(self, db, coll, *rest, **named):
        if getattr(self._tls, "user_txn", None) is not None or self._coll_options(db, coll) is not None:
            return write(self, db, coll, *rest, **named)
        # the order of the locks is SecantusDB's own (Storage._coll_lock)
        with self._coll_lock(db, coll), self._lock:
            return write(self, db, coll, *rest, **named)

    return wrapper


for name in ("_insert_chunk", "_update_matching_single_txn"):
    setattr(Storage, name, first_write_alone(getattr(Storage, name)))


def once_a_second(prune):
    @functools.wraps(prune)
    def wrapper(self):
        now = self._time()
        if now < getattr(self, "_next_prune", now):
            return 0
        self._next_prune = now + 1
        return prune(self)

    return wrapper


transactions._RETRYABLE_RECORD_MAX = 500
TransactionRegistry._prune_retryable_locked = once_a_second(TransactionRegistry._prune_retryable_locked)
SessionRegistry._prune_locked = once_a_second(SessionRegistry._prune_locked)


def until_there_is_something(get_more):
    @functools.wraps(get_more)
    def wrapper(doc, ctx):
        wait = doc.get("maxTimeMS", 1000)
        end = time.monotonic() + wait / 1000
        reply = get_more(doc, ctx)
        while wait > 0 and is_empty(reply) and is_change_stream(doc, ctx):
            left = int((end - time.monotonic()) * 1000)
            if left <= 0:
                break
            # several writes at once, as a rule
            time.sleep(0.02)
            reply = get_more({**doc, "maxTimeMS": left}, ctx)
        return reply

    return wrapper


def is_empty(reply):
    cursor = reply.get("cursor")
    return cursor is not None and cursor["id"] != 0 and not cursor["nextBatch"]


def is_change_stream(doc, ctx):
    try:
        entry = ctx.cursors.get(doc["getMore"])
    except CursorNotFound:
        # killed meanwhile
        return False
    return entry.change_stream and entry.await_data and not entry.invalidated


commands._HANDLERS["getMore"] = until_there_is_something(commands._HANDLERS["getMore"])
commands._maybe_record_profile = lambda *_: None


if __name__ == "__main__":
    raise SystemExit(main())
