import type { Client, TokenFormat, Tokens } from './client.js';
import type { ContenderDescription } from './contender.js';

export interface Job {
  /** Prepares the next `count` runs; not measured. */
  readonly prepare: (count: number) => Promise<void>;
  /** One operation, its answers checked. */
  readonly run: () => Promise<void>;
}

export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly isInQuick?: true;
  readonly open: (client: Client, stock?: Stock) => Job;
}

/** The number of stored items; each is used in turn. */
export interface Stock {
  /** So many tokens that no cache profits from recent use. */
  readonly tokens: number;
  readonly grants: number;
}
export const STOCK: Stock = { tokens: 1000, grants: 200 };
export const QUICK_STOCK: Stock = { tokens: 300, grants: 100 };

export const WORKLOADS = [
  {
    name: 'client_credentials',
    title: 'Client credentials, opaque token',
    isInQuick: true,
    open: (client) => clientCredentials(client, 'opaque'),
  },
  {
    name: 'client_credentials-jwt',
    title: 'Client credentials, JWT',
    open: (client) => clientCredentials(client, 'jwt'),
  },
  {
    name: 'client_credentials-stateless',
    title: 'Client credentials, JWT that is stored nowhere',
    open: (client) => clientCredentials(client, 'stateless'),
  },
  {
    name: 'guard',
    title: 'API call, opaque token',
    isInQuick: true,
    open: (client, stock) => guard(client, ['opaque', 'api'], stock),
  },
  { name: 'guard-remembered', title: 'API call, opaque token, remembered', open: rememberingGuard },
  {
    name: 'guard-jwt',
    title: 'API call, JWT',
    open: (client, stock) => guard(client, ['jwt', 'jwtApi'], stock),
  },
  {
    name: 'guard-jwt-revocable',
    title: 'API call, revocable JWT',
    open: (client, stock) => guard(client, ['jwt', 'revocableJwtApi'], stock),
  },
  { name: 'authorize', title: 'Authorization request to code', open: authorize },
  { name: 'code', title: 'Code to tokens, PKCE', isInQuick: true, open: code },
  { name: 'refresh', title: 'Refresh with rotation', isInQuick: true, open: refresh },
  { name: 'introspect', title: 'Introspection', open: introspect },
  { name: 'par', title: 'Pushed request to code', open: pushed },
  { name: 'dpop-token', title: 'Client credentials, opaque token by DPoP', open: boundToken },
  {
    name: 'dpop-guard',
    title: 'API call, opaque token by DPoP',
    open: (client, stock) => boundGuard(client, ['opaque', 'dpopApi'], stock),
  },
  {
    name: 'dpop-guard-jwt',
    title: 'API call, JWT by DPoP',
    open: (client, stock) => boundGuard(client, ['jwt', 'dpopJwtApi'], stock),
  },
  { name: 'sign-in', title: 'Sign-in: code, ID token, userinfo', open: signIn },
  { name: 'flow', title: 'Whole flow: code, tokens, API call, refresh, API call', open: flow },
] as const satisfies readonly Workload[];
export type WorkloadName = (typeof WORKLOADS)[number]['name'];

const nothing = () => Promise.resolve();

function clientCredentials(client: Client, format: TokenFormat): Job {
  return { prepare: nothing, run: async () => void (await client.clientCredentials(format)) };
}

function guard(
  client: Client,
  [format, api]: [TokenFormat, 'api' | 'cachedApi' | 'jwtApi' | 'revocableJwtApi'],
  stock = STOCK,
): Job {
  const path = (api === 'api' && client.site.paths.clientApi) || pathOf(client.site, api);
  const tokens = createTokenRing(client, format, stock);
  return { prepare: tokens.fill, run: () => client.callApi(path, tokens.next()) };
}

/** Every token has been seen before. */
function rememberingGuard(client: Client, stock = STOCK): Job {
  const { prepare, run } = guard(client, ['opaque', 'cachedApi'], stock);
  let isSeen = false;
  return {
    async prepare(count) {
      await prepare(count);
      if (!isSeen) await repeat(stock.tokens, run);
      isSeen = true;
    },
    run,
  };
}

