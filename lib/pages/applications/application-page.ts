import { credentialOf } from '../../core/clients/auth-method-info.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import { SECRET_OVERLAP } from '../../core/clients/secrets/client-secrets.js';
import type { FailureCounts } from '../../core/clients/status/client-failures.js';
import { FAILURE_MEANINGS } from '../../shared/failure-reasons.js';
import { accountPath, renderAccountPage, type Visit } from '../account-pages.js';
import type { Done } from '../form-answers.js';
import { describeOwners, type RefusedInvitation } from '../owner-pages.js';
import { findNames } from '../person.js';
import { type ApplicationsContext, isAdministrator, rightsOver } from './application-access.js';
import { describeFields, labelOf } from './application-fields.js';
import { authenticationOf, grantTypeChoices, scopeChoices } from './application-form.js';
import { isService } from './application-kinds.js';
import { describeNote } from './application-notes.js';
import { describeEndings, toOwnedApplication } from './application-owners.js';
import { describeCode } from './application-snippets.js';
import { describeUsage, type Usage } from './application-usage.js';

interface ApplicationPage {
  readonly client: ClientInfo;
  /** Absent if the page is about a new secret. */
  readonly usage?: Usage;
  /** The reasons of recent refusals; absent without `usage`, or if they are not counted. */
  readonly failures?: FailureCounts | undefined;
  /** Only in the response that makes the secret. */
  readonly clientSecret?: string | undefined;
  readonly status?: number;
  /** The result of the previous form. */
  readonly done?: Done | undefined;
  readonly refusedInvitation?: RefusedInvitation | undefined;
  readonly isOutOfDate?: boolean;
}

const ACTIONS = [
  'edit',
  'delete',
  'disconnect',
  'rotate-secret',
  'end-old-secret',
  'verify',
  'block',
  'unblock',
  'approve',
  'invite',
  'withdraw',
];

/** Renders the page of a client. */
export async function renderApplication(
  context: ApplicationsContext,
  visit: Visit,
  { client, usage, failures, clientSecret, status, done, refusedInvitation, isOutOfDate }: ApplicationPage,
): Promise<void> {
  const { settings, clients, grantTypes } = context;
  const { scopes, introspection, changedSinceReview = [] } = client;
  const isHost = isAdministrator(visit);
  const names = isHost
    ? await findNames(settings, [client.ownerId ?? []].flat(), settings.people.name)
    : undefined;
  const owned = toOwnedApplication(context, client, visit);
  const owners = await describeOwners(context, visit, owned, refusedInvitation);
  await renderAccountPage(context, visit, {
    view: 'application',
    isOutOfDate,
    isRefused: refusedInvitation !== undefined,
    status,
    hasScript: true,
    locals: (translator) => {
      const { text, day, moment } = translator;
      return {
        title: client.name,
        note: describeNote(done, translator, client),
        rights: rightsOver(context, client, visit),
        isAdministrator: isHost,
        ownerName: names?.get(client.ownerId ?? ''),
        owners: {
          ...owners(translator),
          meaning: text('owners.meaning'),
          personMeaning: text('owners.personMeaning'),
          showsIds: isHost,
          notes: describeEndings(client, settings, text),
        },
        paths: Object.fromEntries(
          ACTIONS.map((action) => [action, accountPath(context, client.clientId, `/${action}`)]),
        ),
        clientSecret,
        usage: usage && describeUsage(usage, client, visit.now, translator),
        // the most frequent first, each with advice
        failures:
          failures &&
          [...failures].map(([reason, count]) => ({
            reason,
            times: text('authorization.times', { count }),
            meaning: FAILURE_MEANINGS[reason],
          })),
        client,
        authentication: authenticationOf(client),
        credential: credentialOf(client, clients.limits.methods),
        keys: (client.jwks?.keys ?? []).map(({ kid, kty, alg }) => ({
          kid,
          kind: [kty, alg].filter((part) => typeof part === 'string').join(', '),
        })),
        created: moment(client.createdAt),
        blockedSince: client.blocked && moment(client.blocked.at),
        expectedUpdatedAt: client.updatedAt.toISOString(),
        secrets: client.secrets.map(({ createdAt, expiresAt, ending, lastUsedOn }) => ({
          created: moment(createdAt),
          expires: expiresAt && moment(expiresAt),
          ending,
          lastUsed: lastUsedOn && day(lastUsedOn),
          // a secret with an ending is new enough that its uses were recorded
          isUnused: lastUsedOn === undefined && ending !== undefined,
        })),
        ...describeFields(client, clients.fields, translator),
        secretOf: newestSecretOf(client),
        overlap: translator.span(SECRET_OVERLAP),
        scopes: scopeChoices(settings.scopes, scopes, translator),
        isService: isService(client.grantTypes),
        // a resource server needs no scopes
        asksForNothing: scopes.length === 0 && introspection !== true,
        // without `openid` there is no ID token (OpenID Connect Core §3.1.2.1)
        signInScope:
          settings.openid && settings.applications.scopes.includes('openid') ? 'openid' : undefined,
        grantTypes: grantTypeChoices(client.grantTypes, grantTypes, translator),
        ...describeCode(client, settings, translator),
        keepsRefreshTokens: isHost && client.refreshTokens === 'keep',
        // fields changed since the last review; a field without a label by its name
        changed: [
          ...new Set(
            (isHost ? changedSinceReview : []).map((name) =>
              labelOf(clients.fields.find((field) => field.name === name) ?? { name }, translator),
            ),
          ),
        ],
      };
    },
  });
}

/** The secret that a rotation replaces, identified by its time. */
export function newestSecretOf({ secrets }: ClientInfo): string {
  return secrets[0]?.createdAt.toISOString() ?? '';
}
