import { OAuthError } from 'express-authorization-server';

const cards = new Map([['GIFT-CARD-FROM-ADA', 'id-of-ada']]);

export const giftCard = {
  grantType: 'urn:example:grant-type:gift-card', // an absolute URI, or a name
  parameters: ['gift_card'], // the parameters of the request that handle gets; others are ignored
  handle({ client, parameters, scopes }) {
    const userId = cards.get(parameters.gift_card);
    if (userId === undefined)
      throw new OAuthError('invalid_grant', 'the gift card is unknown or was used already');
    cards.delete(parameters.gift_card); // with a database: one conditional step, so that a card is good once
    return { userId, scopes, refreshToken: false, extra: { gift: true } }; // what the tokens get
  },
};
