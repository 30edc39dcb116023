import { albumsClient, callbackPath, playgroundClient } from '../clients.js';
import { rfc } from '../references.js';
import type { Answer } from '../runs.js';
import { judge, judgePage, redeem, scopeField, useToken } from './common-steps.js';
import type { Flow, Step, StepResult } from './flow.js';
import { createPush, goThere, leave, linkOf, needsRequest } from './push-steps.js';
import { browse, pushRequest } from './requests.js';

const push = createPush({
  text: 'The playground sends all that it wants to ask to the photo site itself, with its secret, and gets a reference back: request_uri. The photo site knows who asks before you have even left.',
  fields: [scopeField],
  parametersOf: ({ input }) => ({ scope: input.scope ?? '' }),
});

const pushAsSomebodyElse: Step = {
  id: 'impersonate',
  title: 'Push in the playground’s name',
  text: 'Anybody can write a link in the name of a client. Ahead of you only the client itself can ask: who pushes has to prove who it is.',
  button: 'Push with a guessed secret',
  isAttack: true,
  waitsFor: () => undefined,
  perform: async (context) =>
    judge(
      await pushRequest(context, {
        title: 'Somebody pushes a request in the playground’s name',
        client: { ...playgroundClient, clientSecret: 'guessed-secret' },
        parameters: { response_type: 'code', redirect_uri: context.issuer + callbackPath },
      }),
    ),
};

const changeOnTheWay: Step = {
  id: 'change',
  title: 'Change the request on its way',
  text: 'Something in your browser, an extension or a page that sends you on, writes more into the link: another scope, and the address of a thief. You go there by that link. Look at what the photo site asks you, allow it, and see where the code comes and what the token is good for.',
  button: 'Go by the changed link',
  isAttack: true,
  waitsFor: needsRequest,
  async perform(context) {
    const { run } = context;
    run.values = { ...run.values, isChanged: 'yes' };
    return Promise.resolve(
      leave(context, 'Your browser goes there by a changed link', {
        scope: 'photos:read photos:write',
        redirect_uri: 'https://thief.example/callback',
      }),
    );
  },
};

/** Redeems the code, and reports the effect of the changed link. */
const redeemAndCompare: Step = {
  ...redeem,
  async perform(context) {
    await redeem.perform(context);
    const { run } = context;
    const { isChanged, isRedeemed, scope } = run.values;
    if (isChanged === undefined || isRedeemed === undefined) return;
    const isRefused = scope === run.typed.get('push')?.scope;
    run.verdicts.set(changeOnTheWay.id, {
      isRefused,
      sentences: isRefused
        ? [
            'The attack was refused: what was added to the link counted for nothing (RFC 9126 §4).',
            `The code came to the playground and not to the thief, and the token is good for what was pushed: ${scope}.`,
          ]
        : ['The attack was NOT refused.'],
    });
  },
};

const useElsewhere: Step = {
  id: 'other-client',
  title: 'Use the reference as another client',
  text: 'Another application has read the reference in your browser, and sends you on with it under its own id. It is bound to the client that has pushed it.',
  button: 'Go there as another client',
  isAttack: true,
  waitsFor: ({ requestUri }) => (requestUri === undefined ? 'Push a request first.' : undefined),
  perform: async (context) =>
    judgeLink(
      await browse(
        context,
        'A link of another client’s with your reference',
        linkOf(context, albumsClient.clientId),
      ),
    ),
};

const reuse: Step = {
  id: 'reuse',
  title: 'Use the reference once more',
  text: 'You have answered this request. Somebody finds the link in your history and opens it again in your browser.',
  button: 'Open the link again',
  isAttack: true,
  waitsFor: ({ code }) => (code === undefined ? 'Answer the request first.' : undefined),
  perform: async (context) =>
    judgeLink(await browse(context, 'The same link again', linkOf(context, playgroundClient.clientId))),
};

/** Judges a page, which shows the error to developers below its text. */
function judgeLink(answer: Answer): StepResult {
  if (answer.status >= 300 && answer.status < 400)
    return {
      verdict: {
        isRefused: false,
        sentences: ['The photo site wants you to log in before it says more. Log in there and try again.'],
      },
    };
  return judgePage(answer, 'Nobody is sent anywhere: whose request it was, is not said.');
}

export const pushedRequest: Flow = {
  id: 'pushed-request',
  name: 'Pushed request',
  title: 'A request that nobody can change (PAR)',
  summary: 'The request goes from server to server, ahead of the browser.',
  intro: [
    'In the usual flow your browser carries the whole request in its address: others can read it, and whatever sits in your browser can change it. Here the playground sends it ahead, and your browser carries a reference.',
  ],
  references: [rfc('9126'), rfc('9126 §7')],
  steps: [push, pushAsSomebodyElse, useElsewhere, goThere, changeOnTheWay, redeemAndCompare, useToken, reuse],
};
