import * as openid from 'openid-client';

import { hasState, isFrom } from '../answers.js';
import { callbackPath, playgroundClient } from '../clients.js';
import { exchange, receive } from '../runs.js';
import { judgePage } from './common-steps.js';
import type { Step, StepContext, StepResult } from './flow.js';

/** An invalid code, in a response without a request. */
const FOREIGN_CODE = 'code-from-the-account-of-a-thief';

const needsQuestion = ({ sentState }: Readonly<Record<string, string>>) =>
  sentState === undefined ? 'Ask for permission first.' : undefined;

/** The checks of a client before it uses a code. */
export const checkAnswer: Step = {
  id: 'check',
  title: 'Check whether the answer is yours',
  text: 'Your browser has brought a code. Before the playground touches it, it compares: is the state the one that it sent, from this browser, and is the answer from the server that it asked (iss)? Libraries do this for you; without it the next two attacks would work.',
  button: 'Compare',
  waitsFor: ({ code }) => (code === undefined ? 'There is no answer yet.' : undefined),
  notify: ({ isChecked, sentState = '', received_state: state = '', received_iss: iss = '' }) =>
    isChecked === undefined
      ? undefined
      : `state: ${shorten(sentState)} was sent, ${shorten(state)} came back: the same. iss: ${iss}, whom the playground has asked.`,
  perform({ run, issuer }) {
    const { sentState, received_state: state = '', received_iss: iss = '' } = run.values;
    const answer = new URLSearchParams({ state, iss });
    if (hasState(sentState, answer) && isFrom(issuer, answer))
      run.values = { ...run.values, isChecked: 'yes' };
    return Promise.resolve();
  },
};

/** Login CSRF: RFC 6749 §10.12, RFC 9700 §4.7. */
export const forgeState: Step = {
  id: 'forge-state',
  title: 'Slip in an answer of your own',
  text: 'A thief has logged in as himself, caught his own code, and lures your browser to the playground with it. Had the playground taken it, you would go on in the thief’s account and put your photos there. What he cannot know is the state that the playground gave your browser, so he makes one up.',
  button: 'Come back with a forged state',
  isAttack: true,
  waitsFor: needsQuestion,
  perform: (context) =>
    Promise.resolve(
      forge(context, {
        title: 'A page of the thief sends your browser here',
        answer: { code: FOREIGN_CODE, state: openid.randomState(), iss: context.issuer },
        refused: 'the state is none that the playground has sent from this browser',
      }),
    ),
};

/** Mix-up: RFC 9207 §1, RFC 9700 §4.4. */
export const forgeIssuer: Step = {
  id: 'forge-iss',
  title: 'Answer in the name of another server',
  text: 'A client that works with several servers can be talked into bringing the code of an honest one to a thief’s. So each answer says whose it is (iss), and the client brings a code only there. This answer has the right state, and another sender.',
  button: 'Come back with a wrong iss',
  isAttack: true,
  waitsFor: needsQuestion,
  perform: (context) =>
    Promise.resolve(
      forge(context, {
        title: 'An answer of another server',
        answer: {
          code: FOREIGN_CODE,
          state: context.run.values.sentState ?? '',
          iss: 'https://thief.example',
        },
        refused: 'its iss is https://thief.example, and the playground has asked the photo site',
      }),
    ),
};

/** Runs a forged response through the checks of the playground. */
function forge(
  { run, issuer, step }: StepContext,
  { title, answer, refused }: { title: string; answer: Readonly<Record<string, string>>; refused: string },
): StepResult {
  const url = new URL(callbackPath, issuer);
  url.search = new URLSearchParams(answer).toString();
  const isRefused = !hasState(run.values.sentState, url.searchParams) || !isFrom(issuer, url.searchParams);
  receive(run, { step, title, isRefused }, url);
  return {
    verdict: {
      isRefused,
      sentences: isRefused
        ? [
            `The attack was refused: ${refused}.`,
            'The code in it was thrown away unread; your own is untouched.',
          ]
        : ['The attack was NOT refused.'],
    },
  };
}

/** The registration, not the request, decides where the code goes: RFC 9700 §4.1. */
export const sendElsewhere: Step = {
  id: 'elsewhere',
  title: 'Have the code sent elsewhere',
  text: 'A thief gives you a link to the real photo site, with the playground’s id and his own address as redirect_uri. You would log in, trust the page, and your code would go to him.',
  button: 'Ask with a wrong redirect_uri',
  isAttack: true,
  waitsFor: () => undefined,
  async perform({ run, server, step }) {
    const url = new URL(server.authorization_endpoint);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: playgroundClient.clientId,
      redirect_uri: 'https://thief.example/callback',
      state: openid.randomState(),
    }).toString();
    const answer = await exchange(run, {
      step,
      title: 'A link of the thief’s, opened in your browser',
      from: 'browser',
      to: 'server',
      request: { method: 'GET', url, headers: [['Accept', 'text/html']] },
    });
    return judgePage(
      answer,
      'It does not even send an error there: an address that is not registered gets nothing (RFC 6749 §4.1.2.1).',
    );
  },
};

function shorten(text: string): string {
  return text.length > 9 ? `${text.slice(0, 8)}…` : text;
}
