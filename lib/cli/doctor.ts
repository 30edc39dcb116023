import { type Command, Option } from 'commander';

import type { Client } from '../core/clients/client.js';
import { type Profile, PROFILES } from '../settings/options/profile-options.js';
import { createDatabase } from '../storage/connection/database.js';
import { createInspection } from '../storage/index-inspection.js';
import {
  type CommandDatabase,
  type DatabaseOptions,
  TIMEOUT,
  useDatabase,
  withDatabaseOptions,
} from './database.js';
import { checkAgents } from './doctor/agents/walk.js';
import { checkClient } from './doctor/clients.js';
import { checkDatabase, checkRecordedIssuer } from './doctor/database.js';
import { checkDevelopers } from './doctor/developers.js';
import type { Finding, Severity } from './doctor/finding.js';
import { groupFindings } from './doctor/groups.js';
import { INCIDENT_NAMES, printIncident } from './doctor/incident.js';
import { checkKeys } from './doctor/keys.js';
import { checkMongooseSetup } from './doctor/mongoose.js';
import {
  checkClientForProfile,
  checkProfiledClients,
  checkSiteForProfile,
  type ProfiledClient,
} from './doctor/profile.js';
import { isOfSite } from './doctor/shut-out-clients.js';
import { checkSite } from './doctor/site.js';
import { checkTrust } from './doctor/trust.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { paint, print, printJson, withProgress } from './output.js';

interface DoctorOptions extends DatabaseOptions {
  readonly issuer?: string;
  readonly loginPage?: string;
  readonly mcp?: string;
  readonly clientDocument?: string;
  readonly profile?: Profile;
  readonly incident?: string;
}

const ORDER: readonly Severity[] = ['serious', 'warning', 'note'];
const COLOURS = { serious: 'red', warning: 'yellow', note: 'cyan' } as const;
/** Clients are read in portions. */
const PORTION = 500;

export function addDoctor(program: Command, io: Io): void {
  withDatabaseOptions(
    program.command('doctor').description('looks for what is unsafe in this deployment; changes nothing'),
  )
    .option(
      '--issuer <url>',
      'looks at the running site, too: metadata, endpoints, login page, cookies, headers',
    )
    .option('--login-page <path>', 'the login page, where it is not found by itself')
    .option(
      '--mcp <url>',
      'plays Claude, ChatGPT, VS Code and others at an MCP endpoint; registers clients for that, and takes them away again',
    )
    .option('--client-document <url>', 'with --mcp: the document of an agent to play as well')
    .addOption(
      new Option(
        '--incident <what>',
        'prints the steps after an incident, with what people notice, and looks at nothing',
      ).choices(INCIDENT_NAMES),
    )
    .addOption(
      new Option(
        '--profile <profile>',
        'what the site (--issuer) and its clients lack for a profile of FAPI 2.0',
      ).choices(PROFILES),
    )
    .action((options: DoctorOptions) => doctor(io, options));
}

async function doctor(io: Io, options: DoctorOptions): Promise<void> {
  const { issuer, mongodbUri = io.env.MONGODB_URI, loginPage, mcp: url, clientDocument, profile } = options;
  const hasDatabase = mongodbUri !== undefined && mongodbUri !== '';
  if (options.incident !== undefined) return printIncident(io, options.incident, options.json === true);
  checkRequested(options, hasDatabase);
  const seen = hasDatabase
    ? await useDatabase(io, options, (database) => examine(io, database, { profile, issuer }))
    : { findings: [], profiled: [] };
  const ofSite = issuer === undefined ? [] : await checkSite(io, issuer, { ...seen, loginPage });
  const ofAgents = url === undefined ? [] : await checkAgents(io, { url, clientDocument });
  const ofProfile =
    profile === undefined || issuer === undefined ? [] : await checkSiteForProfile(io, issuer, profile);
  const ofProfiled = issuer === undefined ? [] : await checkProfiledClients(io, issuer, seen.profiled);
  const ofAll = [...seen.findings, ...ofSite, ...ofAgents, ...ofProfile, ...ofProfiled];
  const all = [
    ...checkMongooseSetup(io.cwd()),
    ...(await checkDevelopers(io.cwd())),
    ...(await checkTrust(io.cwd())),
    ...ofAll,
  ];
  const findings = all.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  report(io, findings, options.json === true);
  if (findings.some(({ severity }) => severity === 'serious')) throw new CliError('', EXIT.finding);
}

