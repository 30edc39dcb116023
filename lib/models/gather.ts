/** As many as a cursor's first answer holds. */
const MOST = 100;

/**
 * What comes in the same turn of the event loop goes in one command, as much of it does under load: nothing is sent
 * before it was asked for, and nothing waits for the answer to something else. With 16 connections that is FIGURE
 *
 * @param send given what has come, in its order
 * @returns the answer to all that went with it
 */
export function gather<Item, Answer>(
  send: (items: readonly Item[]) => Promise<Answer>,
): (item: Item) => Promise<Answer> {
  let open: { readonly items: Item[]; readonly answer: Promise<Answer> } | undefined;

  const begin = () => {
    const items: Item[] = [];
    // after all that has come in by now was looked at
    const end = new Promise((resolve) => setImmediate(resolve));
    const answer = end.then(() => {
      if (open?.items === items) open = undefined;
      return send(items);
    });
    open = { items, answer };
    return open;
  };

  return (item) => {
    const turn = open !== undefined && open.items.length < MOST ? open : begin();
    turn.items.push(item);
    return turn.answer;
  };
}
