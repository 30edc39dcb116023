import { type Command, Option } from 'commander';

import { lifetimeRows } from '../../settings/options/lifetime-options.js';
import { parseList } from '../client-flags.js';
import type { DatabaseOptions } from '../database.js';
import { parseCount } from '../output.js';
import { DECISIONS, type RedirectUriDecisions } from './redirect-uris.js';

/** The decisions of the command line about values that cannot be taken over unchanged. */
export interface MigrateOptions extends DatabaseOptions, RedirectUriDecisions {
  readonly from?: string;
  readonly dryRun?: boolean;
  readonly map: readonly string[];
  readonly issuer?: string;
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  readonly shortSecrets: 'refuse' | 'take';
  readonly secretsAre: 'auto' | 'sha256';
  readonly tokensAre: 'clear' | 'sha256';
  readonly existing: 'refuse' | 'keep';
  readonly accessTokenTtl?: number;
  readonly refreshTokenTtl: number;
  readonly consents: boolean;
}

const choice = (flags: string, description: string, choices: readonly string[]) =>
  new Option(flags, description).choices(choices).default(choices[0]);

export function withMigrateOptions(command: Command): Command {
  return command
    .option('--from <uri>', 'the database of the old server (default: the same database)')
    .option('--dry-run', 'tell what would be done, and write nothing')
    .option(
      '--map <name=value...>',
      'where the old server keeps things: clients=apps for a collection, clients.secret=secretHash for a field',
      (value: string, previous: readonly string[]) => [...previous, value],
      [],
    )
    .option('--issuer <url>', 'leaves out scopes and grant types that the running site does not have')
    .option('--scopes <scopes...>', 'of clients and tokens that name none', parseList, [])
    .option('--grant-types <grant types...>', 'of clients that name none', parseList, [])
    .addOption(
      choice('--private-schemes <decision>', 'redirect URIs as myapp://callback, or the client', DECISIONS),
    )
    .addOption(
      choice('--http-redirects <decision>', 'redirect URIs as http://intranet/cb, or the client', DECISIONS),
    )
    .addOption(
      choice('--other-redirects <decision>', 'redirect URIs that cannot be used, or the client', [
        'refuse',
        'leave-out',
      ]),
    )
    .addOption(
      choice('--short-secrets <decision>', 'clients whose secret can be guessed', ['refuse', 'take']),
    )
    .addOption(choice('--secrets-are <form>', 'how secrets are stored', ['auto', 'sha256']))
    .addOption(choice('--tokens-are <form>', 'how tokens are stored', ['clear', 'sha256']))
    .addOption(
      choice('--existing <decision>', 'clients that this site has by the same id', ['refuse', 'keep']),
    )
    .option(
      '--access-token-ttl <seconds>',
      'the life of access tokens that have no end (default: they are left out)',
      parseCount,
    )
    .option(
      '--refresh-token-ttl <seconds>',
      'the life of refresh tokens that have no end',
      parseCount,
      lifetimeRows.refreshToken.default,
    )
    .option('--no-consents', 'ask users again');
}