/** @throws CliError if there is nothing to check */
function checkRequested({ issuer, mcp, clientDocument }: DoctorOptions, hasDatabase: boolean): void {
  if (mcp === undefined && clientDocument !== undefined)
    throw new CliError(
      'whose agent is it?',
      EXIT.usage,
      'Write --mcp https://photos.example/mcp beside --client-document',
    );
  if (!hasDatabase && issuer === undefined && mcp === undefined)
    throw new CliError(
      'what to look at?',
      EXIT.usage,
      'Set MONGODB_URI for the database, write --issuer https://your.site for the site, --mcp https://your.site/mcp for agents, or several of them.',
    );
  if (issuer !== undefined && !/^https?:\/\/./.test(issuer))
    throw new CliError(
      `'${issuer}' is not the URL of a site`,
      EXIT.usage,
      'Write --issuer https://photos.example',
    );
}

interface Seen {
  readonly findings: readonly Finding[];
  /** Clients with which authorization requests can be tried: any client, and a public one. */
  readonly client?: Client | undefined;
  readonly publicClient?: Client | undefined;
  /** Clients that the site itself has registered. */
  readonly ofSite?: readonly Client[];
  /** Clients with a profile of their own. */
  readonly profiled: readonly ProfiledClient[];
}

async function examine(
  io: Io,
  { connection, models }: CommandDatabase,
  { profile, issuer }: Pick<DoctorOptions, 'profile' | 'issuer'>,
): Promise<Seen> {
  const inspection = createInspection(createDatabase(connection, TIMEOUT));
  const findings = await withProgress(
    io,
    'looking at the database',
    checkDatabase(inspection, inspection.collections, connection.name),
  );
  findings.push(...checkRecordedIssuer(await models.issuers.find(), issuer));
  findings.push(...checkKeys(await models.signingKeys.findLive(new Date())));
  const profiled: ProfiledClient[] = [];
  const ofSite: Client[] = [];
  let client: Client | undefined;
  let publicClient: Client | undefined;
  const ofClients = async (): Promise<void> => {
    for (
      let portion = await models.clients.list(PORTION);
      portion.length > 0;
      portion = await models.clients.list(PORTION, portion.at(-1)?.clientId)
    ) {
      for (const candidate of portion) {
        findings.push(...(await checkClient(candidate)));
        if (isOfSite(candidate)) ofSite.push(candidate);
        const { clientId, name, profile: own } = candidate;
        if (own !== undefined) profiled.push({ clientId, name, profile: own });
        if (profile !== undefined) findings.push(...checkClientForProfile(candidate, profile));
      }
      const usable = portion.filter(
        ({ grantTypes, redirectUris }) =>
          grantTypes.includes('authorization_code') && redirectUris.length > 0,
      );
      client ??= usable[0];
      publicClient ??= usable.find(({ type }) => type === 'public');
    }
  };
  await withProgress(
    io,
    'looking at the clients (secrets that were brought along take a second each)',
    ofClients(),
  );
  return { findings, client, publicClient, ofSite, profiled };
}

function report(io: Io, findings: readonly Finding[], asJson: boolean): void {
  const counts = ORDER.map(
    (severity) => [severity, findings.filter((found) => found.severity === severity).length] as const,
  );
  if (asJson) return printJson(io, { ...Object.fromEntries(counts), findings });
  for (const { severity, check, what, why, cure } of groupFindings(findings)) {
    const [first = '', ...others] = what.map(clean);
    print(
      io,
      [
        `${paint(io, COLOURS[severity], severity.padEnd(7))}  ${first}  ${paint(io, 'dim', `[${check}]`)}`,
        ...others,
        why,
        `→ ${clean(cure)}\n`,
      ].join('\n         '),
    );
  }
  print(
    io,
    findings.length === 0 ? paint(io, 'green', 'Nothing unsafe was found.') : counts.map(counted).join(', '),
  );
}

function counted([severity, count]: readonly [Severity, number]): string {
  return `${count} ${severity}${severity === 'serious' || count === 1 ? '' : 's'}`;
}

/** Names that strangers give to clients must not move the cursor. */
function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '?');
}
