import type { CheckedCollection, IndexProblem, Inspection } from '../../storage/index-inspection.js';
import { isAnotherIssuer } from '../../storage/other/issuers.js';
import { checkDeployment } from './deployment.js';
import { type Finding, finding } from './finding.js';

/** Milliseconds: a code lives for a minute, so a difference of half a minute is noticed. */
const CLOCK_SERIOUS = 30_000;
const CLOCK_WARNING = 3_000;
/** MongoDB removes expired documents once a minute, and after a long stop it has much to do. */
const EXPIRY_SLACK = 3600_000;
const COUNT_LIMIT = 1000;
const USERS = 'oauth_users';

/** What is wrong with the database of the deployment. */
export async function checkDatabase(
  inspection: Inspection,
  collections: readonly CheckedCollection[],
  databaseName: string,
): Promise<Finding[]> {
  const names = await inspection.collectionNames();
  const present = collections.filter(({ name }) => names.includes(name));
  if (present.length === 0) {
    return [
      finding('serious', 'database.empty', {
        what: `the database '${databaseName}' has no collection of the authorization server`,
        why: "Either the site has never run on it, or this is another database than the site's.",
        cure: 'Name the database of the site in MONGODB_URI: mongodb://host:27017/name',
      }),
    ];
  }
  // the index of users is made before the first of them
  const hasUsers = names.includes(USERS) && (await inspection.hasDocuments(USERS));
  const indexes = (await Promise.all(present.map((collection) => inspection.findIndexProblems(collection))))
    .flat()
    .filter(({ collection }) => collection !== USERS || hasUsers)
    .map(indexFinding);
  return [
    ...indexes,
    ...clockFindings(await inspection.clockDifference()),
    ...(await expiryFindings(inspection, present)),
    ...(await checkDeployment(inspection)),
  ];
}

/** The issuer that the database belongs to is held against the site that `--issuer` names. */
export function checkRecordedIssuer(recorded: string | null, issuer: string | undefined): Finding[] {
  const named = issuer?.replace(/\/$/, '');
  if (recorded === null || named === undefined || !isAnotherIssuer(recorded, named)) return [];
  return [
    finding('serious', 'database.issuer', {
      what: `the database belongs to ${recorded}, and the site is ${named}`,
      why: 'Two issuers on one database take each other’s codes, tokens and consents.',
      cure: `Give each site a database of its own. If ${recorded} is the former name of this site: npx express-authorization-server issuer rename ${recorded} ${named}`,
    }),
  ];
}

function indexFinding({ collection, key, kind, problem }: IndexProblem): Finding {
  const fields = Object.keys(key).join(', ');
  const why = {
    unique: 'Without it there can be two of what must be one, when two requests come at the same moment.',
    ttl: 'Without it MongoDB never removes what has expired: the collection grows for ever, and keeps who used what.',
    plain: 'Without it, whatever looks for these fields reads the whole collection.',
  }[kind];
  return finding(kind === 'plain' ? 'warning' : 'serious', `index.${kind}`, {
    what: `the index on ${fields} of ${collection} is ${problem}`,
    why,
    cure:
      problem === 'missing'
        ? missingCure(collection)
        : `Drop that index (db.${collection}.dropIndex(…)), then run \`await oauth.ready()\`.`,
  });
}

/** The index of users is built before a user is created, so that no two can have the same name. */
function missingCure(collection: string): string {
  return collection === USERS
    ? 'It is built by the next `await users.create(…)`, with a database user who may create indexes.'
    : 'Run `await oauth.ready()` once with a user who may create indexes.';
}

/** Findings from the milliseconds by which the clock of the database is ahead. */
export function clockFindings(difference: number | null): Finding[] {
  if (difference === null)
    return [
      finding('note', 'clock.unknown', {
        what: 'the database does not tell its time',
        why: 'Clocks that are apart make tokens expire early or late.',
        cure: 'Compare the clocks by hand.',
      }),
    ];
  const apart = Math.abs(difference);
  if (apart < CLOCK_WARNING) return [];
  return [
    finding(apart >= CLOCK_SERIOUS ? 'serious' : 'warning', 'clock.apart', {
      what: `the clock of the database is ${Math.round(apart / 1000)} seconds ${difference > 0 ? 'ahead of' : 'behind'} this machine's`,
      why: 'Codes live a minute by the clock of the process that made them: between machines whose clocks differ they expire at once or live too long.',
      cure: 'Run an NTP client (chrony, systemd-timesyncd) on every machine.',
    }),
  ];
}

async function expiryFindings(
  inspection: Inspection,
  collections: readonly CheckedCollection[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  if ((await inspection.isTtlMonitorOn()) === false) {
    findings.push(
      finding('serious', 'ttl.off', {
        what: 'the TTL monitor of MongoDB is switched off (ttlMonitorEnabled)',
        why: 'Nothing that expires is ever removed.',
        cure: 'db.adminCommand({ setParameter: 1, ttlMonitorEnabled: true }), and take it out of the configuration.',
      }),
    );
  }
  for (const collection of collections) {
    const count = await inspection.countExpired(collection, new Date(Date.now() - EXPIRY_SLACK), COUNT_LIMIT);
    if (count === 0) continue;
    findings.push(
      finding('warning', 'ttl.behind', {
        what: `${count === COUNT_LIMIT ? `${COUNT_LIMIT} or more` : count} documents of ${collection.name} expired more than an hour ago and are still there`,
        why: 'They are refused all the same, but the collection grows and keeps who used what.',
        cure: 'Look whether the TTL index is there and the TTL monitor runs (db.serverStatus().metrics.ttl).',
      }),
    );
  }
  return findings;
}
