import type { SelectableChoice } from '../../core/authorization-details/selectable-choices.js';
import {
  findInvalidSelections,
  readSelections,
  type Selections,
} from '../../core/authorization-details/selections.js';
import { changeChoicesOfGrants } from '../../core/grants/change-choices.js';
import type { UserAuthorization } from '../../core/grants/connected-apps.js';
import type { ChangedChoice } from '../../core/grants/grant-store.js';
import { textField } from '../../core/http/form-fields.js';
import type { RequestContext } from '../../core/http/handle.js';
import { emitFor } from '../../core/observability/events.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import { redirectWithFlash } from '../flash-message.js';
import { userIdOf } from '../person.js';
import { answerRefused } from '../refused-forms.js';
import { findChangeable } from './app-choices.js';
import { type AppContext, findApp, renderApp } from './app-page.js';
import { pathOfApp } from './context.js';

/** Picks something else for what the app may work with. */
export async function rebind(
  context: AppContext,
  requestContext: RequestContext,
  clientId: string,
): Promise<void> {
  const { settings, models, events } = context;
  const { req, now } = requestContext;
  const userId = userIdOf(settings, req);
  const connection = await findApp(context, { userId, clientId, now });
  const offers = req.user ? await findChangeable(connection, { user: req.user, userId, now }, settings) : [];
  const offer = offers.find(({ name }) => name === textField(req.body, 'choice'));
  if (offer === undefined)
    throw new OAuthError('invalid_request', 'the form names nothing that can be changed here');
  const picks = readSelections(req.body, [offer]);
  const address = { path: pathOfApp(context, clientId), userId };
  if (findInvalidSelections([offer], picks).length > 0) {
    const refused = {
      problem: 'wrongPick',
      pick: { choice: offer.name, picked: picks[offer.key] ?? [] },
    } as const;
    return answerRefused(requestContext, { ...address, stored: refused }, () =>
      renderApp(context, requestContext, { connection, refused }),
    );
  }
  const rebound = reboundBy(offer, picks, connection, now);
  if (rebound !== undefined)
    await changeChoicesOfGrants(models, { userId, clientId, now }, { rebound, emit: emitFor(events, req) });
  const done = rebound === undefined ? 'kept' : 'rebound';
  redirectWithFlash(requestContext, address, { done, clientName: connection.name });
}

/** Undefined if it is what was picked before. */
function reboundBy(
  { key, name, choice }: SelectableChoice,
  picks: Selections,
  { bound: { choices = {} } }: UserAuthorization,
  now: Date,
): ChangedChoice | undefined {
  const selected = picks[key] ?? [];
  const [first = ''] = selected;
  const before = [choices[name] ?? []].flat().map(String);
  if (selected.length === before.length && selected.every((value) => before.includes(value)))
    return undefined;
  if (choice.multiple) return { name, value: selected, isMax: false };
  if (choice.list !== undefined) return { name, value: first, isMax: false };
  const value = Number(first);
  return { name, value, isMax: true, ...(choice.lifetime && { endsAt: addSeconds(now, value) }) };
}
