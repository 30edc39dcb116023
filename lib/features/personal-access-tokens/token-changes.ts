import { offeredField, textField } from '../../core/http/form-fields.js';
import { accountPath, type Visit } from '../../pages/account-pages.js';
import { scopesGrantedTo } from '../../pages/connected-apps/describe-authorization.js';
import { answerRefused, redirectWithFlash } from '../../pages/form-answers.js';
import { toOAuthError } from '../../shared/errors.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { isSubset } from '../../shared/protocol/scope.js';
import { DEFAULT_OVERLAP } from './options.js';
import { toTokenInfo } from './token-info.js';
import { findOwn, renderToken, type TokensContext } from './token-page.js';

/** Tokens ended in one round, and rounds: tokens that are made all the time must not keep the page busy. */
const AT_ONCE = 100;
const MAX_ROUNDS = 50;

/** Removes the unticked scopes. */
export async function narrowToken(context: TokensContext, visit: Visit): Promise<void> {
  const { settings, service } = context;
  const body: unknown = visit.req.body;
  const { grant, of } = await findOwn(context, visit);
  const path = accountPath(context, visit.id);
  const granted = scopesGrantedTo(grant.authorization.scopes, settings);
  const ticked = offeredField(body, 'scope', granted);
  // scopes that the page did not display stay
  const unticked = offeredField(body, 'shown_scope', granted).filter((scope) => !ticked.includes(scope));
  const left = granted.filter((scope) => !unticked.includes(scope));
  if (left.length === 0)
    return answerRefused(visit, { path, value: 'nothingLeft' }, () =>
      renderToken(context, visit, { token: toTokenInfo(grant), isNothingLeft: true }),
    );
  // a scope that another one implies stays granted
  const isLess = !isSubset(granted, withImplied(left, settings.impliedScopes));
  if (isLess) await service.narrow(visit.id, of, { scopes: left, ...context.actOf(visit) });
  const done = isLess ? 'narrowed' : 'unchanged';
  redirectWithFlash(visit, path, { done, clientName: grant.namedToken?.name ?? '' });
}

/** The POST renders the new value. A reload sends the form again, which makes no other value. */
export async function rotate(context: TokensContext, visit: Visit): Promise<void> {
  const { service } = context;
  const { grant, of } = await findOwn(context, visit);
  const path = accountPath(context, visit.id);
  const rotations = grant.namedToken?.rotations ?? 0;
  if (textField(visit.req.body, 'rotations') !== String(rotations))
    return redirectWithFlash(visit, path, { done: 'rotated_meanwhile' });
  try {
    const step = { rotations, overlap: DEFAULT_OVERLAP, ...context.actOf(visit) };
    const token = await service.rotate(visit.id, of, step);
    await renderToken(context, visit, { token, rotations: rotations + 1, value: token.token });
  } catch (failure) {
    if (toOAuthError(failure).status !== 409) throw failure;
    redirectWithFlash(visit, path, { done: 'rotated_meanwhile' });
  }
}

export async function revokeToken(context: TokensContext, visit: Visit): Promise<void> {
  const { grant, of } = await findOwn(context, visit);
  await context.service.revoke(visit.id, of, { reason: 'user', ...context.actOf(visit) });
  redirectWithFlash(visit, context.root, { done: 'revoked', clientName: grant.namedToken?.name ?? '' });
}

/** Ends the tokens that act for the user, not the service tokens, which may have other owners. */
export async function revokeAllTokens(context: TokensContext, visit: Visit): Promise<void> {
  const { service, models, root } = context;
  const { userId, now } = visit;
  const step = { reason: 'user', ...context.actOf(visit) };
  // repeats until none is left: tokens that were made meanwhile end as well, and older limits allowed more
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const live = await models.grants.listNamedTokens({ userId }, now, AT_ONCE);
    if (live.length === 0) break;
    await Promise.all(live.map(({ grantId }) => service.revoke(grantId, { userId }, step)));
  }
  redirectWithFlash(visit, root, { done: 'revoked_all' });
}
