import { toConsent } from '../../shared/protocol/resource.js';
import { isScopeToken } from '../../shared/protocol/scope.js';
import type { Stores } from '../../storage/stores.js';
import { LeftOut, outcomeOf } from './left-out.js';
import type { MigratedClients } from './migrated-clients.js';
import type { MigrationReport } from './report.js';
import { someAtOnce } from './some-at-once.js';
import type { OldConsent, Source } from './source.js';
import { idOfThing } from './take-clients.js';
import { textOf, textValuesOf } from './values.js';

export interface TakeConsents {
  readonly source: Source;
  readonly models: Stores;
  readonly report: MigrationReport;
  readonly dryRun: boolean;
  readonly directory: MigratedClients;
  readonly now: Date;
  /** Finds the ids of the users whom the site does not know. */
  readonly unknownUsers: (userIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

interface GoodConsent {
  readonly clientId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
}

/** Takes over the consents that the old server has kept. One that was withdrawn here does not come back. */
export async function takeConsents(all: readonly OldConsent[], context: TakeConsents): Promise<void> {
  const { report, directory, unknownUsers } = context;
  const decided = await Promise.all(
    all.map(async (old) => ({ old, outcome: await outcomeOf(() => decideConsent(old, directory)) })),
  );
  const unknown = await unknownUsers(
    decided.flatMap(({ outcome }) => ('value' in outcome ? [outcome.value.userId] : [])),
  );
  await someAtOnce(decided, async ({ old, outcome }) => {
    report.found('consents');
    const remark = { kind: 'consents', name: `${old.name} of ${textOf(old.client) ?? 'no client'}` } as const;
    if ('problem' in outcome) report.leftOut({ ...remark, ...outcome.problem });
    else if (unknown.has(outcome.value.userId)) report.leftOut({ ...remark, reason: UNKNOWN_USER });
    else await takeConsent(outcome.value, context);
  });
}

export const UNKNOWN_USER = 'the site has no such user';

async function takeConsent(
  { userId, clientId, scopes }: GoodConsent,
  { source, models, report, dryRun, now }: TakeConsents,
): Promise<void> {
  const id = idOfThing(source, ['consent', userId, clientId, ...[...scopes].sort()]);
  if ((await models.migrated.findAll([id])).length > 0) return report.already('consents');
  if (!dryRun) {
    await models.consents.remember(userId, clientId, { requested: scopes, allowed: scopes, now });
    await models.migrated.note([{ _id: id, kind: 'consent', takenAt: now }]);
  }
  report.taken('consents');
}

/** @throws LeftOut */
async function decideConsent(
  { client: name, user, scopes: given, resource, problem }: OldConsent,
  directory: MigratedClients,
): Promise<GoodConsent> {
  if (problem !== undefined) throw new LeftOut(problem, undefined, true);
  const { clientId } = await directory.find(name);
  const userId = textOf(user);
  if (userId === undefined) throw new LeftOut('its user is no id');
  const scopes = textValuesOf(given ?? []);
  if (scopes?.every(isScopeToken) !== true) throw new LeftOut('its scopes are none');
  const resources = resource === undefined ? [] : textValuesOf([resource]);
  if (resources?.every((each) => URL.canParse(each)) !== true) throw new LeftOut('what it is for is no URL');
  return { clientId, userId, scopes: toConsent([...new Set(scopes)], resources) };
}
