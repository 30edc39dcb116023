import { type Mutant, mutantsOf } from './mutant.js';

const APPROVAL = ['clients/approval.test.ts'];
const REAPPROVAL = ['clients/reapproval.test.ts'];
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
  ...mutantsOf('core/grant-types/refresh-token.ts', BLOCKED, [
    {
      breaks: 'a client that is blocked gets nothing, also where it is remembered as it was',
      from: 'refuseBlockedGrant(grant, client);',
      to: '',
    },
  ]),
  ...mutantsOf('core/authorization/request-target.ts', BLOCKED, [
    {
      breaks: 'nobody is sent to a client that is blocked (RFC 9700 §4.11.2)',
      from: 'refuseBlocked(client);',
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
  ...mutantsOf('core/authorization/authorize.ts', APPROVAL, [
    {
      breaks: 'a client that waits for approval is its owner’s alone',
      from: 'if (userId !== undefined || isSilent) refuseUnapproved(client, userId);',
      to: '',
    },
  ]),
  ...mutantsOf('core/grants/issue-grant.ts', APPROVAL, [
    {
      breaks: 'a client that waits for approval is its owner’s alone, whatever the grant type',
      from: 'refuseUnapproved(client, authorization.userId);',
      to: '',
    },
  ]),
  ...mutantsOf('features/device/device-page.ts', APPROVAL, [
    {
      breaks: 'a device of a client that waits for approval is allowed by its owner alone',
      from: 'refuseUnapproved(client, userId);',
      to: '',
    },
  ]),
  ...mutantsOf('core/clients/registry/update-client.ts', REAPPROVAL, [
    {
      breaks: 'what was approved is what its owner had made of it',
      from: "if (by === 'owner') return reviewAfterChange(before, metadata, { by: 'others', approval, fields, now });",
      to: "if (by === 'owner') return {};",
    },
  ]),
  ...mutantsOf(
    'core/clients/client-checks.ts',
    ['pages/publisher.test.ts'],
    [
      {
        breaks: 'only a client that the site has verified has a publisher',
        from: "if (verified !== true)\n    return problem('publisher', 'Only a verified client has a publisher: set verified as well.');",
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/client-checks.ts',
    ['pages/application-about.test.ts'],
    [
      {
        breaks: 'a page of one’s own host needs no new verification, and one elsewhere does',
        from: 'return redirectUris.some((uri) => URL.canParse(uri) && new URL(uri).host === host);',
        to: 'return redirectUris.length > 0 && host !== undefined;',
      },
    ],
  ),
  ...mutantsOf('features/registration/registration.ts', REAPPROVAL, [
    {
      breaks: 'what was approved is what a client had said of itself (RFC 7592 §2.2)',
      from: "...reviewAfterChange(current, replaced, { by: 'others', approval, fields, now }),",
      to: '',
    },
  ]),
  ...mutantsOf('core/clients/client-review.ts', REAPPROVAL, [
    {
      breaks: 'a verification ends with what it was about',
      from: '...(isVerified && { verified: false, publisher: undefined }),',
      to: '',
    },
    {
      breaks: 'who publishes a client ends with its verification',
      from: '{ verified: false, publisher: undefined }',
      to: '{ verified: false }',
      seenBy: ['pages/publisher.test.ts'],
    },
    {
      breaks: 'an approval that is stored in the middle of a change is not of what comes after it',
      from: '...(approval && { awaitsApprovalSince: before.awaitsApprovalSince ?? now }),',
      to: '...(approval && !before.awaitsApprovalSince && { awaitsApprovalSince: now }),',
    },
    {
      breaks: 'what the host has changed is no longer what was approved before',
      from: "if (by === 'host') return isChangedByOthers(before, after) ? reviewOf(after, fields) : {};",
      to: "if (by === 'host') return {};",
    },
    {
      breaks: 'a field that only loses something is not the one that only gets more',
      from: 'value.every((entry) => other.includes(entry))',
      to: 'other.every((entry) => value.includes(entry))',
      seenBy: [...REAPPROVAL, 'clients/client-review.test.ts'],
    },
  ]),
  ...mutantsOf(
    'features/client-id-metadata-documents/document-client-source.ts',
    ['clients/reapproval.test.ts'],
    [
      {
        breaks: 'a document says another thing than an administrator has verified',
        from: '{ ...changes, ...review, document },',
        to: '{ ...changes, document },',
      },
    ],
  ),
];
