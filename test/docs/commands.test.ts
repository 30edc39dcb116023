import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { demoDeveloper } from '../../example-app/demo.js';
import { type RunningExample, startExample } from '../interop/support/example.js';
import { createVisitor, type Visitor } from '../package/visitor.js';
import { displayedAnswer, expectAsDisplayed, register, shellBlock } from './blocks.js';

const hasCurl = ['curl', 'openssl', 'bash'].every(
  (program) => spawnSync(program, ['version']).error === undefined,
);
const describeWithCurl = hasCurl ? describe : describe.skip;

describeWithCurl(
  `the commands in the documents${hasCurl ? '' : ' (skipped: no curl, openssl or bash found)'}`,
  () => {
    let example: RunningExample;
    let visitor: Visitor;
    let callback: string;

    beforeAll(async () => {
      example = await startExample();
      visitor = createVisitor();
      callback = `${example.issuer}/playground/callback`;
    }, 60_000);
    afterAll(async () => {
      await example?.stop();
    });

    async function shell(script: string): Promise<string> {
      const { stdout } = await promisify(execFile)('bash', [
        '-euc',
        script.replaceAll('http://localhost:3000', example.issuer),
      ]);
      return stdout.trim();
    }
    const json = async (script: string) => JSON.parse(await shell(script)) as Record<string, unknown>;

    const redeem = () => shellBlock('-u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=authorization_code');
    /** The answer of the token endpoint, which is shown once. */
    const displayed = () => displayedAnswer(redeem());

    async function registerAsGrace(fields: Record<string, string>) {
      const page = await visitor.open(`${example.issuer}/oauth/applications/new`);
      const form =
        page.url.pathname === '/login' ? await visitor.submit(page, demoDeveloper, 'login-form') : page;
      const { clientId, clientSecret = '' } = await register(visitor, form, callback, fields);
      return shellBlock('CLIENT_ID=paste')
        .replace('paste-the-client-id', clientId)
        .replace('paste-the-client-secret', clientSecret);
    }

    async function allow(address: string): Promise<string> {
      const back = await visitor.submit(await visitor.open(address), { decision: 'allow' }, 'consent-form');
      expect(back.text).toContain(back.url.searchParams.get('code'));
      return `CODE=${back.url.searchParams.get('code')}`;
    }

    test('an application that was registered on the page gets a token with its secret, calls the API, and refreshes', async () => {
      const setup = await registerAsGrace({});
      const code = await allow(await shell(`${setup}\n${shellBlock('&scope=photos:read&state=$RANDOM"')}`));
      const tokens = await json(`${setup}\n${code}\n${redeem()}`);
      expectAsDisplayed(tokens, displayed());
      const me = await json(
        `${setup}\n${shellBlock('Bearer paste').replace('paste-the-access-token', String(tokens.access_token))}`,
      );
      expect(me).toMatchObject({ user: { username: demoDeveloper.username } });
      const refresh = shellBlock('paste-the-refresh-token');
      const refreshed = await json(
        `${setup}\n${refresh.replace('paste-the-refresh-token', String(tokens.refresh_token))}`,
      );
      expectAsDisplayed(refreshed, displayed());
    });

    test.each([
      ['a confidential', {}, (command: string) => command],
      [
        'a public',
        { type: 'public' },
        (command: string) => command.replace('-u "$CLIENT_ID:$CLIENT_SECRET"', '-d "client_id=$CLIENT_ID"'),
      ],
    ])('%s application gets one with PKCE', async (_kind, fields, asSent) => {
      const setup = await registerAsGrace(fields);
      const [address = '', verifier = ''] = (
        await shell(`${setup}\n${shellBlock('VERIFIER=$(')}\necho "$VERIFIER"`)
      ).split('\n');
      const code = await allow(address);
      const exchange = asSent(shellBlock('code_verifier=$VERIFIER'));
      const tokens = await json(`${setup}\nVERIFIER=${verifier}\n${code}\n${exchange}`);
      expect(tokens).toMatchObject({ access_token: expect.stringMatching(/^eas_at_/) });
    });

    test.each(['client_credentials', 'urn:example:grant-type:gift-card'])(
      'grant_type=%s answers as it is shown, without a refresh token',
      async (grantType) => {
        const answer = await json(shellBlock(`grant_type=${grantType} `, '$CLIENT_ID'));
        expectAsDisplayed(answer, { ...displayed(), refresh_token: undefined });
      },
    );
  },
);
