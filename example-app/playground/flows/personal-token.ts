import { rfc } from '../references.js';
import { type Answer, exchange } from '../runs.js';
import { judge, needsAccessToken, openToken, useToken } from './common-steps.js';
import type { Flow, Step, StepContext } from './flow.js';
import { callApi } from './requests.js';

/** The page on which users make such tokens. */
const PAGE = '/oauth/access-tokens';

const make: Step = {
  id: 'make',
  title: 'Make a token',
  text: `No client asks here: the person makes the token, at the photo site under ${PAGE}. Give it a name, tick what it may do, copy its value and paste it below.`,
  button: 'Take this token',
  fields: [{ name: 'token', label: 'Personal access token', value: '', type: 'password' }],
  isFirst: true,
  waitsFor: () => undefined,
  perform({ run, input }) {
    run.values = { accessToken: (input.token ?? '').trim() };
    return Promise.resolve();
  },
};

/** Reports the newest token as leaked, which needs no authentication. */
function report({ run, issuer, step }: StepContext, title: string, token: string): Promise<Answer> {
  return exchange(run, {
    step,
    title,
    from: 'client',
    to: 'server',
    request: {
      method: 'POST',
      url: new URL('/oauth/leaked-token', issuer),
      form: new URLSearchParams({ token }),
    },
  });
}

const makeAnother: Step = {
  id: 'another',
  title: 'Make another token with it',
  text: 'A thief has the token, and wants one that lives longer, with everything in it. But only a person makes tokens.',
  button: 'Open the page with the token',
  isAttack: true,
  waitsFor: needsAccessToken,
  perform: async (context) =>
    judge(await callApi(context, 'The thief opens the page of tokens', { path: PAGE })),
};

const leak: Step = {
  id: 'leak',
  title: 'It has leaked',
  text: 'The token was seen in a public repository. Whoever has it in hand, a scanner or a passer-by, can end it; a made-up one ends nothing.',
  button: 'Report it',
  waitsFor: needsAccessToken,
  async perform(context) {
    const { accessToken = '' } = context.run.values;
    await report(context, 'Somebody reports a made-up token', `${accessToken.slice(0, -7)}x000000`);
    await report(context, 'Somebody reports the token', accessToken);
    await callApi(context, 'Does it still work?');
  },
};

export const personalToken: Flow = {
  id: 'personal-token',
  name: 'Personal access token',
  title: 'Personal access token',
  summary: 'A script of your own: you make it a token, and no client is involved.',
  intro: [
    'For a backup at night or a script of an afternoon nobody registers a client. The person makes a token, says what it may do and when it ends, and puts it where the script finds it.',
  ],
  references: [rfc('6750 §2.1'), rfc('8959')],
  steps: [make, useToken, openToken, makeAnother, leak],
};
