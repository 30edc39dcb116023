import { giftCardGrantType } from '../../demo.js';
import { rfc } from '../references.js';
import { judge, openToken, useToken } from './common-steps.js';
import type { Flow, Step } from './flow.js';
import { requestToken } from './requests.js';

const give: Step = {
  id: 'give',
  title: 'Make a gift card',
  text: 'Log in at the photo site as the giver, Ada for instance. The site prints a card: whoever has it may look at the giver’s photos, once.',
  button: 'Make a card of mine',
  isFirst: true,
  waitsFor: () => undefined,
  notify: ({ giftCard }) =>
    giftCard === undefined ? undefined : 'The site has printed a card, and the playground has it.',
  async perform({ run, giveGiftCard }) {
    if (giveGiftCard === undefined)
      return { redirectTo: `/login?return_to=${encodeURIComponent('/playground/gift-card')}` };
    run.values = { giftCard: await giveGiftCard() };
    run.secrets.learn('gift_card', run.values.giftCard ?? '');
    return {};
  },
};

const present =
  (title: string): Step['perform'] =>
  async (context) => {
    const parameters = { grant_type: giftCardGrantType, gift_card: context.run.values.giftCard ?? '' };
    const { error } = await requestToken(context, { title, parameters });
    if (error === undefined) context.run.values = { ...context.run.values, isUsed: 'yes' };
  };

const use: Step = {
  id: 'present',
  title: 'Present the card',
  text: 'The grant type is a name of the site’s own, a URI, so that no other site means something else by it. All the rest is as ever: the client authenticates, and gets a token.',
  button: 'Present the card',
  waitsFor: ({ giftCard, isUsed }) =>
    giftCard === undefined
      ? 'There is no card yet.'
      : isUsed === undefined
        ? undefined
        : 'This card has been used.',
  perform: present('The playground presents the card'),
};

const useAgain: Step = {
  id: 'again',
  title: 'Present the card twice',
  text: 'The card is a piece of paper and easily copied. The site crosses it off in the same step in which it looks it up, so that of two people with the same card one is let in.',
  button: 'Present it again',
  isAttack: true,
  waitsFor: ({ isUsed }) => (isUsed === undefined ? 'Present the card first.' : undefined),
  async perform(context) {
    const parameters = { grant_type: giftCardGrantType, gift_card: context.run.values.giftCard ?? '' };
    return judge(await requestToken(context, { title: 'The same card again', parameters }));
  },
};

export const giftCard: Flow = {
  id: 'gift-card',
  name: 'Gift card',
  title: 'Gift card, a grant type of the site’s own',
  summary: 'An extension grant: what a site gives tokens for is its own business.',
  intro: [
    'The protocol leaves a door open for grants that nobody has thought of. The photo site has one of its own, in twenty lines: a gift card is exchanged for a look at the giver’s photos.',
  ],
  references: [rfc('6749 §4.5')],
  steps: [give, use, useToken, openToken, useAgain],
};
