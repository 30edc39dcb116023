import { type Mutant, mutantsOf } from './mutant.js';

const PAGES = ['pages/application-owners.test.ts'];
const RULES = ['clients/owners.test.ts', ...PAGES];

/** Who owns an application, who becomes an owner, and who does not. */
export const OWNERS: readonly Mutant[] = [
  ...mutantsOf('core/clients/registry/invitations.ts', RULES, [
    {
      breaks: 'the last owner stays: without one a client would count as the site’s own',
      from: "if (owners.length === 1) throw new OwnershipError('last-owner');",
      to: '',
    },
    {
      breaks: 'an invitation is for whom it was made, and for nobody else',
      from: 'return invitation.userId === userId && isNews &&',
      to: 'return isNews &&',
    },
    {
      breaks: 'an invitation is accepted by its own id: one that was taken back is none',
      from: 'each.id === id && isFor(each,',
      to: 'isFor(each,',
    },
    {
      breaks: 'an invitation ends after its time, and with the rights of whoever made it',
      from: 'isNews && isOpen(invitation, shared, now)',
      to: 'isNews',
    },
    {
      breaks: 'who was removed a moment ago changes nothing',
      from: 'if (!isOwner(shared, userId) || shared.trusted || shared.blocked !== undefined)',
      to: 'if (shared.trusted || shared.blocked !== undefined)',
    },
    {
      breaks: 'what is blocked stays as the site has seen it',
      from: 'by.userId !== userId || before.blocked !== undefined',
      to: 'by.userId !== userId',
    },
    {
      breaks: 'an administrator hands over nothing that is not theirs',
      from: "if (isTransfer && !isOwner(before, by.userId)) throw new OwnershipError('not-allowed');",
      to: '',
    },
    {
      breaks: 'five are asked at a time',
      from: 'if (invitations.length >= MAX_INVITATIONS)',
      to: 'if (invitations.length > MAX_INVITATIONS)',
    },
  ]),
  ...mutantsOf('core/clients/registry/owners.ts', RULES, [
    {
      breaks: 'what was approved and verified were the people of before',
      from: "...reviewAfterChange(before, { ...before, ...owned }, { by: 'others', now, ...rules }),",
      to: '',
    },
  ]),
  ...mutantsOf('core/clients/client-owners.ts', RULES, [
    {
      breaks: 'an invitation of somebody who owns it no more brings in nobody',
      from: 'byHost === true || (isOwner(client, invitedBy) && !client.trusted)',
      to: 'true',
    },
    {
      breaks: 'an invitation ends after seven days',
      from: 'if (expiresAt <= now || client.blocked !== undefined)',
      to: 'if (client.blocked !== undefined)',
    },
    {
      breaks: 'nobody joins what the site has blocked',
      from: 'if (expiresAt <= now || client.blocked !== undefined)',
      to: 'if (expiresAt <= now)',
    },
  ]),
  ...mutantsOf('pages/applications/application-ownership.ts', PAGES, [
    {
      breaks: 'who may not change an application gives it to nobody',
      from: 'if (!rightsOver(client, viewerOf(req)).canEdit) throw notFound();',
      to: '',
      lives: 'the change itself asks again, of the client as it is at that moment',
    },
    {
      breaks: 'invitations are counted, of whomever',
      from: 'await countInvitation(req);',
      to: '',
    },
  ]),
];
