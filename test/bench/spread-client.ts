import type { Client, Tokens } from './client.js';

/**
 * One client of several processes of the same site, which takes them in turn. What one process has given out is used at
 * another: for that, codes and tokens carry the number of their process in front, as far as the workloads see them.
 */
export function createSpreadClient(clients: readonly Client[]): Client {
  const [first] = clients;
  if (first === undefined) throw new TypeError('there is no process');
  if (clients.length === 1) return first;
  let turn = 0;

  const takeTurn = (except?: number): number => {
    turn = (turn + 1) % clients.length;
    if (turn === except) turn = (turn + 1) % clients.length;
    return turn;
  };
  const at = <Result>(index: number, ask: (client: Client) => Promise<Result>) =>
    ask(clients[index] ?? first);
  const mark = (index: number, value: string) => `${index}:${value}`;
  const markTokens = (index: number, { accessToken, refreshToken }: Tokens): Tokens => ({
    accessToken: mark(index, accessToken),
    refreshToken: refreshToken === undefined ? undefined : mark(index, refreshToken),
  });
  /** At another process than the one that has given the value out. */
  const elsewhere = async <Result>(
    marked: string,
    ask: (client: Client, value: string, index: number) => Promise<Result>,
  ) => {
    const end = marked.indexOf(':');
    const index = takeTurn(Number(marked.slice(0, end)));
    return at(index, (client) => ask(client, marked.slice(end + 1), index));
  };

  return {
    site: first.site,
    async clientCredentials(format) {
      const index = takeTurn();
      return markTokens(index, await at(index, (client) => client.clientCredentials(format)));
    },
    async authorize() {
      const index = takeTurn();
      return mark(index, await at(index, (client) => client.authorize()));
    },
    redeem: (code) =>
      elsewhere(code, async (client, value, index) => markTokens(index, await client.redeem(value))),
    refresh: (refreshToken) =>
      elsewhere(refreshToken, async (client, value, index) => markTokens(index, await client.refresh(value))),
    callApi: (path, accessToken) => elsewhere(accessToken, (client, value) => client.callApi(path, value)),
    introspect: (accessToken) => elsewhere(accessToken, (client, value) => client.introspect(value)),
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
