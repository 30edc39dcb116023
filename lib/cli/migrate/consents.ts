import { toConsent } from '../../shared/protocol/resource.js';
import { isScopeToken } from '../../shared/protocol/scope.js';
import { LeftOut, orLeftOut } from './report.js';
import { type Migration, type OldConsent, someAtOnce } from './source.js';
import { idOfThing } from './take-clients.js';
import { textOf, textValuesOf } from './values.js';

export const UNKNOWN_USER = 'the site has no such user';

/** Takes over the consents of the old server. A consent that was withdrawn here stays withdrawn. */
export async function takeConsents(all: readonly OldConsent[], migration: Migration): Promise<void> {
  const { source, models, report, options, now } = migration;
  const decided = await Promise.all(
    all.map(async (old) => ({ old, consent: await orLeftOut(() => decideConsent(old, migration)) })),
  );
  const unknown = await migration.findUnknownUsers(
    decided.flatMap(({ consent }) => (consent instanceof LeftOut ? [] : consent.userId)),
  );
  await someAtOnce(decided, async ({ old, consent }) => {
    report.count('consents', 'found');
    const name = `${old.name} of ${textOf(old.client) ?? 'no client'}`;
    if (consent instanceof LeftOut) return report.leftOut('consents', name, consent);
    const { userId, clientId, scopes } = consent;
    if (unknown.has(userId)) return report.leftOut('consents', name, new LeftOut(UNKNOWN_USER));
    const id = idOfThing(source, ['consent', userId, clientId, ...[...scopes].sort()]);
    if ((await models.migrated.findAll([id])).length > 0) return report.count('consents', 'already');
    if (!options.dryRun) {
      await models.consents.remember(userId, clientId, { requested: scopes, allowed: scopes, now });
      await models.migrated.note([{ _id: id, kind: 'consent', takenAt: now }]);
    }
    report.count('consents', 'taken');
  });
}

/** @throws LeftOut */
async function decideConsent(
  { client: name, user, scopes: consentedScopes, resource, problem }: OldConsent,
  { clients }: Migration,
) {
  if (problem !== undefined) throw new LeftOut(problem, undefined, true);
  const { clientId } = await clients.find(name);
  const userId = textOf(user);
  if (userId === undefined) throw new LeftOut('its user is no id');
  const scopes = textValuesOf(consentedScopes ?? []);
  if (scopes?.every(isScopeToken) !== true) throw new LeftOut('its scopes are none');
  const resources = resource === undefined ? [] : textValuesOf([resource]);
  if (resources?.every((each) => URL.canParse(each)) !== true) throw new LeftOut('what it is for is no URL');
  return { clientId, userId, scopes: toConsent([...new Set(scopes)], resources) };
}
