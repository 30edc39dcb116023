import { type ExtensionGrantType, OAuthError } from 'express-authorization-server';

import { giftCardGrantType } from '../demo.js';
import type { GiftCards } from './gift-cards.js';

/** A custom grant type: a gift card is exchanged for access to its giver's photos (RFC 6749 §4.5). */
export function giftCardGrant(giftCards: GiftCards): ExtensionGrantType {
  return {
    grantType: giftCardGrantType,
    parameters: ['gift_card'],
    async handle({ client, parameters, scopes }) {
      const code = parameters.gift_card;
      if (code === undefined) throw new OAuthError('invalid_request', 'gift_card is missing');
      // checked before the card is used up: a failed request must not cost the card
      if (!scopes.includes('photos:read'))
        throw new OAuthError('invalid_scope', 'a gift card is good for photos:read');
      const giverId = await giftCards.use(code, client.clientId);
      if (giverId === null)
        throw new OAuthError('invalid_grant', 'the gift card is unknown or was used already');
      return { userId: giverId, scopes: ['photos:read'], extra: { gift: true } };
    },
  };
}
