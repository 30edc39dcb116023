import { playgroundClient } from '../clients.js';
import { rfc } from '../references.js';
import { judge, openToken, scopeField, useToken } from './common-steps.js';
import type { Flow, Step } from './flow.js';
import { requestToken } from './requests.js';

const ask: Step = {
  id: 'ask',
  title: 'Ask for a token',
  text: 'No browser, no person: the playground shows its own id and secret, and gets a token that speaks for itself. There is no refresh token; it can come back with its secret whenever it likes.',
  button: 'Ask for a token',
  fields: [scopeField],
  isFirst: true,
  waitsFor: () => undefined,
  perform: async (context) =>
    void (await requestToken(context, {
      title: 'The playground asks for itself',
      parameters: { grant_type: 'client_credentials', scope: context.input.scope ?? '' },
    })),
};

const guess: Step = {
  id: 'guess',
  title: 'Guess the secret',
  text: 'Anybody can read a client’s id in an address. So somebody tries it with a secret that looks good. After some dozens of wrong ones in a minute the server answers no more.',
  button: 'Try a wrong secret',
  isAttack: true,
  waitsFor: () => undefined,
  async perform(context) {
    const client = { clientId: playgroundClient.clientId, clientSecret: 'correct-horse-battery-staple' };
    return judge(
      await requestToken(context, {
        title: 'Somebody tries a secret',
        client,
        parameters: { grant_type: 'client_credentials' },
      }),
    );
  },
};

const overreach: Step = {
  id: 'overreach',
  title: 'Ask for more than one may have',
  text: 'The client is genuine, and asks for a scope that nobody registered it for.',
  button: 'Ask for everything',
  isAttack: true,
  waitsFor: () => undefined,
  perform: async (context) =>
    judge(
      await requestToken(context, {
        title: 'The playground asks for too much',
        parameters: { grant_type: 'client_credentials', scope: 'photos:read albums:order' },
      }),
    ),
};

export const clientCredentials: Flow = {
  id: 'client-credentials',
  name: 'Client credentials',
  title: 'Client credentials',
  summary: 'A program acts for itself: a webcam, a nightly job, one service that calls another.',
  intro: [
    'Nobody’s photos are at stake but the client’s own, so nobody is asked. The API sees a token without a person in it.',
  ],
  references: [rfc('6749 §4.4')],
  steps: [ask, useToken, openToken, guess, overreach],
};
