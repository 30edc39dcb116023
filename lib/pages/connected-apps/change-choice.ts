import type { Offer } from '../../core/authorization-details/offers.js';
import { findWrongPicks, type Picks, readPicks } from '../../core/authorization-details/picks.js';
import { rebindGrants } from '../../core/grants/change-choices.js';
import type { UserAuthorization } from '../../core/grants/connected-apps.js';
import type { ReboundChoice } from '../../core/grants/grant-store.js';
import { verifyCsrfToken } from '../../core/http/csrf.js';
import { textField } from '../../core/http/form-fields.js';
import type { Asked } from '../../core/http/handle.js';
import { emitFor } from '../../core/observability/events.js';
import { after } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import { answerDone } from '../flash-message.js';
import { userIdOf } from '../person.js';
import { answerRefused } from '../refused-forms.js';
import { findChangeable } from './app-choices.js';
import { type AppContext, findApp, renderApp } from './app-page.js';
import { pathOfApp } from './context.js';

/** Picks something else for what the app may work with. */
export async function rebind(context: AppContext, asked: Asked, clientId: string): Promise<void> {
  const { settings, models, events } = context;
  const { req, now } = asked;
  const userId = userIdOf(settings, req);
  // RFC 6749 §10.12
  verifyCsrfToken(req, userId);
  const connection = await findApp(context, { userId, clientId, now });
  const offers = req.user ? await findChangeable(connection, { user: req.user, userId, now }, settings) : [];
  const offer = offers.find(({ name }) => name === textField(req.body, 'choice'));
  if (offer === undefined)
    throw new OAuthError('invalid_request', 'the form names nothing that can be changed here');
  const picks = readPicks(req.body, [offer]);
  const address = { path: pathOfApp(context, clientId), userId };
  if (findWrongPicks([offer], picks).length > 0) {
    const refused = {
      problem: 'wrongPick',
      pick: { choice: offer.name, picked: picks[offer.key] ?? [] },
    } as const;
    return answerRefused(asked, { ...address, kept: refused }, () =>
      renderApp(context, asked, { connection, refused }),
    );
  }
  const rebound = reboundBy(offer, picks, connection, now);
  if (rebound !== undefined)
    await rebindGrants(models, { userId, clientId, now }, { rebound, emit: emitFor(events, req) });
  const done = rebound === undefined ? 'kept' : 'rebound';
  answerDone(asked, address, { done, clientName: connection.name });
}

/** Undefined if it is what was picked before. */
function reboundBy(
  { key, name, choice }: Offer,
  picks: Picks,
  { bound: { choices = {} } }: UserAuthorization,
  now: Date,
): ReboundChoice | undefined {
  const picked = picks[key] ?? [];
  const [first = ''] = picked;
  const before = [choices[name] ?? []].flat().map(String);
  if (picked.length === before.length && picked.every((value) => before.includes(value))) return undefined;
  if (choice.multiple) return { name, value: picked, isMost: false };
  if (choice.list !== undefined) return { name, value: first, isMost: false };
  const value = Number(first);
  return { name, value, isMost: true, ...(choice.lifetime && { endsAt: after(now, value) }) };
}
