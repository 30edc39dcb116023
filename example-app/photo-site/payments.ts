import express, { type RequestHandler, Router } from 'express';
import type { AuthorizationDetailsType } from 'express-authorization-server';
import { z } from 'zod';

const payment = z.strictObject({
  amount: z.string().regex(/^\d{1,4}\.\d{2}$/),
  currency: z.literal('EUR'),
  to: z.string().min(1).max(70),
});

/** The texts of the consent page. */
const TITLES: Readonly<Record<string, (amount: string, to: string) => string>> = {
  en: (amount, to) => `Pay ${amount} EUR to ${to}`,
  de: (amount, to) => `${amount} EUR an ${to} bezahlen`,
  es: (amount, to) => `Pagar ${amount} EUR a ${to}`,
  fr: (amount, to) => `Payer ${amount} EUR à ${to}`,
  ja: (amount, to) => `${to} に ${amount} EUR を支払う`,
  ar: (amount, to) => `دفع ${amount} EUR إلى ${to}`,
};

/** A payment for prints: only the amount and the payee (RFC 9396). */
export const printPayment: AuthorizationDetailsType = {
  schema: payment,
  describe: ({ amount, to }, { language }) => {
    const title = TITLES[language.slice(0, 2)] ?? TITLES.en!;
    return title(String(amount), String(to));
  },
  // one consent allows one payment
  singleUse: true,
};

/** The authorization detail of a payment. */
export function detailsOfPayment({ amount, to }: Readonly<Record<string, unknown>>) {
  return [{ type: 'print_payment', amount: String(amount), currency: 'EUR', to: String(to) }];
}

/** Pays exactly what a person has allowed, once. No real money is moved. */
export function createPayments(guard: RequestHandler): Router {
  const payments = Router();
  const form = express.urlencoded({ extended: false, limit: '1kb', parameterLimit: 5 });
  payments.post('/', form, guard, (req, res) => {
    const { amount, to } = req.body as { amount?: unknown; to?: unknown };
    res.status(201).json({ paid: amount, currency: 'EUR', to });
  });
  return payments;
}
