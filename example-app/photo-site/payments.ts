import express, { type RequestHandler, Router } from 'express';
import type { AuthorizationDetailsType } from 'express-authorization-server';
import { z } from 'zod';

const payment = z.strictObject({
  amount: z.string().regex(/^\d{1,4}\.\d{2}$/),
  currency: z.literal('EUR'),
  to: z.string().min(1).max(70),
});

/** What the consent page says about it. */
const TITLES: Readonly<Record<string, (amount: string, to: string) => string>> = {
  en: (amount, to) => `Pay ${amount} EUR to ${to}`,
  de: (amount, to) => `${amount} EUR an ${to} bezahlen`,
  es: (amount, to) => `Pagar ${amount} EUR a ${to}`,
  fr: (amount, to) => `Payer ${amount} EUR à ${to}`,
  ja: (amount, to) => `${to} に ${amount} EUR を支払う`,
  ar: (amount, to) => `دفع ${amount} EUR إلى ${to}`,
};

/** A payment for prints, as clients ask for it: the amount and the payee, and nothing else (RFC 9396). */
export const printPayment: AuthorizationDetailsType = {
  schema: payment,
  describe: ({ amount, to }, { language }) => {
    const title = TITLES[language.slice(0, 2)] ?? TITLES.en!;
    return title(String(amount), String(to));
  },
  // what a person has allowed is paid once
  singleUse: true,
};

/** What a payment needs to be allowed, whoever asks for it, and however. */
export function detailsOfPayment({ amount, to }: Readonly<Record<string, unknown>>) {
  return [{ type: 'print_payment', amount: String(amount), currency: 'EUR', to: String(to) }];
}

/** Pays exactly what a person has allowed, once, and to nobody else. No real money is moved. */
export function createPayments(guard: RequestHandler): Router {
  const payments = Router();
  const form = express.urlencoded({ extended: false, limit: '1kb', parameterLimit: 5 });
  payments.post('/', form, guard, (req, res) => {
    const { amount, to } = req.body as { amount?: unknown; to?: unknown };
    res.status(201).json({ paid: amount, currency: 'EUR', to });
  });
  return payments;
}
