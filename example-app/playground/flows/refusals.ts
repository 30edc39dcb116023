import { rfc } from '../references.js';
import type { Answer } from '../runs.js';
import { createAuthorize, needsAccessToken, redeem } from './common-steps.js';
import type { Flow, Step, StepContext } from './flow.js';
import { type ApiCall, callApi, requestToken } from './requests.js';

/** Calls the API, and stores the challenge of a refusal. */
async function call(context: StepContext, title: string, how: ApiCall): Promise<void> {
  remember(context, await callApi(context, title, how));
}

function remember({ run }: StepContext, { challenge }: Answer): void {
  run.values = { ...run.values, challenge: challenge ?? '' };
}

/** A call with this token, which needs no earlier step. */
function callStep(
  step: Pick<Step, 'id' | 'title' | 'text' | 'button'>,
  caption: string,
  token: string,
): Step {
  return {
    ...step,
    waitsFor: () => undefined,
    perform: (context) => call(context, caption, { path: '/api/photos', token }),
  };
}

const callWithoutToken = callStep(
  {
    id: 'none',
    title: 'Call without a token',
    text: 'The challenge (WWW-Authenticate) has no error, since nothing was wrong: it says where to read which server gives tokens, and which scope the call needs.',
    button: 'Call GET /api/photos',
  },
  'A client that knows nothing calls the API',
  '',
);

const callWithWrongToken = callStep(
  {
    id: 'wrong',
    title: 'Call with a token that has ended',
    text: 'invalid_token: a client refreshes its token, or asks the person again.',
    button: 'Call with an old token',
  },
  'A token that has ended',
  'a-token-that-has-ended',
);

const callWithMalformedToken = callStep(
  {
    id: 'malformed',
    title: 'Call with a token that cannot be one',
    text: 'invalid_request: no token has a space in it. The client has a bug, and asking the person again would not help.',
    button: 'Call with two words',
  },
  'A token that cannot be one',
  'two words',
);

const addPhoto: Step = {
  id: 'scope',
  title: 'Do more than the scopes allow',
  text: 'insufficient_scope: the challenge has the scope that the call needs, and the one that the token has beside it. A client that asks for just that loses nothing.',
  button: 'Call POST /api/photos',
  waitsFor: needsAccessToken,
  perform: (context) =>
    call(context, 'The playground adds a photo', { path: '/api/photos', form: new URLSearchParams() }),
};

const exportAll: Step = {
  id: 'login',
  title: 'Call what needs a new login',
  text: 'The playground gets a token in its own name, for which nobody has logged in, and calls a route that is for people who have logged in within five minutes. insufficient_user_authentication: the challenge has max_age.',
  button: 'Call GET /api/export',
  waitsFor: () => undefined,
  async perform(context) {
    const { run } = context;
    const { accessToken } = run.values;
    await requestToken(context, {
      title: 'A token in the playground’s own name',
      parameters: { grant_type: 'client_credentials', scope: 'photos:read' },
    });
    await call(context, 'The playground exports everything', { path: '/api/export' });
    // restores the person's token for later steps
    const { accessToken: _own, ...rest } = run.values;
    run.values = accessToken === undefined ? rest : { ...rest, accessToken };
  },
};

const pay: Step = {
  id: 'pay',
  title: 'Pay',
  text: 'insufficient_authorization: nobody has allowed this payment. The challenge has it in authorization_remediation, as JSON in base64url.',
  button: 'Pay 20.00 EUR to Print',
  waitsFor: needsAccessToken,
  perform: (context) =>
    call(context, 'The playground pays', {
      path: '/api/payments',
      form: new URLSearchParams({ amount: '20.00', to: 'Print' }),
    }),
};

const copy: Step = {
  ...createAuthorize({
    fields: [],
    remember: ({ run }) => ({ challenge: run.values.challenge ?? '' }),
    parametersOf: ({ run }) => parametersIn(run.values.challenge ?? ''),
  }),
  id: 'copy',
  isFirst: false,
  title: 'Copy what the refusal says',
  text: 'The playground understands nothing of payments. It copies what the last challenge says into its next request; you read it, and say yes or no. Then it redeems the code and pays once more: now it is let in, once.',
  waitsFor: ({ challenge }) =>
    challenge === undefined || challenge === '' ? 'Nothing has been refused yet.' : undefined,
};

/** The parameters of a challenge for an authorization request. */
function parametersIn(challenge: string): Readonly<Record<string, string>> {
  const said = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
  const copied = ['max_age', 'acr_values'].flatMap((name) => {
    const value = said.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const remediation = said.get('authorization_remediation');
  if (remediation === undefined) return Object.fromEntries(copied);
  const { authorization_details: details } = JSON.parse(Buffer.from(remediation, 'base64url').toString()) as {
    authorization_details: unknown;
  };
  return { ...Object.fromEntries(copied), authorization_details: JSON.stringify(details) };
}

export const refusals: Flow = {
  id: 'refusals',
  name: 'Refusals',
  title: 'Refusals that say what would do',
  summary: 'Every way in which an API says no, and what a client copies from it.',
  intro: [
    'An API that says no can say what would have been enough: more scopes, a newer login, this one payment. A client that copies that into its next request needs to know nothing else.',
  ],
  references: [rfc('6750 §3.1'), rfc('9470 §3'), rfc('9396'), rfc('9728 §5.1')],
  steps: [
    createAuthorize(),
    redeem,
    callWithoutToken,
    callWithWrongToken,
    callWithMalformedToken,
    addPhoto,
    exportAll,
    pay,
    copy,
  ],
};
