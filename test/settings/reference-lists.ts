import { readFileSync } from 'node:fs';

import mongoose from 'mongoose';

import { KNOWN_CLIENTS } from '../../lib/cli/doctor/agents/known-clients.js';
import { allEndpoints, BUILT_IN } from '../../lib/features.js';
import { COLLECTIONS } from '../../lib/storage/collections.js';
import type { CollectionDefinition } from '../../lib/storage/connection/model.js';
import { type Specification, SPECIFICATIONS } from '../rfc/specifications.js';
import { isProven, readRfcs, type Rfc } from '../rfc/table.js';
import { SHARD_KEYS } from '../scale/shard-keys.js';
import { runCli } from '../support/cli.js';

/** The pages of the reference without options, by their names in docs/reference/, each as its parts. */
export async function formatLists(): Promise<ReadonlyMap<string, readonly string[]>> {
  return new Map([
    ['server', formatServer()],
    ['events', formatEvents()],
    ['command-line', await formatCommandLine()],
    ['database', formatDatabase()],
    ['specifications', formatSpecifications()],
    ['agents', formatAgents()],
    ['pages', formatPages()],
  ]);
}

const VIEWS = new URL('../../lib/pages/rendering/views.ts', import.meta.url);

/** The element ids for views, browser tests and cookie notices; test/docs/lists.test.ts compares it with the code. */
function formatPages(): string[] {
  const [, list = ''] = /const OPTIONAL_LOCALS[^=]*= \[([^\]]*)\];/.exec(readFileSync(VIEWS, 'utf8')) ?? [];
  const locals = [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => `\`${name}\``);
  return [
    '# Reference: Pages',
    'For developers who test the pages in a browser, write views of their own, or list cookies. [Pages](../pages.md) explains the rest.',
    '## Ids',
    'The ids of these elements do not change:',
    [
      '| Pages | Ids |',
      '| --- | --- |',
      '| Login and consent | `login-form`, `username`, `password`, `login-submit`, `consent-form`, `consent-allow`, `consent-deny`, `consent-confirm`, `account-form`, `account-switch` |',
      '| Devices | `device-form`, `user-code`, `device-submit`, `device-allowed`, `device-denied` |',
      '| Connected apps | `authorizations`, `authorization-0`…, `revoke-0`…, `revoke-0-confirm`…, `revoke-all`, `revoke-all-confirm` |',
      '| One connected app | `authorization-scopes`, `authorization-save`, `report-form`, `report-text`, `report-send`, `revoke`, `revoke-confirm` |',
      '| Access tokens | `token-new`, `token-form`, `token-name`, `token-submit`, `token-confirm`, `token-value`, `token-curl`, `tokens`, `token-0`…, `token-save`, `token-rotate` |',
    ].join('\n'),
    '## Names in views',
    `Your \`app.locals\` and \`res.locals\` are in [views of your own](../pages.md#views-of-your-own), except for these names, which could change what a page says: ${locals.join(', ')}.`,
    '## Cookies',
    [
      '| Cookie | Lives | What it is for |',
      '| --- | --- | --- |',
      '| `oauth_language` | 400 days | The language that the user has picked |',
      '| `oauth-way-back` | 10 minutes | [The way back](../users.md#the-cookie) after a login |',
      "| `oauth-logout-…` | a minute | The answer to a client's [logout request](../openid-connect.md#logout) |",
      '| `oauth-login-ended`, `oauth-session-name` | an hour | A new login that a client has asked for |',
      '| `oauth_browser_state` | until the browser closes | [Session Management](openid-connect.md#openid-of-authorizationserver), if it is on |',
    ].join('\n'),
    "With an `https:` issuer, cookies with hyphens have the prefix `__Host-`. In the session, this package's members begin with `oauth`.",
  ];
}

