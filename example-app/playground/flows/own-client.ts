import { rfc } from '../references.js';
import { createAuthorize, createRedeem, openToken, useToken } from './common-steps.js';
import type { Flow, Step, StepContext } from './flow.js';
import { type Credentials, requestToken } from './requests.js';

/** Parameters that the request sets itself, or that do not belong in an address. */
const NOT_HERE =
  /^(response_type|client_id|redirect_uri|scope|state|code_challenge(_method)?|request(_uri)?)$/;

const clientOf = ({ clientId = '', clientSecret }: Readonly<Record<string, string>>): Credentials => ({
  clientId,
  ...(clientSecret !== undefined && { clientSecret }),
});

const remember = ({ run, input }: StepContext) => {
  const { client_id: clientId = '', client_secret: clientSecret = '' } = input;
  if (clientSecret !== '') run.secrets.learn('client_secret', clientSecret);
  return { clientId: clientId.trim(), ...(clientSecret !== '' && { clientSecret }) };
};

const parametersOf = ({ run, input }: StepContext) =>
  Object.fromEntries(
    [...new URLSearchParams(input.parameters)].filter(
      ([name]) => !NOT_HERE.test(name) && !run.secrets.isSecret(name),
    ),
  );

const asking = {
  clientOf,
  remember,
  parametersOf,
  fields: [
    { name: 'client_id', label: 'Client id', value: '' },
    {
      name: 'client_secret',
      label: 'Client secret',
      hint: 'empty for a public client. It is kept in memory for this try, and is in no link',
      value: '',
      type: 'password',
      isOptional: true,
    },
    {
      name: 'scope',
      label: 'Scope',
      hint: 'such as photos:read; empty: what the site gives unasked',
      value: '',
    },
    {
      name: 'parameters',
      label: 'More parameters',
      hint: 'as in an address: prompt=consent&ui_locales=de',
      value: '',
    },
  ],
} as const;

const refresh: Step = {
  id: 'refresh',
  title: 'Refresh',
  text: 'If your client may use the grant type refresh_token, it gets new tokens without you.',
  button: 'Get new tokens',
  waitsFor: ({ refreshToken }) => (refreshToken === undefined ? 'There is no refresh token.' : undefined),
  async perform(context) {
    const { values } = context.run;
    await requestToken(context, {
      title: 'Your client refreshes its tokens',
      client: clientOf(values),
      parameters: { grant_type: 'refresh_token', refresh_token: values.refreshToken ?? '' },
    });
  },
};

export const ownClient: Flow = {
  id: 'own',
  name: 'Your own client',
  title: 'Your own client',
  summary:
    'An application that you have registered here, with your own parameters, and a link to share the try.',
  intro: [
    'Here the playground plays your application: with its id and secret, and whatever else you want to ask with. What the photo site says to it you see as it is.',
  ],
  references: [rfc('6749 §4.1'), rfc('7636')],
  isOwnClient: true,
  steps: [createAuthorize(asking), createRedeem({ clientOf }), useToken, refresh, openToken],
};
