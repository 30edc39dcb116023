import { type Command, Option } from 'commander';

import type { Client } from '../core/clients/client.js';
import { type Profile, PROFILES } from '../settings/options/profile-options.js';
import { createDatabase } from '../storage/connection/database.js';
import { createInspection } from '../storage/index-inspection.js';
import { isAnotherIssuer } from '../storage/other/issuers.js';
import { addCommand, type CommandDatabase, type DatabaseOptions, TIMEOUT, useDatabase } from './database.js';
import { checkAgents } from './doctor/agents/walk.js';
import { checkClient } from './doctor/clients.js';
import { checkDatabase } from './doctor/database.js';
import { checkDevelopers } from './doctor/developers.js';
import { type Finding, type ReportFinding, reportTo, type Severity } from './doctor/finding.js';
import { groupFindings } from './doctor/groups.js';
import { INCIDENT_NAMES, printIncident } from './doctor/incident.js';
import { checkKeys } from './doctor/keys.js';
import { checkMongooseSetup } from './doctor/mongoose.js';
import type { PagesToCheck } from './doctor/pages.js';
import { checkClientForProfile, checkProfiledClients, checkSiteForProfile } from './doctor/profile.js';
import { checkSite } from './doctor/site.js';
import { checkTrust } from './doctor/trust.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { checkSiteUrl } from './metadata.js';
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
/** Number of clients in one read. */
const PORTION = 500;

export function addDoctor(program: Command, io: Io): void {
  addCommand(program, 'doctor', 'looks for what is unsafe in this deployment; changes nothing')
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
  const { issuer, mongodbUri = io.env.MONGODB_URI, mcp, clientDocument, profile, json } = options;
  const hasDatabase = mongodbUri !== undefined && mongodbUri !== '';
  if (options.incident !== undefined) return printIncident(io, options.incident, json === true);
  if (mcp === undefined && clientDocument !== undefined)
    throw new CliError(
      'whose agent is it?',
      'Write --mcp https://photos.example/mcp beside --client-document',
    );
  if (!hasDatabase && issuer === undefined && mcp === undefined)
    throw new CliError(
      'what to look at?',
      'Set MONGODB_URI for the database, write --issuer https://your.site for the site, --mcp https://your.site/mcp for agents, or several of them.',
    );
  if (issuer !== undefined) checkSiteUrl(issuer);
  if (mcp !== undefined && (!URL.canParse(mcp) || !/^https?:/.test(mcp)))
    throw new CliError(
      `'${mcp}' is not the URL of an MCP endpoint`,
      'Write --mcp https://photos.example/mcp',
    );
  if (clientDocument !== undefined && !URL.canParse(clientDocument))
    throw new CliError(
      `'${clientDocument}' is not a URL`,
      'Write --client-document https://ink.example/client.json',
    );

  const folder = io.cwd();
  const findings: Finding[] = [];
  const report = reportTo(findings);
  checkMongooseSetup(report, folder);
  await checkDevelopers(report, folder);
  await checkTrust(report, folder);
  const seen = hasDatabase
    ? await useDatabase(io, options, (database) => examine(report, io, database, options))
    : undefined;
  if (issuer !== undefined) await checkSite(report, io, issuer, { ...seen, loginPage: options.loginPage });
  if (mcp !== undefined) await checkAgents(report, io, mcp, clientDocument);
  if (profile !== undefined && issuer !== undefined) await checkSiteForProfile(report, io, issuer, profile);
  if (issuer !== undefined) await checkProfiledClients(report, io, issuer, seen?.profiled ?? []);
  findings.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));

  const counts = ORDER.map(
    (severity) => [severity, findings.filter((finding) => finding.severity === severity).length] as const,
  );
  if (json) printJson(io, { ...Object.fromEntries(counts), findings });
  else {
    for (const { severity, check, what, why, cure } of groupFindings(findings)) {
      const [first = '', ...others] = what.map(clean);
      const heading = `${paint(io, COLOURS[severity], severity.padEnd(7))}  ${first}  ${paint(io, 'dim', `[${check}]`)}`;
      print(io, [heading, ...others, why, `→ ${clean(cure)}\n`].join('\n         '));
    }
    const summary = counts.map(
      ([severity, count]) => `${count} ${severity}${severity === 'serious' || count === 1 ? '' : 's'}`,
    );
    print(io, findings.length === 0 ? paint(io, 'green', 'Nothing unsafe was found.') : summary.join(', '));
  }
  if (findings.some(({ severity }) => severity === 'serious'))
    throw new CliError('', undefined, EXIT.finding);
}

/** Checks the database. Returns clients for trying authorization requests, and clients with a profile. */
async function examine(
  report: ReportFinding,
  io: Io,
  { connection, models }: CommandDatabase,
  { profile, issuer }: DoctorOptions,
): Promise<PagesToCheck & { readonly profiled: readonly Client[] }> {
  const inspection = createInspection(createDatabase(connection, TIMEOUT));
  await withProgress(io, 'looking at the database', checkDatabase(report, inspection, connection.name));
  const recorded = await models.issuers.find();
  const siteUrl = issuer?.replace(/\/$/, '');
  if (recorded !== null && siteUrl !== undefined && isAnotherIssuer(recorded, siteUrl))
    report('serious', 'database.issuer', {
      what: `the database belongs to ${recorded}, and the site is ${siteUrl}`,
      why: 'Two issuers on one database take each other’s codes, tokens and consents.',
      cure: `Give each site a database of its own. If ${recorded} is the former name of this site: npx express-authorization-server issuer rename ${recorded} ${siteUrl}`,
    });
  checkKeys(report, await models.signingKeys.findLive(new Date()));
  const profiled: Client[] = [];
  const ofSite: Client[] = [];
  let client: Client | undefined;
  let publicClient: Client | undefined;
  const ofClients = async (): Promise<void> => {
    for (
      let portion = await models.clients.list(PORTION);
      portion.length > 0;
      portion = await models.clients.list(PORTION, portion.at(-1)?.clientId)
    )
      for (const candidate of portion) {
        await checkClient(report, candidate);
        if (candidate.profile !== undefined) profiled.push(candidate);
        if (profile !== undefined) checkClientForProfile(report, candidate, profile);
        const { type, grantTypes, redirectUris, document, registration } = candidate;
        if (!grantTypes.includes('authorization_code') || redirectUris.length === 0) continue;
        client ??= candidate;
        if (type === 'public') publicClient ??= candidate;
        // the site has registered this client, perhaps before its options became stricter
        if (document === undefined && registration === undefined) ofSite.push(candidate);
      }
  };
  await withProgress(
    io,
    'looking at the clients (secrets that were brought along take a second each)',
    ofClients(),
  );
  return { client, publicClient, ofSite, profiled };
}

/** Names of untrusted clients must not move the cursor. */
function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '?');
}
