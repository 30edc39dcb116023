import { withParameters } from '../../core/authorization/response-modes/query.js';
import type { Client } from '../../core/clients/client.js';
import { findDisplayedUri } from '../../core/clients/page-uri.js';
import type { RequestContext } from '../../core/http/handle.js';
import type { SignIn } from '../../core/openid/session-store.js';
import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { redirectWithFlash } from '../flash-message.js';
import { userIdOf } from '../person.js';
import type { Translator } from '../rendering/translator.js';
import type { AuthorizationsContext } from './context.js';
import { homeOf } from './describe-app.js';

/** Whose, at which client. */
interface SignInsAt {
  readonly userId: string;
  readonly clientId: string;
  readonly now: Date;
}

/** The sign-ins of a user at an app that hears of their end, the newest first. */
export async function findSignIns(
  { endSignIns, models }: AuthorizationsContext,
  { userId, clientId, now }: SignInsAt,
): Promise<readonly SignIn[]> {
  if (endSignIns === undefined) return [];
  const found = await models.signIns.find({ userId, clientId });
  // the database removes expired ones a minute late
  const present = found.filter(({ expiresAt }) => expiresAt > now);
  return present.sort((one, other) => other.at.getTime() - one.at.getTime());
}

export function describeSignIns(
  signIns: readonly SignIn[],
  client: Client | undefined,
  translator: Translator,
) {
  return {
    signIns: signIns.map(({ at }) => translator.moment(at)),
    // a client's page in a frame is only for the logout, when nothing else is to be done
    canSignOut: client?.backchannelLogoutUri !== undefined,
  };
}

/** Where a user signs in to an app with this site, as the app says itself. @see OpenID Connect Core §4 */
export function findLoginAt(
  client: Client | undefined,
  { issuer, openid }: Pick<Settings, 'issuer' | 'openid'>,
): string | undefined {
  if (openid === false || client?.blocked !== undefined) return undefined;
  const uri = findDisplayedUri(client?.initiateLoginUri, client && homeOf(client), client?.verified === true);
  // no login_hint: it is about whoever is logged in here by then
  return uri === undefined ? undefined : withParameters(uri, { iss: issuer });
}

/** Signs the user out at one app: it is told, and what came with the sign-in ends. */
export async function signOutThere(
  { settings, models, endSignIns, root }: AuthorizationsContext,
  requestContext: RequestContext,
  clientId: string,
): Promise<void> {
  const { req, now } = requestContext;
  const client = await models.clients.find(clientId);
  if (endSignIns === undefined || client === null)
    throw new OAuthError('invalid_request', 'no such application is connected', { status: 404 });
  const userId = userIdOf(settings, req);
  await endSignIns({ userId, clientId }, now);
  // nothing may be left of it, and then its page is gone
  redirectWithFlash(requestContext, { path: root, userId }, { done: 'signed_out', clientName: client.name });
}
