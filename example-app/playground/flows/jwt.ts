import { albumsClient } from '../clients.js';
import { rfc } from '../references.js';
import { type Answer, exchange } from '../runs.js';
import { createAuthorize, createRedeem, judge, needsAccessToken, openToken } from './common-steps.js';
import type { Flow, Step, StepContext, StepResult } from './flow.js';
import { callApi } from './requests.js';

const asking = {
  clientOf: () => albumsClient,
  fields: [{ name: 'scope', label: 'Scope', hint: 'albums:read', value: 'albums:read' }],
  parametersOf: ({ albums }: StepContext) => ({ resource: albums.resource }),
};

const useAlbums: Step = {
  id: 'use',
  title: 'Call the other API',
  text: 'The album API runs in a process of its own and has no database of people. It verifies the signature by the photo site’s published keys and reads your name out of the token; it asks nobody.',
  button: 'Call GET /albums',
  waitsFor: needsAccessToken,
  perform: (context) =>
    withAlbums(async () => {
      await callAlbums(context, 'The playground calls the album API', context.run.values.accessToken ?? '');
    }),
};

const takeElsewhere: Step = {
  id: 'other-api',
  title: 'Take the token to another API',
  text: 'The album API turns thief, and shows your token to the photo site to get at your photos. The token says for whom it is (aud), and the photo site is not that.',
  button: 'Show it to the photo site',
  isAttack: true,
  waitsFor: needsAccessToken,
  perform: async (context) => judge(await callApi(context, 'The token of the album API, at the photo site')),
};

const tamper: Step = {
  id: 'tamper',
  title: 'Write another name into the token',
  text: 'Anybody who holds a JWT can read it, so anybody can write another person into it, too. But the signature was made over the text as it was, by a key that only the photo site has.',
  button: 'Change it and show it',
  isAttack: true,
  waitsFor: needsAccessToken,
  perform: (context) =>
    withAlbums(async () =>
      judge(
        await callAlbums(
          context,
          'A token with another person in it',
          forged(context.run.values.accessToken ?? ''),
        ),
      ),
    ),
};

/** The same header and signature with changed claims. */
function forged(token: string): string {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as Record<string, unknown>;
  const changed = Buffer.from(JSON.stringify({ ...read, sub: 'somebody-else', name: 'Somebody Else' }));
  return [header, changed.toString('base64url'), signature].join('.');
}

function callAlbums({ run, albums, step }: StepContext, title: string, token: string): Promise<Answer> {
  run.secrets.learn('access_token', token);
  return exchange(run, {
    step,
    title,
    from: 'client',
    to: 'api',
    request: {
      method: 'GET',
      url: new URL('/albums', albums.url),
      headers: [['Authorization', `Bearer ${token}`]],
    },
  });
}

/** The album API is another process, which may not run. */
async function withAlbums(work: () => Promise<StepResult | void>): Promise<StepResult | void> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
    return {
      verdict: { isRefused: false, sentences: ['The album API does not answer. npm run example starts it.'] },
    };
  }
}

export const jwt: Flow = {
  id: 'jwt',
  name: 'JWT',
  title: 'A JWT, for an API elsewhere',
  summary: 'The token is for another API, which verifies it by itself; here it can be read.',
  intro: [
    'The playground names the API that the token shall be for (resource). For this one the photo site makes a JWT: a signed text that says who may do what, where and until when. The price of asking nobody: it stays good until it ends, whatever you disconnect, so it lives for ten minutes only.',
  ],
  references: [rfc('9068'), rfc('8707'), rfc('8725')],
  steps: [createAuthorize(asking), createRedeem(asking), useAlbums, openToken, takeElsewhere, tamper],
};
