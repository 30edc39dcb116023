import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../../lib/index.js';
import { openSite, type Site } from '../../support/site.js';
import { callApi, createPkce, obtainCode, redeem } from '../../support/tokens.js';

let site: Site;
beforeAll(async () => {
  site = await openSite({ security: { pkce: 'all' } });
});
afterAll(() => site.close());

describe('§4.5 authorization code injection', () => {
  /** A client uses its secret, if it has one, and the verifier of its own session in this browser. */
  const bring = (client: ClientWithSecret, code: string, session: ReturnType<typeof createPkce>) =>
    redeem(site, client, code, { code_verifier: session.code_verifier });

  test.each(['public', 'confidential'] as const)(
    '§4.5 a %s client that is brought the code of somebody else gets no token by it, and the session of the victim goes on [4.5-1]',
    async (type) => {
      const client = await site.client({ type });
      const [ofGrace, ofAda] = [createPkce(), createPkce()];
      // Grace, the attacker, has started at the client too, and has the code that was sent for Ada
      const code = await obtainCode(site, client, { query: ofAda.challenge, as: 'ada' });
      await obtainCode(site, client, { query: ofGrace.challenge, as: 'grace' });
      const injected = await bring(client, code, ofGrace);
      expect([injected.status, injected.body.error]).toEqual([400, 'invalid_grant']);
      expect((await bring(client, code, ofAda)).status).toBe(200);
    },
  );

  test.each(['public', 'confidential'] as const)(
    '§4.5 a code that was brought to a %s client too late, after its use, ends nothing: who has no verifier is not the client [4.5-1]',
    async (type) => {
      const client = await site.client({ type });
      const [ofGrace, ofAda] = [createPkce(), createPkce()];
      const code = await obtainCode(site, client, { query: ofAda.challenge });
      const { body } = await bring(client, code, ofAda);
      expect((await bring(client, code, ofGrace)).status).toBe(400);
      expect((await callApi(site, body.access_token)).body).toMatchObject({ userId: 'ada' });
    },
  );
});
