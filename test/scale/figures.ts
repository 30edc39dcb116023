import { recordCommands } from '../support/commands.js';
import { startMongo } from '../support/mongodb.js';
import { createPerson } from '../support/person.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import { callApi, createPkce, redeem, tokenRequest } from '../support/tokens.js';
import { type MeasuredDocument, measureDocuments, openDefaultSite } from './sizes.js';

/**
 * Prints the figures of docs/production.md and docs/reference/database.md: `npx tsx test/scale/figures.ts`, and with the CPU milliseconds per
 * request that `npm run bench` has measured `… authorize=1.2 code=1.5 refresh=1.4 guard=0.3`.
 */
const ASSUMED = { refreshes: 2, calls: 10, days: 30, workload: [1, 100, 10_000] } as const;
/** The share of a core in use, so that a burst does not wait. */
const BUSY = 0.5;
const DAY = 86_400;

type Request = 'authorize' | 'code' | 'refresh' | 'guard';
const PER_LOGIN: Readonly<Record<Request, number>> = {
  authorize: 1,
  code: 1,
  refresh: ASSUMED.refreshes,
  guard: ASSUMED.calls,
};

/**
 * The commands of each request of a person who has allowed the client before. The client and the API reach a different
 * process than the person, as most do behind a load balancer; that process has just seen the client.
 */
async function countCommands(site: Site): Promise<Record<Request, string[]>> {
  const other = await openSite({
    database: site.database,
    issuer: site.url,
    security: { rateLimits: false },
  });
  const client = await site.client();
  const person = createPerson(site);
  await person.logIn();
  const { challenge, code_verifier } = createPkce();
  const authorize = async () =>
    (
      await person.authorize({
        response_type: 'code',
        client_id: client.clientId,
        redirect_uri: REDIRECT_URI,
        ...challenge,
      })
    ).searchParams.get('code') ?? '';
  await redeem(other, client, await authorize(), { code_verifier }).expect(200);
  const during = async (work: () => PromiseLike<unknown>) =>
    (await recordCommands(site.database, work))
      .map(({ name, collection }) => `${name} ${collection}`)
      .filter((command) => !command.endsWith('oauth_audit'));
  let code = '';
  let tokens = { access_token: '', refresh_token: '' };
  const commands = {
    authorize: await during(async () => (code = await authorize())),
    code: await during(() =>
      redeem(other, client, code, { code_verifier })
        .expect(200)
        .then(({ body }) => (tokens = body)),
    ),
    refresh: await during(() =>
      tokenRequest(other, client, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
        .expect(200)
        .then(({ body }) => (tokens = body)),
    ),
    guard: await during(() => callApi(other, tokens.access_token)),
  };
  await other.close();
  return commands;
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
  console.log();
}

/** Two significant digits. */
function short(value: number, unit = ''): string {
  const steps: readonly (readonly [number, string])[] =
    unit === 'B'
      ? [
          [1e12, ' TB'],
          [1e9, ' GB'],
          [1e6, ' MB'],
          [1e3, ' KB'],
          [1, ' B'],
        ]
      : [
          [1e9, ' billion'],
          [1e6, ' million'],
          [1, ''],
        ];
  const [size, name] = steps.find(([step]) => value >= step) ?? [1, ''];
  return `${Number((value / size).toPrecision(2)).toLocaleString('en')}${name}`;
}

function printNeeds(
  commands: Record<Request, string[]>,
  documents: readonly MeasuredDocument[],
  cpu: Partial<Record<Request, number>>,
): void {
  const sum = (of: (request: Request) => number) =>
    (Object.keys(PER_LOGIN) as Request[]).reduce(
      (total, request) => total + PER_LOGIN[request] * of(request),
      0,
    );
  const isWrite = (command: string) => !/^(find|aggregate) /.test(command);
  const all = sum((request) => commands[request].length);
  const writes = sum((request) => commands[request].filter(isWrite).length);
  const grant = documents.find(({ what }) => what === 'a grant after 1 refresh');
  if (grant === undefined) throw new Error('the grant was not measured');
  const row = (what: string, of: (perSecond: number) => string) => [what, ...ASSUMED.workload.map(of)];
  const stored = (perSecond: number) => perSecond * DAY * ASSUMED.days;
  const cores = (perSecond: number) =>
    Object.keys(cpu).length === 4
      ? short((perSecond * sum((request) => cpu[request] ?? 0)) / 1000 / BUSY)
      : `{{CORES_${perSecond}}}`;
  printTable(
    ['logins per second', ...ASSUMED.workload.map((perSecond) => perSecond.toLocaleString('en'))],
    [
      row('requests per second', (perSecond) => short(perSecond * sum(() => 1))),
      row('MongoDB commands per second', (perSecond) => short(perSecond * all)),
      row('of these writes', (perSecond) => short(perSecond * writes)),
      row('removed by TTL, per second', (perSecond) => short(perSecond)),
      row('grants stored', (perSecond) => short(stored(perSecond))),
      row('their documents', (perSecond) => short(stored(perSecond) * grant.bytes, 'B')),
      row('their indexes (estimated)', (perSecond) => short(stored(perSecond) * grant.indexBytes, 'B')),
      row('working set: indexes, and grants of the last day', (perSecond) =>
        short(stored(perSecond) * grant.indexBytes + perSecond * DAY * grant.bytes, 'B'),
      ),
      row('cores for Node, each half busy', cores),
    ],
  );
}

const mongo = await startMongo();
process.env.TEST_MONGODB_URI ??= mongo.uri;
const site = await openDefaultSite();
const documents = await measureDocuments(site);
printTable(
  ['document', 'bytes', 'in indexes (estimated)'],
  documents.map(({ what, bytes, indexBytes }) => [
    what,
    bytes.toLocaleString('en'),
    indexBytes.toLocaleString('en'),
  ]),
);
const commands = await countCommands(site);
printTable(
  ['request', 'commands'],
  Object.entries(commands).map(([request, sent]) => [request, `${sent.length}: ${sent.join(', ')}`]),
);
const cpu = Object.fromEntries(
  process.argv.slice(2).map((text) => [text.split('=')[0], Number(text.split('=')[1])]),
) as Partial<Record<Request, number>>;
printNeeds(commands, documents, cpu);
await site.close();
await mongo.stop();
