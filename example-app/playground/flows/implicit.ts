import * as openid from 'openid-client';

import { browserClient, implicitPath } from '../clients.js';
import { rfc } from '../references.js';
import { depart } from '../runs.js';
import { openToken, scopeField, useToken } from './common-steps.js';
import type { Flow, Step } from './flow.js';

const ask: Step = {
  id: 'ask',
  title: 'Ask for a token in the address',
  text: 'The application is a script in your browser and has no secret. It sends you to the photo site, and the token comes back behind the # of the address. The part behind the # is not sent to any server: a script of the page reads it.',
  button: 'Go to the photo site',
  fields: [scopeField],
  isFirst: true,
  waitsFor: () => undefined,
  async perform({ run, input, server, issuer, step }) {
    const state = openid.randomState();
    const url = new URL(server.authorization_endpoint);
    const parameters = {
      response_type: 'token',
      client_id: browserClient.clientId,
      redirect_uri: issuer + implicitPath,
      scope: input.scope ?? '',
      state,
    };
    url.search = new URLSearchParams(parameters).toString();
    run.values = { state };
    depart(run, { step, title: 'Your browser asks for a token' }, url);
    return Promise.resolve({ redirectTo: url });
  },
};

export const implicit: Flow = {
  id: 'implicit',
  name: 'Implicit',
  title: 'Implicit, the old way',
  summary: 'The token comes back in the address. Given up; here to show why.',
  isOld: true,
  intro: [
    'When browsers could not call other sites, this was all that a script could do. The token passes through the address bar: it can stay in the history, leak to other scripts of the page, and be replaced by one that was made for another application, without the client being able to tell. RFC 9700 says to use the code with PKCE instead.',
  ],
  references: [rfc('6749 §4.2'), rfc('9700 §2.1.2')],
  steps: [ask, useToken, openToken],
};
