import { parseArgs } from 'node:util';

import type { Profile, Variant } from './profile.js';
import { PROFILES } from './profiles.js';

const OPTIONS = {
  host: { type: 'string', default: 'localhost' },
  port: { type: 'string', default: '9443' },
  suite: { type: 'string', default: 'https://localhost:8443' },
  alias: { type: 'string' },
  issuer: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

export const HELP = `npm run conformance -- PROFILE [NAME=VALUE…] [--OPTION VALUE…]

Starts the host of a certification profile and prints the configuration that the suite of the OpenID Foundation
takes (test/conformance/README.md). The values of a profile's parameters, the default ones first:

${Object.entries(PROFILES).map(describeProfile).join('\n')}

  --host     name by which the suite reaches this machine      ${OPTIONS.host.default}
  --port     where the host listens                            ${OPTIONS.port.default}
  --suite    the suite                                         ${OPTIONS.suite.default}
  --alias    the alias of the configuration in the suite       the profile's name
  --issuer   if others see the host by another address         https://HOST:PORT
  --cert, --key   files with a certificate of your own         one that openssl makes for HOST
`;

function describeProfile([name, { title, variants = {} }]: readonly [string, Profile]): string {
  const parameters = Object.entries(variants).filter(([, values]) => values.length > 1);
  return [
    `  ${name.padEnd(30)} ${title}`,
    ...parameters.map(([parameter, values]) => `      ${parameter} = ${values.join(' | ')}`),
  ].join('\n');
}

/** The arguments of `npm run conformance --`. */
export interface Command {
  readonly profile: Profile;
  readonly variant: Variant;
  readonly host: string;
  readonly port: number;
  readonly suite: string;
  readonly alias: string;
  readonly issuer?: string | undefined;
  /** The files with the certificate of the host. */
  readonly files?: { readonly cert: string; readonly key: string } | undefined;
}

/**
 * Undefined without a profile, or with --help.
 *
 * @throws Error with the valid names
 */
export function readCommand(parameters: readonly string[]): Command | undefined {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    options: OPTIONS,
    allowPositionals: true,
  });
  const [name, ...assignments] = positionals;
  if (name === undefined || values.help) return undefined;
  const profile = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined;
  if (profile === undefined)
    throw new Error(`There is no profile '${name}'. There are: ${Object.keys(PROFILES).join(', ')}.`);
  const { host, port, suite, alias = name, issuer, cert, key } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Error(`--port: '${port}' is no port.`);
  if ((cert === undefined) !== (key === undefined)) throw new Error('--cert and --key go together.');
  return {
    profile,
    variant: chooseVariant(profile, Object.fromEntries(assignments.map(readAssignment))),
    host,
    port: Number(port),
    suite: suite.replace(/\/+$/, ''),
    alias,
    issuer,
    files: cert !== undefined && key !== undefined ? { cert, key } : undefined,
  };
}

function readAssignment(text: string): [string, string] {
  const [name = '', value] = text.split(/=(.*)/s);
  if (value === undefined) throw new Error(`'${text}' is no NAME=VALUE.`);
  return [name, value];
}

/**
 * The values of all parameters, with defaults for the missing ones.
 *
 * @throws Error with the valid values
 */
export function chooseVariant({ variants = {} }: Profile, chosen: Variant): Variant {
  for (const [name, value] of Object.entries(chosen)) {
    const values = Object.hasOwn(variants, name) ? variants[name] : undefined;
    if (values?.includes(value) === true) continue;
    const what = values === undefined ? Object.keys(variants).join(', ') || 'nothing' : values.join(', ');
    throw new Error(`${name}=${value} cannot be chosen here; there is: ${what}.`);
  }
  return Object.fromEntries(
    Object.entries(variants).map(([name, [first = '']]) => [name, chosen[name] ?? first]),
  );
}
