import { z } from 'zod';

import type { AuthorizationServerOptions } from '../../lib/index.js';

/** Types as of a bank: a payment happens once, accounts can be read again and again. */
export const DETAIL_TYPES = {
  payment: {
    schema: z.strictObject({
      amount: z.string().regex(/^\d+\.\d\d$/),
      currency: z.enum(['EUR', 'USD']),
      creditor: z.string().max(100),
      locations: z.array(z.string()).optional(),
    }),
    describe: ({ amount, currency, creditor }, { language }) => ({
      title: language === 'de' ? `${amount} ${currency} zahlen` : `Pay ${amount} ${currency}`,
      lines: [`To ${creditor}`],
    }),
  },
  accounts: {
    schema: z.object({
      actions: z.array(z.enum(['list', 'balances', 'transactions'])).min(1),
      locations: z.array(z.string()).optional(),
    }),
    describe: ({ actions }) => `See accounts: ${actions.join(', ')}`,
    compare: (requested, granted) =>
      requested.actions.every((action: string) => granted.actions.includes(action)),
  },
  budget: {
    schema: z.strictObject({ upTo: z.number() }),
    describe: ({ upTo }) => `Spend up to ${upTo} EUR`,
    compare: (requested, granted) => requested.upTo <= granted.upTo,
  },
  transfer: {
    schema: z.strictObject({ all: z.boolean() }),
    describe: () => 'Move all money',
    risk: 'high',
  },
  identity: {
    schema: z.strictObject({ level: z.number() }),
    describe: ({ level }) => `Know you at level ${level}`,
    optional: false,
  },
} satisfies AuthorizationServerOptions['authorizationDetails'];

export const PAYMENT = { type: 'payment', amount: '20.00', currency: 'EUR', creditor: 'Merchant A' };
export const ACCOUNTS = { type: 'accounts', actions: ['list', 'balances'] };
export const BUDGET = { type: 'budget', upTo: 50 };
export const TRANSFER = { type: 'transfer', all: true };
export const IDENTITY = { type: 'identity', level: 2 };

export function detailsParameter(...details: readonly object[]): { readonly authorization_details: string } {
  return { authorization_details: JSON.stringify(details) };
}