/** The agents of `doctor --mcp`. */
function formatAgents(): string[] {
  const rows = KNOWN_CLIENTS.map(({ name, redirectUris, document }) => {
    const uris = redirectUris.map((uri) => `\`${uri.replace(/\/doctor$/, '/…')}\``).join(', ');
    return `| ${name} | ${uris} | ${document ?? ''} |`;
  });
  return [
    '# Reference: Agents',
    'For developers whose site lets in only some agents. [Agents](../agents.md#what-your-site-has-to-let-in) says how. An agent without a document in this table registers, except ChatGPT and Claude Code (a command line): they have documents that `doctor` does not read, at `chatgpt.com` and `claude.ai`. On loopback the port may be another one.',
    ['| Agent | Redirect URIs | Its document |', '| --- | --- | --- |', ...rows].join('\n'),
  ];
}

/** The rows of test/rfc/specifications.ts, each with its requirements as test/rfc counts them. */
function formatSpecifications(): string[] {
  const rfcs = readRfcs();
  const tables = Object.entries(SPECIFICATIONS).flatMap(([author, rows]) => [
    `## ${author}`,
    [
      '| Specification | Covered | Option | Not covered | Requirements |',
      '| --- | --- | --- | --- | --- |',
      ...rows.map((row) => formatSpecification(row, rfcs)),
    ].join('\n'),
  ]);
  return [
    '# Reference: Specifications',
    'For readers who look for a specification. [Specifications](../rfcs.md) says what is certified and what is not implemented. “Both guards” are `oauth.guard` and `bearerGuard`. The last column counts the requirements of a specification that `test/rfc` in the repository lists, and those of them that a test proves. The others bind somebody else, such as the client, or have a reason there.',
    ...tables,
  ];
}

function formatSpecification(
  { folders, name, covered, option = '', missing = '' }: Specification,
  rfcs: readonly Rfc[],
): string {
  const requirements = rfcs
    .filter((rfc) => folders.includes(rfc.name))
    .flatMap((rfc) => rfc.requirements.map((requirement) => isProven(rfc, requirement)));
  const count =
    requirements.length === 0
      ? ''
      : `${requirements.length}, ${requirements.filter((proven) => proven).length} tested`;
  return `| ${[name, covered, option, missing, count].join(' | ')} |`;
}

const SERVER = new URL('../../lib/authorization-server.ts', import.meta.url);

/** The members of `AuthorizationServer`, with their docstrings, and the routers of its endpoints. */
function formatServer(): string[] {
  const source = readFileSync(SERVER, 'utf8');
  const [, body = ''] = /export interface AuthorizationServer<[^{]*\{\n([^]*?)\n\}/.exec(source) ?? [];
  const members = [...body.matchAll(/\/\*\*([^]*?)\*\/\s+(?:readonly (\w+):|(\w+\([^)]*\)))/g)];
  const rows = members.map(([, docs = '', property, method]) => {
    const [meaning = ''] = docs.replaceAll(/\n\s+\*\s?/g, ' ').split(/ @(?:throws|see)/);
    return `| \`${property ?? method ?? ''}\` | ${meaning
      .replace(/[\s*]+$/, '')
      .trim()
      .replaceAll('|', '\\|')} |`;
  });
  const endpoints = allEndpoints(BUILT_IN).map(({ name }) => `\`${name}\``);
  return [
    '# Reference: What `authorizationServer` gives',
    'For developers who look up what `oauth` has. [The guide](../guide.md) shows how to use the most frequent members.',
    ['| Member | Meaning |', '| --- | --- |', ...rows].join('\n'),
    `\`oauth.endpoints\` has ${endpoints.slice(0, -1).join(', ')} and ${endpoints.at(-1) ?? ''}.`,
    '## Checks of `oauth.health()`',
    ['| Check | `pass` means |', '| --- | --- |', ...formatChecks()].join('\n'),
  ];
}

const READINESS = new URL('../../lib/server/readiness.ts', import.meta.url);

/** The members of `Health.checks`, with their docstrings. */
function formatChecks(): string[] {
  const [, body = ''] = /readonly checks: \{\n([^]*?)\n {2}\};/.exec(readFileSync(READINESS, 'utf8')) ?? [];
  return [...body.matchAll(/\/\*\*([^]*?)\*\/\s+readonly (\w+)\??:/g)].map(
    ([, docs = '', name = '']) => `| \`${name}\` | ${docs.replaceAll(/\n\s+\*\s?/g, ' ').trim()} |`,
  );
}

