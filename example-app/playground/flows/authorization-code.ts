import { rfc } from '../references.js';
import { checkAnswer, forgeIssuer, forgeState, sendElsewhere } from './answer-steps.js';
import { authorize, codeParameters, judge, openToken, redeem, useToken } from './common-steps.js';
import type { Flow, Step } from './flow.js';
import { callApi, requestToken } from './requests.js';

const stealCode: Step = {
  id: 'steal',
  title: 'Steal the code',
  text: 'A thief has read the code in your browser’s history, and even knows the playground’s secret. The code verifier never was in the browser, so the thief does not have it.',
  button: 'Redeem it without the verifier',
  isAttack: true,
  waitsFor: redeem.waitsFor,
  async perform(context) {
    const attack = await requestToken(context, {
      title: 'A thief redeems the code without the verifier',
      parameters: codeParameters(context),
    });
    const { verdict } = judge(attack);
    return {
      verdict: {
        isRefused: verdict?.isRefused ?? false,
        sentences: [
          ...(verdict?.sentences ?? []),
          'The code has not been used up by it: who cannot prove anything cannot lock you out. You can still redeem it.',
        ],
      },
    };
  },
};

/** Here the check is a step of its own, which has to come first. */
const redeemChecked: Step = {
  ...redeem,
  waitsFor: (values) =>
    redeem.waitsFor(values) ??
    (values.isChecked === undefined ? 'Check first whether the answer is yours.' : undefined),
};

const replayCode: Step = {
  id: 'replay',
  title: 'Replay the code',
  text: 'Somebody has recorded the whole request by which the code was redeemed, and sends it once more. A code that comes twice was stolen by one of the two, and the server cannot know by whom. So it refuses, and ends everything that the code has given.',
  button: 'Replay the code',
  isAttack: true,
  waitsFor: ({ isRedeemed }) => (isRedeemed === undefined ? 'Redeem the code first.' : undefined),
  async perform(context) {
    const { run } = context;
    const attack = await requestToken(context, {
      title: 'The same code again',
      parameters: { ...codeParameters(context), code_verifier: run.values.codeVerifier ?? '' },
    });
    const api = await callApi(context, 'Does the access token still work?');
    const refresh = await requestToken(context, {
      title: 'Does the refresh token still work?',
      parameters: { grant_type: 'refresh_token', refresh_token: run.values.refreshToken ?? '' },
    });
    return judge(attack, ['The access token', api], ['The refresh token', refresh]);
  },
};

export const authorizationCode: Flow = {
  id: 'authorization-code',
  name: 'Authorization code',
  title: 'Authorization code, with PKCE',
  summary: 'A person lets an application in. The way for nearly everything: web, phone, desktop.',
  intro: [
    'You want this application to see your photos, without giving it your password. Your browser carries a short-lived code from the photo site to the application; the tokens themselves never pass through the browser.',
  ],
  references: [rfc('6749 §4.1'), rfc('7636'), rfc('9700 §2.1.1')],
  steps: [
    authorize,
    checkAnswer,
    forgeState,
    forgeIssuer,
    stealCode,
    redeemChecked,
    useToken,
    openToken,
    sendElsewhere,
    replayCode,
  ],
  afterAnswer: 'check',
};
