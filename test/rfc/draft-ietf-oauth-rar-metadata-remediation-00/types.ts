import { z } from 'zod';

import type { AuthorizationServerOptions } from '../../../lib/index.js';

const schema = z.strictObject({ amount: z.number().positive(), to: z.string().max(70) });
const compare = (requested: Record<string, unknown>, granted: Record<string, unknown>) =>
  Number(requested.amount) <= Number(granted.amount) && requested.to === granted.to;

/** Two types: a budget for many calls, and a voucher for one call. */
export const DETAILS = {
  budget: { schema, compare, describe: ({ amount, to }) => `Spend up to ${amount} EUR at ${to}` },
  voucher: { schema, compare, describe: ({ amount, to }) => `Pay ${amount} EUR to ${to}`, singleUse: true },
} satisfies AuthorizationServerOptions['authorizationDetails'];
