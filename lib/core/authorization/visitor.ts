import type { Request } from 'express';

import type { Settings } from '../../settings/settings.js';
import type { RequestContext } from '../http/handle.js';
import { resourceOwnerOf } from '../sessions/resource-owner.js';
import type { ResolvedRequest } from './authorization-request.js';
import type { InteractionContext } from './interaction.js';
import type { LoginPolicy } from './login-policy.js';
import type { FindConsent } from './prior-consent.js';

/** Finds the visitor of a request, right or wrong, as far as its response may depend on who that is. */
export type FindVisitor = ReturnType<typeof createFindVisitor>;

/**
 * The user who is logged in, and nobody if the client must not learn of this person. A silent request gets its
 * response without a click, from any page that can open a window. If its error depended on the visitor, a client that
 * nobody has allowed anything could learn who the visitor is, and when and how the visitor logged in. Such a client
 * gets the same response for everybody.
 *
 * @see OpenID Connect Core §3.1.2.6 (the error of a silent request MAY be any of them), §17
 */
export function createFindVisitor(
  settings: Pick<Settings, 'people'>,
  findConsent: FindConsent,
  loginPolicy: LoginPolicy,
) {
  return async (
    context: RequestContext,
    request: ResolvedRequest,
  ): Promise<Pick<InteractionContext, 'userId' | 'isUserHidden'>> => {
    const userId = loggedInUserId(settings, context.req);
    if (userId === undefined || !request.isSilent) return { userId };
    if (request.kind === 'refused') return { userId: undefined, isUserHidden: true };
    const visit = { ...context, request, userId };
    const isTrusted = request.client.trusted === true || loginPolicy.hasIdTokenHintFor?.(visit) === true;
    const consent = isTrusted ? undefined : await findConsent(visit);
    const isAllowed = consent !== undefined && (consent.endsAt === undefined || consent.endsAt > context.now);
    return isTrusted || isAllowed ? { userId } : { userId: undefined, isUserHidden: true };
  };
}

export function loggedInUserId(settings: Pick<Settings, 'people'>, req: Request): string | undefined {
  const person = resourceOwnerOf(settings, req);
  return person && settings.people.id(person);
}
