import * as openid from 'openid-client';

import { callbackPath, playgroundClient } from '../clients.js';
import { depart } from '../runs.js';
import type { Field, Step, StepContext, StepResult } from './flow.js';
import { pushRequest } from './requests.js';

export interface Pushing {
  readonly text: string;
  readonly fields: readonly Field[];
  /** The request's parameters, in addition to the common ones. */
  readonly parametersOf: (context: StepContext) => Readonly<Record<string, string>>;
}

/** Pushes the request, instead of sending it through the browser (RFC 9126). */
export function createPush({ text, fields, parametersOf }: Pushing): Step {
  return {
    id: 'push',
    title: 'Send the request ahead',
    text,
    button: 'Push the request',
    fields,
    isFirst: true,
    waitsFor: () => undefined,
    async perform(context) {
      const { run, issuer } = context;
      const codeVerifier = openid.randomPKCECodeVerifier();
      const state = openid.randomState();
      run.values = { state, sentState: state, codeVerifier };
      await pushRequest(context, {
        title: 'The playground sends its request ahead',
        parameters: {
          response_type: 'code',
          redirect_uri: issuer + callbackPath,
          ...parametersOf(context),
          state,
          code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          // the person decides at each try, despite an earlier consent
          prompt: 'consent',
        },
      });
    },
  };
}

export const needsRequest = ({ requestUri, code }: Readonly<Record<string, string>>) =>
  requestUri === undefined
    ? 'Push a request first.'
    : code === undefined
      ? undefined
      : 'This request has been answered. Push another one.';

/** The link with a pushed request, and parameters that an attacker has added. */
export function linkOf(
  { run, server }: StepContext,
  clientId: string,
  added: Readonly<Record<string, string>> = {},
): URL {
  const url = new URL(server.authorization_endpoint);
  const { requestUri = '' } = run.values;
  url.search = new URLSearchParams({ client_id: clientId, request_uri: requestUri, ...added }).toString();
  return url;
}

/** Sends the browser to this link. */
export function leave(
  context: StepContext,
  title: string,
  added?: Readonly<Record<string, string>>,
): StepResult {
  const url = linkOf(context, playgroundClient.clientId, added);
  depart(context.run, { step: context.step, title }, url);
  return { redirectTo: url };
}

export const goThere: Step = {
  id: 'authorize',
  title: 'Go to the photo site',
  text: 'Your browser carries nothing but the client’s id and the reference. What is asked for stands in no address, no history and no log, and nobody on the way can change it.',
  button: 'Go to the photo site',
  waitsFor: needsRequest,
  perform: (context) => Promise.resolve(leave(context, 'Your browser goes there with the reference')),
};
