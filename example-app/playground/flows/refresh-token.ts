import { rfc } from '../references.js';
import { authorize, giveBack, judge, openToken, redeem } from './common-steps.js';
import type { Flow, Step } from './flow.js';
import { callApi, requestToken } from './requests.js';

const refresh: Step = {
  id: 'refresh',
  title: 'Refresh',
  text: 'The access token is about to end, and you are asleep. The playground shows its refresh token and gets a new pair. The old refresh token is used up by it; you can press this as often as you like.',
  button: 'Get new tokens',
  waitsFor: ({ refreshToken }) => (refreshToken === undefined ? 'There is no refresh token yet.' : undefined),
  async perform(context) {
    const { refreshToken = '' } = context.run.values;
    await requestToken(context, {
      title: 'The playground refreshes its tokens',
      parameters: { grant_type: 'refresh_token', refresh_token: refreshToken },
    });
  },
};

const reuse: Step = {
  id: 'reuse',
  title: 'Reuse the old refresh token',
  text: 'A thief has copied the refresh token before the last refresh. Now it comes a second time, and the server knows that two have it. It cannot know who is the thief, so it ends the tokens of both. You would be asked again; the thief would not.',
  button: 'Reuse the old refresh token',
  isAttack: true,
  waitsFor: ({ usedRefreshToken }) =>
    usedRefreshToken ? undefined : 'Refresh first, so that there is an old one.',
  async perform(context) {
    const { usedRefreshToken = '', refreshToken = '' } = context.run.values;
    const attack = await requestToken(context, {
      title: 'The old refresh token again',
      parameters: { grant_type: 'refresh_token', refresh_token: usedRefreshToken },
    });
    const newest = await requestToken(context, {
      title: 'Does the newest refresh token still work?',
      parameters: { grant_type: 'refresh_token', refresh_token: refreshToken },
    });
    const api = await callApi(context, 'Does the access token still work?');
    context.run.values = { ...context.run.values, isEnded: 'yes' };
    return judge(attack, ['The newest refresh token', newest], ['The access token', api]);
  },
};

const giveBackUnlessEnded: Step = {
  ...giveBack,
  waitsFor: (values) =>
    values.isEnded === undefined
      ? giveBack.waitsFor(values)
      : 'Those tokens have ended. Begin with step 1 to have some that you can give back.',
};

export const refreshToken: Flow = {
  id: 'refresh-token',
  name: 'Refresh token',
  title: 'Refresh token, with rotation',
  summary: 'New access tokens without asking the person again, and a thief who gives himself away.',
  intro: [
    'Access tokens are short-lived, people are not to be asked every hour. A refresh token bridges that. It is worth more than an access token, so each use replaces it by a new one: a copy is found out as soon as both have been used.',
  ],
  references: [rfc('6749 §6'), rfc('9700 §4.14.2'), rfc('7009')],
  steps: [authorize, redeem, refresh, openToken, reuse, giveBackUnlessEnded],
};