const EVENTS = new URL('../../lib/core/observability/events.ts', import.meta.url);

/** The events, with the docstrings of `EVENTS`. */
function formatEvents(): string[] {
  const [, body = ''] = /const EVENTS = \{\n([^]*?)\n\};/.exec(readFileSync(EVENTS, 'utf8')) ?? [];
  const events = [...body.matchAll(/\/\*\*([^]*?)\*\/\s+'([\w.]+)': always\(([^)]*)\),/g)];
  const rows = events.map(([, docs = '', name = '', fields = '']) => {
    const always = [...fields.matchAll(/\w+/g)].map(([field]) => `\`${field}\``).join(', ');
    return `| \`${name}\` | ${always} | ${docs.replaceAll(/\n\s+\*\s?/g, ' ').trim()} |`;
  });
  return [
    '# Reference: Events',
    'For developers who listen to `oauth.events`, read the audit or receive webhooks. [Operations](../operations.md#events-audit-telemetry) shows how.',
    'Every event has `type` and `time`, and, if they are known, `requestId`, `ip`, `clientId`, `userId`, `actorId` (who did it, if not `userId`), `grantId`, `scopes` and `grantType`. No event has a secret, a token or a code.',
    ['| Event | Always has | When |', '| --- | --- | --- |', ...rows].join('\n'),
  ];
}

/** The flags of every command. */
const SHARED_FLAG = /^ {2}(?:--mongodb-uri|--json|-h, --help)\b.*(?:\n {4,}.*)*\n?/gm;
const FLAG = /^ {2}-.*(?:\n {4,}.*)*$/gm;

/** Every command with its `--help`; a long list of flags of an earlier command is not repeated. */
async function formatCommandLine(): Promise<string[]> {
  const sections: string[] = [];
  const lists = new Map<string, ReadonlySet<string>>();
  const visit = async (command: readonly string[]): Promise<void> => {
    const { stdout } = await runCli([...command, '--help']);
    const [, list = ''] = /\nCommands:\n([^]*?)(?:\n\n|$)/.exec(stdout) ?? [];
    const names = [...list.matchAll(/^ {2}([\w-]+)/gm)].map(([, name = '']) => name);
    const name = command.join(' ');
    if (name === '' || names.length === 0) {
      const help = (name === '' ? stdout : stdout.replace(SHARED_FLAG, ''))
        .replace(/\nOptions:\n$/, '')
        .trim();
      const flags = new Set(help.match(FLAG));
      const isShared = ([, of]: readonly [string, ReadonlySet<string>]) =>
        [...flags].filter((flag) => of.has(flag)).length > 10;
      const [earlier, same] = [...lists].find(isShared) ?? [];
      lists.set(name, flags);
      const own = help.replaceAll(FLAG, (flag) => (same?.has(flag) === true ? '' : flag));
      sections.push(
        `## ${name || 'All commands'}`,
        `\`\`\`text\n${own
          .replaceAll(/\n{2,}(?= {2}-)/g, '\n')
          .replace(/\s+Options:\s*$/, '')
          .trim()}\n\`\`\``,
        ...(earlier === undefined
          ? []
          : [`The other flags are those of [${earlier}](#${earlier.replace(' ', '-')}).`]),
      );
    }
    for (const each of names.filter((sub) => sub !== 'help')) await visit([...command, each]);
  };
  await visit([]);
  return [
    '# Reference: The command line',
    'For whoever looks up a command or a flag: what `--help` prints. [Operations](../operations.md#command-line) explains the commands. Every command that needs the database has `--mongodb-uri` (default: `MONGODB_URI`), and every command has `--json`.',
    ...sections,
  ];
}

