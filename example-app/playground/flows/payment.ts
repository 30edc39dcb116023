import { callbackPath } from '../clients.js';
import { rfc } from '../references.js';
import type { Answer } from '../runs.js';
import { judge, needsAccessToken, openToken, redeem } from './common-steps.js';
import type { Flow, Step, StepContext } from './flow.js';
import { createPush, goThere } from './push-steps.js';
import { callApi, pushRequest, requestToken } from './requests.js';

interface Payment {
  readonly amount: string;
  readonly to: string;
}

const GREED = '999.00';

const detailsOf = ({ amount, to }: Payment, more: object = {}) =>
  JSON.stringify([{ type: 'print_payment', amount, currency: 'EUR', to, ...more }]);

const push = createPush({
  text: 'The playground wants to pay for prints. No scope says how much and to whom, so it asks in detail (authorization_details). It pushes the request: nothing of it stands in an address.',
  fields: [
    { name: 'amount', label: 'Amount in EUR', hint: 'such as 12.50', value: '12.50' },
    { name: 'to', label: 'To whom', value: 'Inkwell Printing Shop' },
  ],
  parametersOf: ({ run, input }) => {
    const requested = { amount: input.amount ?? '', to: input.to ?? '' };
    run.values = { ...run.values, ...requested };
    return { authorization_details: detailsOf(requested) };
  },
});

const requestedFrom = ({ run }: StepContext): Payment => ({
  amount: run.values.amount ?? '',
  to: run.values.to ?? '',
});

const smuggle: Step = {
  id: 'smuggle',
  title: 'Hide something in it',
  text: 'The playground turns greedy, and writes a field more: the same payment each month. You would read the amount and miss the rest. The photo site knows what a payment is made of, and takes nothing else.',
  button: 'Push it with a hidden field',
  isAttack: true,
  waitsFor: () => undefined,
  perform: async (context) =>
    judge(
      await pushRequest(context, {
        title: 'A payment with a field that nobody knows',
        parameters: {
          response_type: 'code',
          redirect_uri: context.issuer + callbackPath,
          authorization_details: detailsOf(
            { amount: '12.50', to: 'Inkwell Printing Shop' },
            { repeat: 'monthly' },
          ),
        },
      }),
    ),
};

const goAndRead: Step = {
  ...goThere,
  text: 'Read what the photo site asks you: the amount and to whom, in its own words. You allow this payment, and not payments.',
};

const pay: Step = {
  id: 'pay',
  title: 'Pay',
  text: 'The API finds in the token what you have allowed, and compares the payment with it. Nothing is really paid.',
  button: 'Call POST /api/payments',
  waitsFor: needsAccessToken,
  perform: async (context) =>
    void (await callPayments(context, 'The playground pays what you allowed', requestedFrom(context))),
};

const payAgain: Step = {
  id: 'pay-again',
  title: 'Pay it once more',
  text: 'The same payment, with the same token. What you have allowed is good for one. The refusal says in its challenge (authorization_remediation) what a client can ask you for.',
  button: 'Pay it again',
  isAttack: true,
  waitsFor: needsAccessToken,
  perform: async (context) =>
    judge(await callPayments(context, 'The playground pays a second time', requestedFrom(context))),
};

const payMore: Step = {
  id: 'pay-more',
  title: 'Pay more than that',
  text: 'With a scope such as “payments” the playground could now take what it likes.',
  button: `Pay ${GREED} EUR`,
  isAttack: true,
  waitsFor: needsAccessToken,
  perform: async (context) =>
    judge(
      await callPayments(context, 'The playground takes more', { ...requestedFrom(context), amount: GREED }),
    ),
};

const paySomebodyElse: Step = {
  id: 'pay-other',
  title: 'Pay somebody else',
  text: 'The right amount, into another pocket.',
  button: 'Pay it to Mallory',
  isAttack: true,
  waitsFor: needsAccessToken,
  perform: async (context) =>
    judge(
      await callPayments(context, 'The playground pays somebody else', {
        ...requestedFrom(context),
        to: 'Mallory',
      }),
    ),
};

const askForMore: Step = {
  id: 'ask-more',
  title: 'Ask for a bigger token',
  text: 'You are not at your browser any more. The playground refreshes its token and asks for a bigger payment with it, past you.',
  button: 'Refresh with more',
  isAttack: true,
  waitsFor: ({ refreshToken }) => (refreshToken === undefined ? 'There is no refresh token yet.' : undefined),
  perform: async (context) =>
    judge(
      await requestToken(context, {
        title: 'A refresh for a bigger payment',
        parameters: {
          grant_type: 'refresh_token',
          refresh_token: context.run.values.refreshToken ?? '',
          authorization_details: detailsOf({ ...requestedFrom(context), amount: GREED }),
        },
      }),
    ),
};

function callPayments(context: StepContext, title: string, paid: Payment): Promise<Answer> {
  return callApi(context, title, { path: '/api/payments', form: new URLSearchParams({ ...paid }) });
}

export const payment: Flow = {
  id: 'payment',
  name: 'Payment',
  title: 'One payment, and no other (RAR)',
  summary: 'A token for exactly what the person read: this amount, to this shop.',
  intro: [
    'A scope is a word. What you allow is often more than a word: this amount, to this shop. Rich Authorization Requests say it in fields, and the token is held to them.',
  ],
  references: [rfc('9396'), rfc('9396 §6.1'), rfc('9126')],
  steps: [push, smuggle, goAndRead, redeem, openToken, pay, payAgain, payMore, paySomebodyElse, askForMore],
};
