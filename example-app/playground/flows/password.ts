import { rfc } from '../references.js';
import { openToken, scopeField, useToken } from './common-steps.js';
import type { Flow, Step } from './flow.js';
import { requestToken } from './requests.js';

const type: Step = {
  id: 'type',
  title: 'Type your password into somebody else’s form',
  text: 'This form belongs to the playground and not to the photo site. You cannot see what it does with what you type. It sends it on, once, and forgets it; you have to believe that.',
  button: 'Log in by the old way',
  fields: [
    { name: 'username', label: 'User name', value: 'ada' },
    {
      name: 'password',
      label: 'Password',
      hint: 'npm run example prints Ada’s',
      value: '',
      type: 'password',
    },
    scopeField,
  ],
  isFirst: true,
  waitsFor: () => undefined,
  async perform(context) {
    const { username = '', password = '', scope = '' } = context.input;
    await requestToken(context, {
      title: 'The playground logs in as you',
      parameters: { grant_type: 'password', username, password, scope },
    });
  },
};

export const password: Flow = {
  id: 'password',
  name: 'Password',
  title: 'Password, the old way',
  summary: 'The application takes the person’s password. Given up; here to show why.',
  isOld: true,
  intro: [
    'Before there was a better way, applications asked for your password and showed it to the photo site. RFC 9700 says that this must not be used: it teaches people to type their password anywhere, the client can do everything that you can, and a second factor or a passkey does not fit in.',
    'Open the request below and let its secrets be shown: there it is, in the client’s hands.',
  ],
  references: [rfc('6749 §4.3'), rfc('9700 §2.4')],
  steps: [type, useToken, openToken],
};
