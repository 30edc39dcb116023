import { createRequire } from 'node:module';
import { join } from 'node:path';

import { afterEach, beforeAll, expect, test } from '@jest/globals';

import { testFailing, whileFailing } from '../../support/fail-point.js';
import { fixture } from '../../support/site-for.js';
import { until } from '../../support/until.js';
import { describeInstalled, FOLDER } from './install.js';
import { openRecipe } from './recipe.js';

const load = createRequire(join(FOLDER, 'package.json'));

describeInstalled('docs/recipes: graphql', () => {
  let token: string;
  const clients: { dispose(): unknown }[] = [];
  const recipe = fixture(() => openRecipe('graphql'));
  beforeAll(async () => {
    ({ access_token: token } = await recipe.obtainTokens('photos:read'));
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.dispose())));

  const send = async (query: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${recipe.issuer}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
    const body = await response.json();
    return { status: response.status, body, challenge: response.headers.get('WWW-Authenticate') };
  };
  const sendBy = (bearer: string, query: string) => send(query, { Authorization: `Bearer ${bearer}` });
  /** The messages of a subscription, and the code with which its socket was closed. */
  const subscribe = (bearer: string) => {
    const heard: { readonly data: unknown[]; closed?: number; errors?: unknown } = { data: [] };
    const client = load('graphql-ws').createClient({
      url: `${recipe.issuer.replace('http', 'ws')}/graphql`,
      webSocketImpl: load('ws').WebSocket,
      connectionParams: { token: bearer },
      retryAttempts: 0,
      on: { closed: ({ code }: { code: number }) => (heard.closed = code) },
    });
    clients.push(client);
    client.subscribe(
      { query: 'subscription { photoAdded { title } }' },
      {
        next: ({ data, errors }: { data?: unknown; errors?: unknown }) =>
          errors === undefined ? heard.data.push(data) : (heard.errors = errors),
        error: (errors: unknown) => (heard.errors = errors),
        complete: () => undefined,
      },
    );
    return heard;
  };

  test('graphql: each operation needs its scope', async () => {
    expect(await send('{ version }')).toMatchObject({ status: 200, body: { data: { version: '1' } } });
    expect(await sendBy(token, '{ photos { title } }')).toMatchObject({
      body: { data: { photos: [{ title: 'Sunset' }] } },
    });
    const refused = await sendBy(token, 'mutation { addPhoto(title: "x") { title } }');
    expect(refused).toMatchObject({
      status: 403,
      body: { errors: [{ extensions: { code: 'FORBIDDEN', scope: 'photos:write' } }] },
    });
    expect(await send('{ photos { title } }')).toMatchObject({
      status: 401,
      body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
    });
  });

  test('graphql: a revoked token is refused before any operation, with a challenge', async () => {
    const { access_token: ended } = await recipe.obtainTokens('photos:read');
    await recipe.revoke(ended);
    const refused = await sendBy(ended, '{ version }');
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
    expect(refused.challenge).toMatch(/^Bearer .*error="invalid_token"/);
  });

  test('graphql: a subscription receives published photos and ends with its token', async () => {
    const { access_token: writing } = await recipe.obtainTokens('photos:read photos:write');
    const heard = subscribe(writing);
    await until(async () => {
      await sendBy(writing, 'mutation { addPhoto(title: "Moonrise") { title } }');
      return heard.data.length > 0;
    });
    expect(heard.data[0]).toEqual({ photoAdded: { title: 'Moonrise' } });
    await recipe.revoke(writing);
    await until(() => heard.closed !== undefined);
    expect(heard.closed).toBe(4403);
  });

  test('graphql: a subscription needs a token with its scope', async () => {
    const poor = subscribe((await recipe.obtainTokens('photos:write')).access_token);
    await until(() => poor.errors !== undefined);
    expect(poor.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN', scope: 'photos:read' } }]);
    const unknown = subscribe('eas_at_x');
    await until(() => unknown.closed !== undefined);
    expect(unknown.closed).toBe(4403);
  });

  testFailing('graphql: a subscription whose token cannot be checked ends with 1013', async () => {
    const failing = { command: 'find', failure: { errorCode: 8 } } as const;
    await whileFailing(recipe.database, failing, async () => {
      const heard = subscribe(token);
      await until(() => heard.closed !== undefined);
      expect(heard.closed).toBe(1013);
    });
  });
});
