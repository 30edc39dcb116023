import { randomBytes } from 'node:crypto';

import mongoose from 'mongoose';

import { type CliResult, runCli } from './cli.js';
import { REDIRECT_URI, type Site } from './site.js';

/** The collections of @node-oauth/express-oauth-server, with the names in its MongoDB example. */
export const NAMES = { clients: 'oauthclients', tokens: 'oauthtokens', users: 'oauthusers' } as const;
export const CLIENT_ID = 'printing-shop';
export const SECRET = randomBytes(24).toString('hex');
export const later = (seconds = 3600) => new Date(Date.now() + seconds * 1000);
export const newToken = () => randomBytes(20).toString('hex');

export type Document = Readonly<Record<string, unknown>>;

export function oldClient(changes: Document = {}): Document {
  return {
    clientId: CLIENT_ID,
    clientSecret: SECRET,
    redirectUris: [REDIRECT_URI],
    grants: ['authorization_code', 'refresh_token'],
    scopes: ['profile', 'photos:read'],
    ...changes,
  };
}

export interface OldToken extends Document {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export function oldToken(changes: Document = {}): OldToken {
  return {
    accessToken: newToken(),
    accessTokenExpiresAt: later(),
    refreshToken: newToken(),
    refreshTokenExpiresAt: later(86_400),
    scope: ['profile'],
    client: { id: CLIENT_ID },
    user: { id: 'ada' },
    ...changes,
  };
}

/** Writes documents as the old server would; each has an ObjectId, unless it brings an id. */
export async function fill(site: Site, collection: string, documents: readonly Document[]): Promise<void> {
  const { connection } = site.database;
  await connection
    .collection(collection)
    .insertMany(documents.map((each) => ({ _id: new mongoose.Types.ObjectId(), ...each })));
}

/** The report of a run, as --json prints it. */
export interface MigrationReport {
  readonly dryRun: boolean;
  readonly notes: readonly string[];
  readonly [name: string]: unknown;
}

export interface Migrated extends CliResult {
  readonly report: MigrationReport;
  /** `found taken already leftOut` of clients, access tokens, refresh tokens, consents. */
  readonly counts: readonly string[];
  /** The left-out documents: `kind: reason`. */
  readonly leftOut: readonly string[];
  /** The documents taken over with changes. */
  readonly changed: readonly string[];
}

export async function migrate(site: Site, source: string, ...args: readonly string[]): Promise<Migrated> {
  const result = await runCli(['migrate', source, '--json', ...args], { uri: site.database.uri });
  if (!result.stdout.startsWith('{')) throw new Error(`no report: ${result.stdout}${result.stderr}`);
  const report = JSON.parse(result.stdout) as MigrationReport;
  const linesOf = (name: string) =>
    (report[name] as { kind: string; reason: string }[]).map(({ kind, reason }) => `${kind}: ${reason}`);
  return {
    ...result,
    report,
    counts: ['clients', 'accessTokens', 'refreshTokens', 'consents'].map((kind) =>
      Object.values(report[kind] as object).join(' '),
    ),
    leftOut: linesOf('leftOut'),
    changed: linesOf('changed'),
  };
}
