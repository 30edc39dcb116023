import { type Mutant, mutantsOf } from './mutant.js';

const DEVICES = [
  'rfc/rfc8628/polling.test.ts',
  'rfc/rfc8628/user-interaction.test.ts',
  'rfc/rfc8628/device-authorization.test.ts',
  'rfc/rfc10027/device.test.ts',
  'grants/meanwhile.test.ts',
];

/** Devices: their codes, and the page on which a person allows them. */
export const DEVICE_GRANTS: readonly Mutant[] = [
  ...mutantsOf('features/device/grant-type.ts', DEVICES, [
    {
      breaks: 'what a person denied gives no tokens (RFC 8628 §3.5)',
      from: "if (device.decision === 'deny')",
      to: 'if (device.decision === undefined && device.usedAt !== undefined)',
    },
    {
      breaks: 'a device code expires (RFC 8628 §3.2)',
      from: 'if (device.expiresAt <= now)',
      to: 'if (device.usedAt !== undefined)',
    },
    {
      breaks: 'a client that was deleted gets nothing by what was stored meanwhile',
      from: "if (current === null) throw invalidDeviceCode('client_unknown', 'the client is deleted');",
      to: "if (current === null && grant.revokedAt) throw invalidDeviceCode('the client is deleted');",
    },
  ]),
  ...mutantsOf(
    'features/device/device-page.ts',
    [...DEVICES, 'attacks/csrf-and-clickjacking.test.ts', 'attacks/answers-to-another-question.test.ts'],
    [
      {
        breaks: 'no other site allows a device (RFC 8628 §5.4, RFC 6749 §10.12)',
        from: 'if (!hasCsrfToken(req, userId))',
        to: "if (req.method === 'PUT')",
      },
      {
        breaks: 'a link shows nothing of what waits behind a code (RFC 8628 §3.3.1)',
        from: 'if (userCode === null || !isAcceptedCode(req, { codeHash: userCode.hash, userId }))',
        to: 'if (userCode === null)',
      },
      {
        breaks: 'what is allowed to a device is what was shown (RFC 6749 §10.2)',
        from: 'if (isProblem(decision)) return decision;',
        to: "if (isProblem(decision)) decision = { decision: 'allow', scopes: prompt.scopes };",
      },
      {
        breaks: 'user codes that are guessed are counted (RFC 8628 §5.1)',
        from: 'const found = await context.limit(req, userId, () => findDevice(context, { req, userCode, userId, now }));',
        to: 'const found = await findDevice(context, { req, userCode, userId, now });',
      },
    ],
  ),
];
