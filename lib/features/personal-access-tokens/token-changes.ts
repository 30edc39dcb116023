import { offeredField, textField } from '../../core/http/form-fields.js';
import type { RequestContext } from '../../core/http/handle.js';
import { scopesGrantedTo } from '../../pages/connected-apps/app-scopes.js';
import { redirectWithFlash } from '../../pages/flash-message.js';
import { userIdOf } from '../../pages/person.js';
import { answerRefused } from '../../pages/refused-forms.js';
import { toOAuthError } from '../../shared/errors.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { isSubset } from '../../shared/protocol/scope.js';
import { toTokenInfo } from './token-info.js';
import { findOwn, renderToken } from './token-page.js';
import { pathOfToken, stepOf, type TokensContext } from './tokens-context.js';

/** Tokens that are ended together, and how often: whoever makes tokens all the time does not keep the page busy. */
const AT_ONCE = 100;
const MAX_ROUNDS = 50;

/** Takes back what was unticked. */
export async function narrowToken(
  context: TokensContext,
  requestContext: RequestContext,
  id: string,
): Promise<void> {
  const { settings, service } = context;
  const { req, now } = requestContext;
  const { grant, of } = await findOwn(context, requestContext, id);
  const address = { path: pathOfToken(context, id), userId: userIdOf(settings, req) };
  const granted = scopesGrantedTo(grant.authorization.scopes, settings);
  const ticked = offeredField(req.body, 'scope', granted);
  // what the page did not show stays
  const unticked = offeredField(req.body, 'shown_scope', granted).filter((scope) => !ticked.includes(scope));
  const left = granted.filter((scope) => !unticked.includes(scope));
  if (left.length === 0)
    return answerRefused(requestContext, { ...address, stored: 'nothingLeft' }, () =>
      renderToken(context, requestContext, { token: toTokenInfo(grant), isNothingLeft: true }),
    );
  // a scope that another one includes comes back with it
  const isLess = !isSubset(granted, withImplied(left, settings.impliedScopes));
  if (isLess) await service.narrow(id, of, { scopes: left, ...stepOf(context, req, now) });
  redirectWithFlash(requestContext, address, {
    done: isLess ? 'narrowed' : 'unchanged',
    clientName: grant.namedToken?.name ?? '',
  });
}

/** Answered by the POST, because the value is in it: a reload sends the form again, which makes no other value. */
export async function rotate(
  context: TokensContext,
  requestContext: RequestContext,
  id: string,
): Promise<void> {
  const { settings, service, options } = context;
  const { req, now } = requestContext;
  const { grant, of } = await findOwn(context, requestContext, id);
  const isMeanwhile = () =>
    redirectWithFlash(
      requestContext,
      { path: pathOfToken(context, id), userId: userIdOf(settings, req) },
      { done: 'rotated_meanwhile' },
    );
  const rotations = grant.namedToken?.rotations ?? 0;
  if (textField(req.body, 'rotations') !== String(rotations)) return isMeanwhile();
  try {
    const step = { rotations, overlap: options.rotationOverlap, ...stepOf(context, req, now) };
    const rotated = await service.rotate(id, of, step);
    await renderToken(context, requestContext, {
      token: rotated,
      rotations: rotations + 1,
      value: rotated.token,
    });
  } catch (failure) {
    if (toOAuthError(failure).status !== 409) throw failure;
    isMeanwhile();
  }
}

export async function revokeToken(
  context: TokensContext,
  requestContext: RequestContext,
  id: string,
): Promise<void> {
  const { settings, service, root } = context;
  const { req, now } = requestContext;
  const { grant, of } = await findOwn(context, requestContext, id);
  await service.revoke(id, of, { reason: 'user', ...stepOf(context, req, now) });
  redirectWithFlash(
    requestContext,
    { path: root, userId: userIdOf(settings, req) },
    { done: 'revoked', clientName: grant.namedToken?.name ?? '' },
  );
}

/** Ends the tokens that act for the user; those of a team are not theirs alone. */
export async function revokeAll(context: TokensContext, requestContext: RequestContext): Promise<void> {
  const { settings, service, models, root } = context;
  const { req, now } = requestContext;
  const userId = userIdOf(settings, req);
  const step = { reason: 'user', ...stepOf(context, req, now) };
  // until none is left: what was made meanwhile ends as well, and there may be more than can be made now
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const live = await models.grants.listNamedTokens({ userId }, now, AT_ONCE);
    if (live.length === 0) break;
    await Promise.all(live.map(({ grantId }) => service.revoke(grantId, { userId }, step)));
  }
  redirectWithFlash(requestContext, { path: root, userId }, { done: 'revoked_all' });
}
