import type { Inspection } from '../../storage/index-inspection.js';
import { checkDeployment } from './deployment.js';
import type { ReportFinding } from './finding.js';

/** Milliseconds: a code lives for a minute, so half a minute is noticeable. */
const CLOCK_SERIOUS = 30_000;
const CLOCK_WARNING = 3_000;
/** MongoDB removes expired documents once a minute; after a long stop, that takes a while. */
const EXPIRY_SLACK = 3600_000;
const COUNT_LIMIT = 1000;
const USERS = 'oauth_users';
const WITHOUT_INDEX = {
  unique: 'Without it there can be two of what must be one, when two requests come at the same moment.',
  ttl: 'Without it MongoDB never removes what has expired: the collection grows for ever, and keeps who used what.',
  plain: 'Without it, whatever looks for these fields reads the whole collection.',
};

/** Reports problems of the site's database. */
export async function checkDatabase(report: ReportFinding, inspection: Inspection, databaseName: string) {
  const names = await inspection.collectionNames();
  const present = inspection.collections.filter(({ name }) => names.includes(name));
  if (present.length === 0)
    return report('serious', 'database.empty', {
      what: `the database '${databaseName}' has no collection of the authorization server`,
      why: "Either the site has never run on it, or this is another database than the site's.",
      cure: 'Name the database of the site in MONGODB_URI: mongodb://host:27017/name',
    });
  // the index of users is built before the first user is created, so that user names are unique
  const hasUsers = names.includes(USERS) && (await inspection.hasDocuments(USERS));
  const problems = await Promise.all(present.map((collection) => inspection.findIndexProblems(collection)));
  for (const { collection, key, kind, problem } of problems.flat()) {
    if (collection === USERS && !hasUsers) continue;
    const missing =
      collection === USERS
        ? 'It is built by the next `await users.create(…)`, with a database user who may create indexes.'
        : 'Run `await oauth.ready()` once with a user who may create indexes.';
    report(kind === 'plain' ? 'warning' : 'serious', `index.${kind}`, {
      what: `the index on ${Object.keys(key).join(', ')} of ${collection} is ${problem}`,
      why: WITHOUT_INDEX[kind],
      cure:
        problem === 'missing'
          ? missing
          : `Drop that index (db.${collection}.dropIndex(…)), then run \`await oauth.ready()\`.`,
    });
  }
  checkClock(report, await inspection.clockDifference());
  report((await inspection.isTtlMonitorOn()) === false && 'serious', 'ttl.off', {
    what: 'the TTL monitor of MongoDB is switched off (ttlMonitorEnabled)',
    why: 'Nothing that expires is ever removed.',
    cure: 'db.adminCommand({ setParameter: 1, ttlMonitorEnabled: true }), and take it out of the configuration.',
  });
  for (const collection of present) {
    const count = await inspection.countExpired(collection, new Date(Date.now() - EXPIRY_SLACK), COUNT_LIMIT);
    report(count > 0 && 'warning', 'ttl.behind', {
      what: `${count === COUNT_LIMIT ? `${COUNT_LIMIT} or more` : count} documents of ${collection.name} expired more than an hour ago and are still there`,
      why: 'They are refused all the same, but the collection grows and keeps who used what.',
      cure: 'Look whether the TTL index is there and the TTL monitor runs (db.serverStatus().metrics.ttl).',
    });
  }
  await checkDeployment(report, inspection);
}

/** Reports the clock of the database, with the milliseconds by which it is ahead. */
export function checkClock(report: ReportFinding, difference: number | null): void {
  if (difference === null)
    return report('note', 'clock.unknown', {
      what: 'the database does not tell its time',
      why: 'Clocks that are apart make tokens expire early or late.',
      cure: 'Compare the clocks by hand.',
    });
  const apart = Math.abs(difference);
  if (apart < CLOCK_WARNING) return;
  report(apart >= CLOCK_SERIOUS ? 'serious' : 'warning', 'clock.apart', {
    what: `the clock of the database is ${Math.round(apart / 1000)} seconds ${difference > 0 ? 'ahead of' : 'behind'} this machine's`,
    why: 'Codes live a minute by the clock of the process that made them: between machines whose clocks differ they expire at once or live too long.',
    cure: 'Run an NTP client (chrony, systemd-timesyncd) on every machine.',
  });
}
