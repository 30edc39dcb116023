import { personalCsrfTokenOf } from '../../core/http/csrf.js';
import type { RequestContext } from '../../core/http/handle.js';
import { mayRegister } from '../../pages/connected-apps/list-page.js';
import { consumeFlash, describeDone, type DoneTexts } from '../../pages/flash-message.js';
import { accountNavigation } from '../../pages/navigation.js';
import { describeInvitations } from '../../pages/owners/describe-owners.js';
import { userIdOf, userNameOf } from '../../pages/person.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import { describeToken } from './describe-token.js';
import { listFresh } from './registry.js';
import { toTokenInfo } from './token-info.js';
import { pathOfNew, pathOfToken, type TokensContext } from './tokens-context.js';

const NOTES: DoneTexts = {
  revoked: { named: 'tokens.revoked' },
  revoked_all: { unnamed: 'tokens.revokedAll' },
  left: { named: 'tokens.left' },
  declined: { unnamed: 'owners.nowDeclined' },
  invitationgone: { unnamed: 'owners.gone' },
  ownersfull: { unnamed: 'tokens.tooManyOwners' },
  toomanytokens: { unnamed: 'tokens.tooManyToAccept' },
};

/** The tokens of the user, and the service tokens and applications of their teams. */
export async function showTokens(context: TokensContext, { req, res, now }: RequestContext): Promise<void> {
  const { settings, options, renderPage, root } = context;
  const userId = userIdOf(settings, req);
  const done = consumeFlash(req, { path: root, userId }, now);
  const [personal, service, isDeveloper] = await Promise.all([
    listFresh(context, { userId }),
    listFresh(context, { ownerId: userId }),
    mayRegister(context, req, res),
  ]);
  // code can make service tokens although the page does not
  const hasService = options.serviceTokens || service.length > 0;
  const apps = hasService ? await findApps(context, userId) : [];
  const invitations = await describeInvitationsTo(context, userId, now);
  await renderPage(req, res, {
    view: 'access-tokens',
    locals: (translator) => {
      const describe = (grant: (typeof personal)[number]) =>
        describeToken(toTokenInfo(grant), {
          settings,
          href: pathOfToken(context, grant.grantId),
          translator,
        });
      return {
        title: translator.text('tokens.title'),
        nav: accountNavigation(isDeveloper, 'access-tokens', settings, translator),
        csrfToken: personalCsrfTokenOf(req, userId),
        note: describeDone(done, NOTES, translator),
        tokens: personal.map(describe),
        service: service.map(describe),
        apps,
        invitations: invitations(translator),
        hasService,
        canMakeService: options.serviceTokens,
        paths: {
          new: pathOfNew(context, 'personal'),
          newService: pathOfNew(context, 'service'),
          revokeAll: `${root}/revoke-all`,
        },
        userName: userNameOf(settings, req),
      };
    },
  });
}

/** The service tokens that the user is asked to look after. */
async function describeInvitationsTo(context: TokensContext, userId: string, now: Date) {
  const { settings, owners } = context;
  const invited = settings.applications.findUser === undefined ? [] : await owners.listInvited(userId, now);
  return describeInvitations(
    settings,
    invited.map(({ grant, invitation }) => ({
      name: grant.namedToken?.name ?? '',
      href: `${pathOfToken(context, grant.grantId)}/invitation`,
      invitation,
    })),
  );
}

/** The applications of the user that act for themselves: they do what a service token does, by OAuth. */
async function findApps({ clients, settings }: TokensContext, userId: string) {
  const owned = await clients.listOfOwner(userId);
  return owned
    .filter(({ grantTypes }) => grantTypes.includes('client_credentials'))
    .map(({ clientId, name }) => ({
      name,
      href: `${pathOf(settings, 'applications')}/${encodeURIComponent(clientId)}`,
    }));
}
