import { type Mutant, mutantsOf } from './mutant.js';

/** A request that shows no page tells nobody who visits. */
export const SILENT_REQUESTS: readonly Mutant[] = [
  ...mutantsOf(
    'core/authorization/visitor.ts',
    ['attacks/silent-requests.test.ts'],
    [
      {
        breaks:
          'a client that nobody has allowed anything learns nothing of the visitor (Core §3.1.2.6, §17)',
        from: 'return isTrusted || isAllowed ? { userId } : { userId: undefined, isUserHidden: true };',
        to: 'return { userId };',
      },
      {
        breaks: 'whether the visitor owns a client that waits for approval is not told silently (Core §17)',
        from: "if (request.kind === 'refused') return { userId: undefined, isUserHidden: true };",
        to: "if (request.kind === 'refused') return { userId };",
      },
    ],
  ),
  ...mutantsOf(
    'features/openid/openid-login-policy.ts',
    ['attacks/silent-requests.test.ts'],
    [
      {
        breaks: 'a name in the claims, which anybody can write, is no ID token (Core §5.5.1)',
        from: 'context.request.openidRequest?.hasIdTokenHint === true && ',
        to: '',
      },
    ],
  ),
];
