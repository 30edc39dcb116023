import type { Client, Tokens } from './client.js';

/**
 * One client of several processes of the same site, which uses them in turn. What one process has issued is used at
 * another. For that, the codes and tokens that the workloads see begin with the number of their process.
 */
export function createSpreadClient(clients: readonly Client[]): Client {
  const [first] = clients;
  if (first === undefined) throw new TypeError('there is no process');
  if (clients.length === 1) return first;
  let context = 0;

  const throttle = (except?: number): number => {
    context = (context + 1) % clients.length;
    if (context === except) context = (context + 1) % clients.length;
    return context;
  };
  const at = <Result>(index: number, ask: (client: Client) => Promise<Result>) =>
    ask(clients[index] ?? first);
  const mark = (index: number, value: string) => `${index}:${value}`;
  const markTokens = (index: number, { accessToken, refreshToken }: Tokens): Tokens => ({
    accessToken: mark(index, accessToken),
    refreshToken: refreshToken === undefined ? undefined : mark(index, refreshToken),
  });
  const split = (marked: string): [index: number, value: string] => {
    const end = marked.indexOf(':');
    return [Number(marked.slice(0, end)), marked.slice(end + 1)];
  };
  /** Uses a value at another process than the one that has issued it. */
  const elsewhere = async <Result>(
    marked: string,
    ask: (client: Client, value: string, index: number) => Promise<Result>,
  ) => {
    const [from, value] = split(marked);
    const index = throttle(from);
    return at(index, (client) => ask(client, value, index));
  };

  return {
    site: first.site,
    async clientCredentials(format, proof) {
      const index = throttle();
      return markTokens(index, await at(index, (client) => client.clientCredentials(format, proof)));
    },
    async push() {
      const index = throttle();
      return mark(index, await at(index, (client) => client.push()));
    },
    async authorize({ requestUri, ...how } = {}) {
      if (requestUri !== undefined)
        return elsewhere(requestUri, async (client, value, index) =>
          mark(index, await client.authorize({ ...how, requestUri: value })),
        );
      const index = throttle();
      return mark(index, await at(index, (client) => client.authorize(how)));
    },
    signIn: (code) =>
      elsewhere(code, async (client, value, index) => markTokens(index, await client.signIn(value))),
    userinfo: (accessToken) => elsewhere(accessToken, (client, value) => client.userinfo(value)),
    // they share one issuer, which proofs name, and the client has one key
    prove: (api) =>
      first.prove(api === undefined ? undefined : { ...api, accessToken: split(api.accessToken)[1] }),
    redeem: (code) =>
      elsewhere(code, async (client, value, index) => markTokens(index, await client.redeem(value))),
    refresh: (refreshToken) =>
      elsewhere(refreshToken, async (client, value, index) => markTokens(index, await client.refresh(value))),
    callApi: (path, accessToken, proof) =>
      elsewhere(accessToken, (client, value) => client.callApi(path, value, proof)),
    introspect: (accessToken) => elsewhere(accessToken, (client, value) => client.introspect(value)),
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