function introspect(client: Client, stock = STOCK): Job {
  const tokens = createTokenRing(client, 'opaque', stock);
  return { prepare: tokens.fill, run: () => client.introspect(tokens.next()) };
}

function authorize(client: Client): Job {
  return { prepare: nothing, run: async () => void (await client.authorize()) };
}

function pushed(client: Client): Job {
  return {
    prepare: nothing,
    run: async () => void (await client.authorize({ requestUri: await client.push() })),
  };
}

function signIn(client: Client): Job {
  return {
    prepare: nothing,
    async run() {
      const { accessToken } = await client.signIn(await client.authorize({ isSignIn: true }));
      await client.userinfo(accessToken);
    },
  };
}

/** A proof is valid once and for a minute, so proofs are made just before their use, like codes, and not measured. */
function boundToken(client: Client): Job {
  const proofs: string[] = [];
  return {
    prepare: (count) => repeat(count - proofs.length, async () => void proofs.push(await client.prove())),
    run: async () => void (await client.clientCredentials('opaque', taken(proofs))),
  };
}

function boundGuard(
  client: Client,
  [format, api]: [TokenFormat, 'dpopApi' | 'dpopJwtApi'],
  stock = STOCK,
): Job {
  const path = pathOf(client.site, api);
  const tokens: string[] = [];
  const calls: (readonly [accessToken: string, proof: string])[] = [];
  let context = 0;
  return {
    async prepare(count) {
      await repeat(stock.tokens - tokens.length, async () => {
        tokens.push((await client.clientCredentials(format, await client.prove())).accessToken);
      });
      await repeat(count - calls.length, async () => {
        const accessToken = tokens[context++ % tokens.length] ?? '';
        calls.push([accessToken, await client.prove({ path, accessToken })]);
      });
    },
    run: () => client.callApi(path, ...taken(calls)),
  };
}

function code(client: Client): Job {
  const codes: string[] = [];
  return {
    // codes expire, so they are made just before their use
    prepare: (count) => repeat(count - codes.length, async () => void codes.push(await client.authorize())),
    run: async () => void (await client.redeem(taken(codes))),
  };
}

function refresh(client: Client, stock = STOCK): Job {
  const refreshTokens: string[] = [];
  return {
    prepare: () =>
      repeat(
        stock.grants - refreshTokens.length,
        async () => void refreshTokens.push(refreshTokenOf(await client.redeem(await client.authorize()))),
      ),
    run: async () => void refreshTokens.push(refreshTokenOf(await client.refresh(taken(refreshTokens)))),
  };
}

function flow(client: Client): Job {
  const { api } = client.site.paths;
  return {
    prepare: nothing,
    async run() {
      const tokens = await client.redeem(await client.authorize());
      await client.callApi(api, tokens.accessToken);
      const refreshed = await client.refresh(refreshTokenOf(tokens));
      await client.callApi(api, refreshed.accessToken);
    },
  };
}

function createTokenRing(client: Client, format: TokenFormat, stock: Stock) {
  const tokens: string[] = [];
  let context = 0;
  return {
    fill: () =>
      repeat(
        stock.tokens - tokens.length,
        async () => void tokens.push((await client.clientCredentials(format)).accessToken),
      ),
    next: () => tokens[context++ % tokens.length] ?? '',
  };
}

/** Eight at a time: preparing must not take longer than measuring. */
async function repeat(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** Takes the oldest first, so that each grant has its turn. */
function taken<Value>(values: Value[]): Value {
  const value = values.shift();
  if (value === undefined) throw new Error('more runs than were prepared');
  return value;
}

function refreshTokenOf({ refreshToken }: Tokens): string {
  return refreshToken ?? '';
}

function pathOf(
  { paths }: ContenderDescription,
  api: 'api' | 'cachedApi' | 'jwtApi' | 'revocableJwtApi' | 'dpopApi' | 'dpopJwtApi',
): string {
  const path = paths[api];
  if (path === undefined) throw new Error(`the contender has no ${api}`);
  return path;
}