/** The purpose of each collection, and how long its documents stay. */
const CONTENTS: Readonly<Record<keyof typeof COLLECTIONS, readonly [what: string, howLong: string]>> = {
  Grant: [
    'Client, user, scopes, hashes of codes and tokens, last activity, names of tokens. An eleventh access token ends the oldest',
    'Until none of them works any more',
  ],
  Client: [
    'Clients, hashes of their secrets',
    'Until deleted; a client that registered itself, until it is unused for too long',
  ],
  ClientLogo: [
    '[Logos of clients](../pages.md#what-the-page-says-of-the-application), 128 KiB at most',
    '180 days after the last grant of the client; a day before its first one, if it registered itself',
  ],
  Consent: ['What a user has allowed a client', 'Until the client is deleted, or the access is ended'],
  SigningKey: ['Keys, encrypted under your secret', 'Until the last token that a key signed has expired'],
  Issuer: ['The issuer of this database', 'Until you drop it'],
  AssertionId: ['Hashes of the ids of assertions', 'Until they have expired'],
  InitialAccessToken: [
    'With `registration`: hashes of tokens that let clients register',
    'Until they have expired',
  ],
  UserCode: [
    'With the device grant: hashes without a key of the codes that devices show',
    'Until they have expired',
  ],
  UsedProof: ['With `dpop`: hashes of DPoP proofs', 'Until they have expired'],
  Failures: ['Hashes without a key of limited callers, and counts', 'A minute to a day'],
  Refusals: ['How often each client was refused', 'Until the end of the next day'],
  PushedRequest: [
    'With `pushedRequests`: requests that wait for a decision',
    'A minute; an hour after a user has opened it',
  ],
  AuditEntry: ['With `audit`: the events', '`audit.ttl`'],
  SignIn: [
    'With `openid`: which clients have to hear of a logout of the user',
    'Until the logout, or `openid.signInTtl`',
  ],
  ReceivedEvent: [
    'With `sharedSignals.receiver`: security events; once your site has acted on them, only hashes of their ids',
    '`maxAge`, 7 days',
  ],
  SignalStream: ['With `sharedSignals.transmitter`: streams', 'Until the receiver deletes the stream'],
  StreamSubject: [
    'With `sharedSignals.transmitter`: whom a stream is about',
    'Until the receiver deletes the stream',
  ],
  Webhook: [
    'With `webhooks`, `notify`, `openid` or `sharedSignals.transmitter`: messages that wait',
    'Until accepted; 30 days after they were given up',
  ],
  Migrated: ['After `migrate`: hashes of the tokens of another server', 'Until you drop it'],
  User: ['With `createUsers`: names, bcrypt hashes', 'Until you delete them'],
};
/** Collections without a model in `oauth.models`. */
const WITHOUT_MODEL = ['Issuer', 'User'];

