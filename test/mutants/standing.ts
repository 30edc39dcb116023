import { type Mutant, mutantsOf } from './mutant.js';

const APPROVAL = ['clients/approval.test.ts'];
const BLOCKED = ['clients/blocked-clients.test.ts', 'pages/blocked-applications.test.ts'];

/** What administrators say of clients: who is blocked, and who is approved. */
export const STANDING: readonly Mutant[] = [
  ...mutantsOf('server/client-endpoint.ts', BLOCKED, [
    {
      breaks: 'a client that is blocked gets nothing',
      from: 'if (endpoint.allowsBlocked !== true) refuseBlocked(client);',
      to: '',
    },
  ]),
  ...mutantsOf('grant-types/refresh-token.ts', BLOCKED, [
    {
      breaks: 'a client that is blocked gets nothing, also where it is remembered as it was',
      from: 'refuseBlockedGrant(grant, client);',
      to: '',
    },
  ]),
  ...mutantsOf('authorization/find-usable-client.ts', BLOCKED, [
    {
      breaks: 'nobody is sent to a client that is blocked (RFC 9700 §4.11.2)',
      from: 'refuseBlocked(client);',
      to: '',
    },
  ]),
  ...mutantsOf('guard/database-verifier.ts', BLOCKED, [
    {
      breaks: 'the tokens of a client that is blocked are refused',
      from: "if (grant.blockedAt !== undefined) throw invalidToken('its client is blocked');",
      to: '',
    },
  ]),
  ...mutantsOf('endpoints/introspect.ts', BLOCKED, [
    {
      breaks: 'the tokens of a client that is blocked are not active',
      from: ' || grant.blockedAt !== undefined',
      to: '',
    },
  ]),
  ...mutantsOf('pages/applications/application-standing.ts', BLOCKED, [
    {
      breaks: 'administrators alone block and unblock',
      from: 'if (!rightsOver(client, viewerOf(req)).canBlock) throw notFound();',
      to: '',
    },
  ]),
  ...mutantsOf('authorization/authorize.ts', APPROVAL, [
    {
      breaks: 'a client that waits for approval is its owner’s alone',
      from: 'if (person !== undefined || isSilent) refuseUnapproved(client, person && settings.userId(person));',
      to: '',
    },
  ]),
  ...mutantsOf('grants/issue-grant.ts', APPROVAL, [
    {
      breaks: 'a client that waits for approval is its owner’s alone, whatever the grant type',
      from: 'refuseUnapproved(client, authorization.userId);',
      to: '',
    },
  ]),
  ...mutantsOf('pages/device/device.ts', APPROVAL, [
    {
      breaks: 'a device of a client that waits for approval is allowed by its owner alone',
      from: 'refuseUnapproved(client, userId);',
      to: '',
    },
  ]),
  ...mutantsOf('clients/change-client.ts', APPROVAL, [
    {
      breaks: 'what was approved is what its owner had made of it',
      from: 'return approval && !isPending && isAnother(before, metadata) ? { awaitsApprovalSince: now } : {};',
      to: 'return {};',
    },
  ]),
];
