import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { createProofKey, prove } from '../support/dpop.js';
import { IS_LONG } from '../support/long-run.js';
import { type Processes, startProcesses } from '../support/processes.js';
import { openSite, type Site } from '../support/site.js';
import { basic } from '../support/tokens.js';

const RACES = IS_LONG ? 10_000 : 200;
const AT_ONCE = 10;

let database: TestDatabase;
let processes: Processes;
/** A site of the same issuer, which registers the client. */
let site: Site;
let client: ClientWithSecret;

beforeAll(async () => {
  database = await openDatabase();
  processes = await startProcesses(2, database.uri, {
    dpop: true,
    security: { rateLimits: false },
    grantTypes: ['client_credentials'],
  });
  site = await openSite({
    database,
    issuer: processes.issuer,
    dpop: true,
    grantTypes: ['client_credentials'],
  });
  client = await site.client({ redirectUris: [] });
});
afterAll(async () => {
  await site.close();
  await processes.close();
  await database.close();
});

test('RFC 9449 §11.1: of two processes of Node that are sent one proof at the same moment one takes it, in every race', async () => {
  const key = await createProofKey();
  const take = async (url: string, proof: string): Promise<string | undefined> => {
    const answer = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { Authorization: basic(client.clientId, client.clientSecret ?? ''), DPoP: proof },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const body = (await answer.json()) as { readonly error?: string; readonly token_type?: string };
    return body.error ?? body.token_type;
  };
  const race = async (): Promise<string> => {
    const proof = await prove(key, 'POST', `${processes.issuer}/oauth/token`);
    const outcomes = await Promise.all(processes.urls.map((url) => take(url, proof)));
    return outcomes.sort().join(' ');
  };
  const outcomes = new Map<string, number>();
  for (let round = 0; round < RACES; round += AT_ONCE)
    for (const outcome of await Promise.all(Array.from({ length: AT_ONCE }, race)))
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  expect([...outcomes]).toEqual([['DPoP invalid_dpop_proof', RACES]]);
});
