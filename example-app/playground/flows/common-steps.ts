import * as openid from 'openid-client';

import { callbackPath, playgroundClient } from '../clients.js';
import type { Header } from '../http.js';
import { type Answer, depart } from '../runs.js';
import { verifySignature } from '../token.js';
import type { Field, Step, StepContext, StepResult } from './flow.js';
import { callApi, type Credentials, introspect, requestToken, revoke } from './requests.js';

export const scopeField: Field = {
  name: 'scope',
  label: 'Scope',
  hint: 'photos:read, photos:write, or both with a space',
  value: 'photos:read',
};

/** The variable parts of an authorization request. */
export interface Asking {
  readonly clientOf?: (values: Readonly<Record<string, string>>) => Credentials;
  readonly fields?: readonly Field[];
  /** The values to remember before the request. */
  readonly remember?: (context: StepContext) => Named | Promise<Named>;
  /** Additional parameters of the authorization request; they never replace the step's own. */
  readonly parametersOf?: (context: StepContext) => Named | Promise<Named>;
  /** Additional headers of the token request. */
  readonly headersOf?: (context: StepContext) => Promise<readonly Header[]>;
}

type Named = Readonly<Record<string, string>>;

const thePlayground = () => playgroundClient;

/** Sends the browser to the authorization endpoint. */
export function createAuthorize({
  clientOf = thePlayground,
  fields = [scopeField],
  remember = () => ({}),
  parametersOf = () => ({}),
}: Asking = {}): Step {
  return {
    id: 'authorize',
    title: 'Ask for permission',
    text: 'The playground makes up a secret, the code verifier, and a random state, and keeps both. Then it sends your browser to the photo site, with the SHA-256 of that secret. You log in there and say yes or no; the playground sees nothing of it.',
    button: 'Go to the photo site',
    fields,
    isFirst: true,
    waitsFor: () => undefined,
    async perform(context): Promise<StepResult> {
      const { run, input, server, issuer, step } = context;
      const codeVerifier = openid.randomPKCECodeVerifier();
      const state = openid.randomState();
      run.values = { ...(await remember(context)), state, sentState: state, codeVerifier };
      const url = new URL(server.authorization_endpoint);
      url.search = new URLSearchParams({
        ...(await parametersOf(context)),
        response_type: 'code',
        client_id: clientOf(run.values).clientId,
        redirect_uri: issuer + callbackPath,
        scope: input.scope ?? '',
        state,
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      }).toString();
      depart(run, { step, title: 'Your browser asks for permission' }, url);
      return { redirectTo: url };
    },
  };
}

export const authorize = createAuthorize();

export function codeParameters({ run, issuer }: StepContext): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    code: run.values.code ?? '',
    redirect_uri: issuer + callbackPath,
  };
}

export function needsCode({ code, isRedeemed }: Named): string | undefined {
  if (code === undefined) return 'There is no code yet.';
  return isRedeemed === undefined ? undefined : 'This code has been redeemed.';
}

/** Exchanges the code for tokens. */
export function createRedeem({
  clientOf = thePlayground,
  parametersOf = () => ({}),
  headersOf = () => Promise.resolve([]),
}: Pick<Asking, 'clientOf' | 'parametersOf' | 'headersOf'> = {}): Step {
  return {
    id: 'redeem',
    title: 'Redeem the code',
    text: 'Server to server, past your browser: the playground shows the code, its own id and secret, and the code verifier. Only all of them together give tokens. The photo site of this example gives you ten minutes for it; elsewhere a code lives one.',
    button: 'Redeem the code',
    waitsFor: needsCode,
    async perform(context) {
      const { run } = context;
      const { error } = await requestToken(context, {
        title: 'The playground redeems the code',
        client: clientOf(run.values),
        headers: await headersOf(context),
        parameters: {
          ...(await parametersOf(context)),
          ...codeParameters(context),
          code_verifier: run.values.codeVerifier ?? '',
        },
      });
      if (error === undefined) run.values = { ...run.values, isRedeemed: 'yes' };
    },
  };
}

export const redeem = createRedeem();

export const needsAccessToken = ({ accessToken }: Readonly<Record<string, string>>) =>
  accessToken === undefined ? 'There is no access token yet.' : undefined;

export const useToken: Step = {
  id: 'use',
  title: 'Call the API',
  text: 'The access token goes in the header. The API lets in whoever shows it: it asks for no name and no password.',
  button: 'Call GET /api/me',
  waitsFor: needsAccessToken,
  perform: async (context) => void (await callApi(context, 'The playground calls the API')),
};

export const openToken: Step = {
  id: 'open',
  title: 'Open the token up',
  text: 'What does the server know of this token? An API may ask at the introspection endpoint, with credentials of its own. Here the playground plays that API.',
  button: 'Ask the server about the token',
  waitsFor: needsAccessToken,
  async perform(context) {
    await introspect(context, 'An API asks about the token');
    await verifySignature(context);
  },
};

export const giveBack: Step = {
  id: 'revoke',
  title: 'Give it back',
  text: 'A client that is done gives its refresh token back, as you would hand in a key. All access tokens of the same permission end with it, at once.',
  button: 'Revoke the tokens',
  waitsFor: ({ refreshToken }) => (refreshToken === undefined ? 'There is no refresh token yet.' : undefined),
  async perform(context) {
    await revoke(context, 'The playground gives the refresh token back');
    await callApi(context, 'Does the access token still work?');
  },
};

/** Judges another party's link, to which the photo site responds with a page. */
export function judgePage({ status }: Pick<Answer, 'status'>, whyNothing: string): StepResult {
  const isRefused = status >= 400;
  const refused = `The attack was refused: ${status}, with a page of the photo site’s own.`;
  return {
    verdict: { isRefused, sentences: isRefused ? [refused, whyNothing] : ['The attack was NOT refused.'] },
  };
}

/** Judges an attack by the real response. */
export function judge(
  attack: Answer,
  ...aftermath: readonly (readonly [what: string, answer: Answer])[]
): StepResult {
  const isRefused = attack.status >= 400;
  const first = isRefused
    ? `The attack was refused: ${attack.status} ${attack.error ?? ''}.`
    : 'The attack was NOT refused.';
  const rest = aftermath.map(
    ([what, { status, error }]) =>
      `${what} ${status < 400 ? 'still works.' : `has ended, too: ${status} ${error ?? ''}.`}`,
  );
  return { verdict: { isRefused, sentences: [first, ...rest] } };
}
