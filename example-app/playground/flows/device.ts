import { deviceClient } from '../clients.js';
import type { ServerMetadata } from '../metadata.js';
import { rfc } from '../references.js';
import { exchange } from '../runs.js';
import { judge, openToken, scopeField, useToken } from './common-steps.js';
import type { Flow, Step, StepContext } from './flow.js';
import { requestToken } from './requests.js';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

const begin: Step = {
  id: 'begin',
  title: 'The device asks for codes',
  text: 'A television cannot show a login page. It asks the server for two codes: a long one that it keeps, and a short one for you.',
  button: 'Ask for the codes',
  fields: [scopeField],
  isFirst: true,
  waitsFor: () => undefined,
  async perform({ run, input, server, step }) {
    const form = new URLSearchParams({ client_id: deviceClient.clientId, scope: input.scope ?? '' });
    const url = new URL(server.device_authorization_endpoint ?? '');
    const { json } = await exchange(run, {
      step,
      title: 'The device asks for codes',
      from: 'client',
      to: 'server',
      request: { method: 'POST', url, form },
    });
    const { device_code: deviceCode, user_code: userCode, verification_uri: page } = json;
    if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof page !== 'string') return {};
    run.values = { deviceCode, userCode, page };
    return {};
  },
};

const allow: Step = {
  id: 'allow',
  title: 'You type the short code',
  text: 'On your phone, or here in the same browser: log in at the photo site, type the code that the device shows, and allow it. Then come back.',
  button: 'Type the code at the photo site',
  waitsFor: ({ userCode }) => (userCode === undefined ? 'There is no code yet.' : undefined),
  notify: ({ userCode }) => (userCode === undefined ? undefined : `The device shows: ${userCode}`),
  // only to the photo site, whatever the response contains
  perform: ({ run: { values }, issuer }) =>
    Promise.resolve({
      redirectTo: new URL(values.page ?? '').origin === issuer ? new URL(values.page ?? '') : issuer,
    }),
};

const poll: Step = {
  id: 'poll',
  title: 'The device asks again and again',
  text: 'Meanwhile the device asks every few seconds whether you have decided. Ask before you allow it, too quickly, and after it, to see all the answers.',
  button: 'Ask for the tokens',
  waitsFor: ({ deviceCode, isRedeemed }) =>
    deviceCode === undefined
      ? 'There is no code yet.'
      : isRedeemed === undefined
        ? undefined
        : 'The device has its tokens.',
  async perform(context) {
    const { error } = await ask(context, 'The device asks for its tokens');
    if (error === undefined) context.run.values = { ...context.run.values, isRedeemed: 'yes' };
  },
};

const replay: Step = {
  id: 'replay',
  title: 'Replay the device code',
  text: 'Somebody who has seen the device’s requests asks once more with the same code.',
  button: 'Replay the device code',
  isAttack: true,
  waitsFor: ({ isRedeemed }) =>
    isRedeemed === undefined ? 'Let the device have its tokens first.' : undefined,
  perform: async (context) => judge(await ask(context, 'The same device code again')),
};

function ask(context: StepContext, title: string) {
  return requestToken(context, {
    title,
    client: deviceClient,
    parameters: { grant_type: grantType, device_code: context.run.values.deviceCode ?? '' },
  });
}

export const device: Flow = {
  id: 'device',
  name: 'Device',
  title: 'Device authorization',
  summary: 'For things without a keyboard or a browser: televisions, printers, command lines.',
  intro: [
    'The device and your browser never talk to each other. You carry a short code from one to the other in your head, and the device asks the server until you have decided.',
  ],
  references: [rfc('8628')],
  steps: [begin, allow, poll, useToken, openToken, replay],
  isMissing: ({ device_authorization_endpoint: endpoint }: ServerMetadata) =>
    endpoint === undefined
      ? 'The photo site’s metadata name no device_authorization_endpoint (RFC 8628 §4): it does not offer this grant.'
      : undefined,
};
