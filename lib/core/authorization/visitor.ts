import type { Request } from 'express';

import type { Settings } from '../../settings/settings.js';
import { resourceOwnerOf } from '../sessions/resource-owner.js';
import { type AuthorizationRequest, isRefused, type RefusedRequest } from './authorization-request.js';
import type { AuthenticatedContext, InteractionContext } from './interaction.js';
import type { Logins } from './logins.js';
import type { FindConsent } from './prior-consent.js';

/** Who is in front of a request, as far as its answer may depend on it. */
export type Visitor = Pick<InteractionContext, 'userId' | 'isHidden'>;

/** Finds the visitor of a request, right or wrong. */
export type FindVisitor = (
  context: Pick<InteractionContext, 'req' | 'res' | 'now'>,
  request: AuthorizationRequest | RefusedRequest,
) => Promise<Visitor>;

interface VisitorDependencies {
  readonly settings: Pick<Settings, 'isLoggedIn' | 'userId'>;
  readonly findConsent: FindConsent;
  readonly logins: Pick<Logins, 'isHinted'>;
}

/**
 * The person who is logged in, and nobody if the client must not learn of this person. A silent request is answered
 * without a click, from any page that can open a window. So an error that depends on the visitor would tell a client
 * that nobody has allowed anything who the visitor is, and when and how the visitor logged in. Such a client gets one
 * and the same answer for everybody.
 *
 * @see OpenID Connect Core §3.1.2.6 (the error of a silent request MAY be any of them), §17
 */
export function createFindVisitor({ settings, findConsent, logins }: VisitorDependencies): FindVisitor {
  return async (context, request) => {
    const userId = userIdOf(settings, context.req);
    if (userId === undefined || !request.isSilent) return { userId };
    const isKnown = !isRefused(request) && (await isKnownTo({ ...context, request, userId }));
    return isKnown ? { userId } : { userId: undefined, isHidden: true };
  };

  /** Whether the client may learn that this person is logged in. */
  async function isKnownTo(context: AuthenticatedContext): Promise<boolean> {
    if (context.request.client.trusted || logins.isHinted?.(context) === true) return true;
    const consent = await findConsent(context);
    return consent !== undefined && !(consent.endsAt !== undefined && consent.endsAt <= context.now);
  }
}

function userIdOf(settings: VisitorDependencies['settings'], req: Request): string | undefined {
  const person = resourceOwnerOf(settings, req);
  return person && settings.userId(person);
}
