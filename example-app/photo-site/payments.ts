import express, { Router } from 'express';
import {
  type AuthorizationDetailsType,
  type AuthorizationServer,
  OAuthError,
} from 'express-authorization-server';
import { z } from 'zod';

const payment = z.strictObject({
  amount: z.string().regex(/^\d{1,4}\.\d{2}$/),
  currency: z.literal('EUR'),
  to: z.string().min(1).max(70),
});

/** What the consent page says about it. */
const TITLES: Readonly<Record<string, (amount: string) => string>> = {
  en: (amount) => `Pay ${amount} EUR for prints`,
  de: (amount) => `${amount} EUR für Abzüge bezahlen`,
  es: (amount) => `Pagar ${amount} EUR por copias`,
  fr: (amount) => `Payer ${amount} EUR pour des tirages`,
  ja: (amount) => `プリント代として ${amount} EUR を支払う`,
  ar: (amount) => `دفع ${amount} EUR مقابل صور مطبوعة`,
};

/** A payment for prints, as clients ask for it: the amount and the payee, and nothing else (RFC 9396). */
export const printPayment: AuthorizationDetailsType = {
  schema: payment,
  describe: ({ amount, to }, { language }) => {
    const title = TITLES[language.slice(0, 2)] ?? TITLES.en!;
    return { title: title(String(amount)), lines: [String(to)] };
  },
};

/** Pays exactly what a person has allowed, and to nobody else. No real money is moved. */
export function createPayments(oauth: AuthorizationServer): Router {
  const payments = Router();
  const form = express.urlencoded({ extended: false, limit: '1kb', parameterLimit: 5 });
  payments.post('/', oauth.guard(), form, (req, res) => {
    const { amount, to } = (req.body ?? {}) as { amount?: unknown; to?: unknown };
    const isAllowed = req.auth!.authorizationDetails?.some(
      (detail) => detail.type === 'print_payment' && detail.amount === amount && detail.to === to,
    );
    if (isAllowed !== true)
      throw new OAuthError('insufficient_authorization', 'the person has not allowed this payment', {
        status: 403,
      });
    res.status(201).json({ paid: amount, currency: 'EUR', to });
  });
  return payments;
}
