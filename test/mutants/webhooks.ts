import { type Mutant, mutantsOf } from './mutant.js';

const TESTS = ['webhooks/webhooks.test.ts'];

/** What receivers elsewhere are told. */
export const WEBHOOKS: readonly Mutant[] = [
  ...mutantsOf('core/delivery/signature.ts', TESTS, [
    {
      breaks: 'the body is part of what is signed',
      from: '${id}.${timestamp}.${payload}',
      to: '${id}.${timestamp}.',
    },
    {
      breaks: 'each secret signs',
      from: 'const signatures = secrets.map(',
      to: 'const signatures = secrets.slice(0, 1).map(',
    },
  ]),
  ...mutantsOf('core/delivery/deliver.ts', TESTS, [
    {
      breaks: 'what another process has is left alone',
      from: 'if (!(await outbox.lease(message, until))) return false;',
      to: 'await outbox.lease(message, until);',
    },
    {
      breaks: 'what happened before to a grant comes first',
      from: 'if (older !== null) {',
      to: 'if (older === undefined) {',
    },
    {
      breaks: 'it is given up after the time of the option',
      from: 'now < addSeconds(message.triedSince, endpoint.giveUpAfter)',
      to: 'now > message.triedSince',
    },
    {
      breaks: '410 is the end',
      from: '...(isGone && { stops })',
      to: '',
    },
  ]),
  ...mutantsOf('core/delivery/attempt.ts', TESTS, [
    {
      breaks: 'only 2xx is taken',
      from: 'status >= 200 && status < 300',
      to: 'status >= 200 && status < 400',
    },
    {
      breaks: 'addresses within are refused unless the option says so',
      from: '{ timeout, allowPrivateAddresses },',
      to: '{ timeout, allowPrivateAddresses: true || allowPrivateAddresses },',
    },
  ]),
  ...mutantsOf('storage/other/webhooks.ts', TESTS, [
    {
      breaks: 'one process at a time',
      from: '{ _id: id, nextAt: nextAt ?? null },',
      to: '{ _id: id },',
    },
    {
      breaks: 'what is being sent is not sent again by hand',
      from: '{ ...of, isSending: { $ne: true } },',
      to: '{ ...of },',
    },
    {
      breaks: 'one that is sent again by hand lets its receiver have more again',
      from: '      if (one !== null)\n',
      to: '      if (one === undefined)\n',
    },
  ]),
];