function formatDatabase(): string[] {
  const collections = Object.entries(CONTENTS).map(([model, [what, howLong]]) => {
    const { name, schema } = COLLECTIONS[model as keyof typeof COLLECTIONS];
    return { model, what, howLong, name, indexes: schema(mongoose).indexes() };
  });
  const uses = collections.map(({ name, model, what, howLong }) => {
    const names = WITHOUT_MODEL.includes(model) ? `\`${name}\`` : `\`${name}\`, \`${model}\``;
    return `| ${names} | ${what} | ${howLong} |`;
  });
  const personal = Object.values(COLLECTIONS).flatMap(
    ({ name, people }: Pick<CollectionDefinition<never>, 'name' | 'people'>) =>
      Object.entries(people?.paths ?? {}).map(([path, { person, atEnd, with: beside = [] }]) =>
        formatPersonal(name, [path, ...beside.filter((each) => each !== 'ip')], person, atEnd),
      ),
  );
  const indexes = collections
    .filter((collection) => collection.indexes.length > 0)
    .map(({ name, indexes: all }) => `| \`${name}\` | ${all.map(formatIndex).join(', ')} |`);
  const sharded = Object.entries(SHARD_KEYS).flatMap(([name, key]) =>
    key === null ? [] : [`sh.shardCollection('photos.${name}', ${toShell(key)})`],
  );
  const others = Object.entries(SHARD_KEYS).flatMap(([name, key]) => (key === null ? [`\`${name}\``] : []));
  return [
    '# Reference: The database',
    'For operators who look up a collection, an index or a shard key. [Production](../production.md#many-processes) says what many processes need.',
    '## Collections and models',
    ['| Collection, model | What | How long |', '| --- | --- | --- |', ...uses].join('\n'),
    '## Personal data',
    'The paths that hold the id of a user, or texts with it, and what [the end of an account](../security.md#when-an-account-ends) does with them. A path with a dot is inside of the one before the dot. Beside them `oauth_audit` has addresses (`ip`), `oauth_grants` where a personal access token was last used (`namedToken.lastUsedFrom`), and your `people.id` decides whether an id says who somebody is.',
    ['| Collection | Path | Whose id | At the end |', '| --- | --- | --- | --- |', ...personal].join('\n'),
    '## Commands of a request',
    'How many commands MongoDB gets for a request, without `audit`, `webhooks` and `notify`. A test counts them.',
    [
      '| Request | Reads | Writes |',
      '| --- | --- | --- |',
      '| a guarded request | 1 (with `guard.cache` 0) | 0 |',
      '| client credentials | 1 | 1 |',
      '| a code for tokens | 1 | 1 |',
      '| a refresh | 2 (1 if the process remembers the client) | 1 |',
      '| introspection | 2 (1 if the process remembers the client) | 0 |',
      '| the consent page | 2, or 3 if the client is not verified | 0 |',
      '| Allow | 2 | 2 |',
      '| an authorization request that the user has allowed before | 2 | 1 |',
      '| a user who has to log in first | 1 | 0 |',
    ].join('\n'),
    '## Indexes',
    'Commands of requests find their documents by these indexes. On a bad day or at the end of an account, `grants.revoke` without a user or a client, `people.end` and `people.export` read whole collections, in batches. MongoDB deletes what has expired by the TTL indexes: you need no job for it. `oauth.ready()` builds the indexes, even if `autoIndex` is off:',
    ['| Collection | Indexes |', '| --- | --- |', ...indexes].join('\n'),
    '## Shard keys',
    'These keys send almost every command to one shard; the consent page of an unverified client and the logout with `openid` ask all. Shard only if a primary lacks the memory, or if its disk cannot keep up.',
    "In `mongosh`, for a database `photos` (before MongoDB 6.0 first `sh.enableSharding('photos')`). A collection that has documents already needs the index first: `db.oauth_grants.createIndex({ _id: 'hashed' })`.",
    `\`\`\`mongosh\n${sharded.join('\n')}\n\`\`\``,
    `Do not shard ${others.slice(0, -1).join(', ')} and ${others.at(-1) ?? ''}.`,
    '## Sizes',
    'A grant with tokens has 795 bytes of BSON, and 1,524 bytes after ten or more refreshes. A test counts them. Scopes, resources and `extra` add their own length, and `tokens.reuseGrace` adds 0.6 KB.',
  ];
}

const AT_END = {
  delete: 'deleted',
  replace: 'replaced by a pseudonym',
  operation: 'as the table there says',
};

const formatPersonal = (
  collection: string,
  paths: readonly string[],
  person: string,
  atEnd: keyof typeof AT_END,
): string =>
  `| \`${collection}\` | ${paths.map((path) => `\`${path}\``).join(', ')} | ${person} | ${AT_END[atEnd]} |`;

const toShell = (key: object): string =>
  `{ ${Object.entries(key)
    .map(
      ([field, kind]) =>
        `${field.includes('.') ? `'${field}'` : field}: ${kind === 'hashed' ? "'hashed'" : String(kind)}`,
    )
    .join(', ')} }`;

function formatIndex([key, options]: ReturnType<mongoose.Schema['indexes']>[number]): string {
  const { unique, expireAfterSeconds, partialFilterExpression } = options as Readonly<
    Record<string, unknown>
  >;
  const kinds = [
    unique === true && 'unique',
    expireAfterSeconds !== undefined && 'TTL',
    unique !== true && expireAfterSeconds === undefined && partialFilterExpression !== undefined && 'partial',
  ].filter((kind) => kind !== false);
  return `\`${toShell(key)}\`${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}`;
}
