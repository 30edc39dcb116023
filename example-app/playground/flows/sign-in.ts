import { randomBytes } from 'node:crypto';

import { signInClient } from '../clients.js';
import { checkIdToken, fetchKeys, type IdTokenChecks, withOtherSubject } from '../id-token.js';
import { openid, rpInitiatedLogout } from '../references.js';
import { exchange } from '../runs.js';
import { createAuthorize, createRedeem, judge, needsAccessToken } from './common-steps.js';
import type { Flow, Step, StepContext, StepResult } from './flow.js';
import { forgeHint, logOut, sendElsewhereAfterLogout } from './logout-steps.js';
import { callApi, requestToken } from './requests.js';

const asking = {
  clientOf: () => signInClient,
  fields: [
    { name: 'scope', label: 'Scope', hint: 'openid, and profile for the name', value: 'openid profile' },
  ],
  remember: () => ({ nonce: randomNonce() }),
  parametersOf: ({ run }: StepContext) => ({ nonce: run.values.nonce ?? '' }),
};

const randomNonce = () => randomBytes(16).toString('base64url');
const needsIdToken = ({ idToken }: Readonly<Record<string, string>>) =>
  idToken === undefined ? 'There is no ID token yet.' : undefined;
const checksOf = ({ run, issuer }: StepContext): IdTokenChecks => ({
  issuer,
  clientId: signInClient.clientId,
  nonce: run.values.nonce,
});

const ask: Step = {
  ...createAuthorize(asking),
  title: 'Ask who it is',
  text: 'The playground asks for the scope openid, and adds a nonce: a random value that has to come back in the ID token. You log in at the photo site, as ever, and say what the playground may know of you.',
};

const redeem: Step = {
  // the token request does not repeat the requested scopes
  ...createRedeem({ clientOf: asking.clientOf }),
  text: 'With the code come tokens, and one more than usual: the ID token. It is for the playground itself, and says who you are.',
};

const check: Step = {
  id: 'check',
  title: 'Check the ID token',
  text: 'Is it signed by a key of the photo site (jwks_uri), from it (iss), for the playground (aud), still valid (exp), and of this sign-in (nonce)? Libraries do this; without it the attacks below would work.',
  button: 'Check it',
  waitsFor: needsIdToken,
  notify: ({ checkedClaims }) => checkedClaims,
  async perform(context) {
    const { run } = context;
    const claims = await checkIdToken(run.values.idToken ?? '', await fetchKeys(context), checksOf(context));
    const reported =
      typeof claims === 'string'
        ? `It does not pass: ${claims}.`
        : `It passes, and says: ${Object.entries(claims)
            .map(([name, value]) => `${name}: ${String(value)}`)
            .join(', ')}.`;
    run.values = { ...run.values, checkedClaims: reported };
  },
};

const userinfo: Step = {
  id: 'userinfo',
  title: 'Ask what you are called',
  text: 'The ID token says who you are by an id. What you are called, and what else you have allowed, the playground reads with its access token.',
  button: 'Call userinfo',
  waitsFor: needsAccessToken,
  async perform({ run, server, step }) {
    await exchange(run, {
      step,
      title: 'The playground asks about the person',
      from: 'client',
      to: 'server',
      request: {
        method: 'GET',
        url: new URL(server.userinfo_endpoint ?? ''),
        headers: [['Authorization', `Bearer ${run.values.accessToken ?? ''}`]],
      },
    });
  },
};

/** Checks an ID token that must fail. */
const refuse = async (
  context: StepContext,
  token: string,
  checks: Partial<IdTokenChecks> = {},
): Promise<StepResult> => {
  const claims = await checkIdToken(token, await fetchKeys(context), { ...checksOf(context), ...checks });
  const isRefused = typeof claims === 'string';
  return {
    verdict: {
      isRefused,
      sentences: [isRefused ? `The attack was refused: ${claims}.` : 'The attack was NOT refused.'],
    },
  };
};

const tamper: Step = {
  id: 'tamper',
  title: 'Sign in as somebody else',
  text: 'A thief writes another id into his own ID token, and hands it in. The signature was made over the text as it was.',
  button: 'Hand in a changed token',
  isAttack: true,
  waitsFor: needsIdToken,
  perform(context) {
    return refuse(context, withOtherSubject(context.run.values.idToken ?? ''));
  },
};

const takeElsewhere: Step = {
  id: 'other-client',
  title: 'Take it to another application',
  text: 'You have signed in to a game, and the game takes your ID token to your doctor. It is a real token of yours, for somebody else (aud).',
  button: 'Hand it to another application',
  isAttack: true,
  waitsFor: needsIdToken,
  perform: (context) => refuse(context, context.run.values.idToken ?? '', { clientId: 'doctor-of-somebody' }),
};

const slipIn: Step = {
  id: 'other-nonce',
  title: 'Slip an older one in',
  text: 'Somebody has kept an ID token of yours from another day, and puts it into a new sign-in. That one has another nonce.',
  button: 'Use it in a new sign-in',
  isAttack: true,
  waitsFor: needsIdToken,
  perform: (context) => refuse(context, context.run.values.idToken ?? '', { nonce: randomNonce() }),
};

const useAsKey: Step = {
  id: 'as-key',
  title: 'Open the API with it',
  text: 'The ID token says who you are; it opens nothing. An API that took it would take that of every site you have ever signed in to.',
  button: 'Show the ID token to the API',
  isAttack: true,
  waitsFor: needsIdToken,
  async perform(context) {
    const { run } = context;
    const { accessToken = '', idToken = '' } = run.values;
    run.values = { ...run.values, accessToken: idToken };
    const answer = await callApi(context, 'The ID token in the place of an access token');
    run.values = { ...run.values, accessToken };
    return judge(answer);
  },
};

const again: Step = {
  id: 'again',
  title: 'Ask again later',
  text: 'With the refresh token comes a new ID token: the same person, the same login (auth_time), and a new end.',
  button: 'Refresh',
  waitsFor: ({ refreshToken }) => (refreshToken === undefined ? 'There is no refresh token yet.' : undefined),
  async perform(context) {
    await requestToken(context, {
      title: 'The playground refreshes its tokens',
      client: signInClient,
      parameters: { grant_type: 'refresh_token', refresh_token: context.run.values.refreshToken ?? '' },
    });
  },
};

export const signIn: Flow = {
  id: 'sign-in',
  name: 'Sign-in',
  title: 'Sign in with the photo site (OpenID Connect)',
  summary: 'The application learns who the person is, and keeps no password.',
  intro: [
    'Here the playground does not want your photos. It wants to know who you are, so that you need no account of its own. The photo site tells it in an ID token: signed, for the playground alone.',
  ],
  references: [
    openid('3.1', 'CodeFlowAuth'),
    openid('2', 'IDToken'),
    openid('5.3', 'UserInfo'),
    rpInitiatedLogout('2', 'RPLogout'),
  ],
  isMissing: ({ userinfo_endpoint: userinfo, end_session_endpoint: logout }) =>
    userinfo === undefined || logout === undefined
      ? 'This photo site signs nobody in at other sites.'
      : undefined,
  // the step that logs out comes last
  steps: [
    ...[ask, redeem, check, userinfo, tamper, takeElsewhere, slipIn, useAsKey, again],
    ...[sendElsewhereAfterLogout, forgeHint, logOut],
  ],
};
