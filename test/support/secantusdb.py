"""SecantusDB 0.7.0b3 without its one deadlock: python secantusdb.py, with the parameters of `python -m secantus`.

The first write to a collection makes it in the transaction of the write, which then waits for the lock of the whole
store; create, createIndexes and dropDatabase hold that lock and wait for that transaction, and nothing ends either.
So the first write holds the lock from before its transaction on. MongoDB has no such trouble.
"""

import functools

from secantus.cli import main
from secantus.storage import Storage


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

if __name__ == "__main__":
    raise SystemExit(main())
