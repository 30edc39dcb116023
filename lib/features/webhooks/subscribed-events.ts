import { EVENT_NAMES } from '../../core/observability/events.js';
import { serverOptionError, suggest } from '../../settings/table/parse-options.js';
import type { WebhookSettings } from './options.js';

/** Every event that can be sent. The failure of a webhook is not one: its receiver would be told of it for ever. */
const names = EVENT_NAMES.filter((name) => name !== 'webhook.failed');

/**
 * The names of the events that a receiver is sent.
 *
 * @throws TypeError if it asks for an event that does not exist: a misspelt name would be silent for ever
 */
export function chosenEvents({
  name,
  events,
}: Pick<WebhookSettings, 'name' | 'events'>): ReadonlySet<string> {
  return new Set(
    events.flatMap((desired) => {
      const found = desired === '*' ? names : names.filter((event) => fits(event, desired));
      if (found.length > 0) return found;
      throw serverOptionError(
        'webhooks',
        `there is no event '${desired}', which ${name} asks for; ${suggest(desired, names)}`,
      );
    }),
  );
}

function fits(event: string, desired: string): boolean {
  return desired.endsWith('.*') ? event.startsWith(desired.slice(0, -1)) : event === desired;
}
