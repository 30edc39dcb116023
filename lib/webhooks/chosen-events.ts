import type { EventName } from '../observability/events.js';
import { findNear, mistake } from '../settings/parse-options.js';
import type { WebhookSettings } from '../settings/webhook-options.js';

/** Every event that can be sent. The failure of a webhook is not one: its receiver would be told of it for ever. */
const NAMES: Readonly<Record<Exclude<EventName, 'webhook.failed'>, true>> = {
  'token.issued': true,
  'token.refused': true,
  'authorization.refused': true,
  'token.revoked': true,
  'request.pushed': true,
  'code.issued': true,
  'code.replayed': true,
  'device_code.issued': true,
  'user_code.failed': true,
  'refresh.rotated': true,
  'refresh.reused': true,
  'consent.given': true,
  'consent.denied': true,
  'grant.revoked': true,
  'grant.narrowed': true,
  'grant.rebound': true,
  'client.reported': true,
  'client.created': true,
  'registration.nearly_full': true,
  'client.updated': true,
  'client.deleted': true,
  'client.secret_rotated': true,
  'client.blocked': true,
  'client.unblocked': true,
  'client.approved': true,
  'client.owner_invited': true,
  'client.invitation_ended': true,
  'client.owner_added': true,
  'client.owner_removed': true,
  'client.transferred': true,
  'client.authentication_failed': true,
  'login.succeeded': true,
  'login.failed': true,
  'rate.limited': true,
};
const names = Object.keys(NAMES);

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
    events.flatMap((wanted) => {
      const found = wanted === '*' ? names : names.filter((event) => fits(event, wanted));
      if (found.length > 0) return found;
      const near = findNear(wanted, names);
      throw mistake(
        'authorizationServer',
        'webhooks',
        `there is no event '${wanted}', which ${name} asks for; ${near === undefined ? `there are ${names.join(', ')}` : `did you mean '${near}'?`}`,
      );
    }),
  );
}

function fits(event: string, wanted: string): boolean {
  return wanted.endsWith('.*') ? event.startsWith(wanted.slice(0, -1)) : event === wanted;
}
