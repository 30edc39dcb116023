import type { RegistrationLimits } from '../../core/clients/client-field.js';
import { DEVICE_CODE } from '../../core/grants/named-token.js';
import type { MessageKey } from '../../messages/index.js';
import type { ApplicationValues } from './application-authentication.js';
import { emptyValues } from './application-form.js';

/** What a developer calls an application, and what that says of its client. */
interface ApplicationKind {
  readonly name: 'web' | 'browser' | 'native' | 'device' | 'service';
  readonly type: 'confidential' | 'public';
  /** Without the first one there is no such application. */
  readonly grantTypes: readonly [string, ...string[]];
  /** What it needs as redirect URIs; absent if it has none. */
  readonly redirectUris?: RedirectUriHint;
}

/** A text about redirect URIs, with its examples. */
export interface RedirectUriHint {
  readonly meaning: MessageKey;
  readonly examples: Readonly<Record<'web' | 'loopback' | 'scheme', string>>;
}

const CODE = ['authorization_code', 'refresh_token'] as const;
const EXAMPLES = {
  web: 'https://app.example/callback',
  // RFC 8252 §7.3, §7.1
  loopback: 'http://127.0.0.1/callback',
  scheme: 'com.example.app:/callback',
};
const KINDS: readonly ApplicationKind[] = [
  {
    name: 'web',
    type: 'confidential',
    grantTypes: CODE,
    redirectUris: {
      meaning: 'form.redirectUris.web',
      examples: { ...EXAMPLES, loopback: 'http://localhost:3000/callback' },
    },
  },
  // RFC 10017, RFC 8252 §8.4: neither can keep a secret
  {
    name: 'browser',
    type: 'public',
    grantTypes: CODE,
    redirectUris: {
      meaning: 'form.redirectUris.browser',
      examples: { ...EXAMPLES, loopback: 'http://localhost:5173/callback' },
    },
  },
  {
    name: 'native',
    type: 'public',
    grantTypes: CODE,
    redirectUris: { meaning: 'form.redirectUris.native', examples: EXAMPLES },
  },
  { name: 'device', type: 'public', grantTypes: [DEVICE_CODE, 'refresh_token'] },
  { name: 'service', type: 'confidential', grantTypes: ['client_credentials'] },
];
/** For an application whose kind is not known. */
const ANY_REDIRECT_URI: RedirectUriHint = { meaning: 'form.redirectUrisMeaning', examples: EXAMPLES };
const REDIRECTING = ['authorization_code', 'implicit'];

/** A kind as the form offers it. */
export interface OfferedKind {
  readonly name: ApplicationKind['name'];
  readonly label: MessageKey;
  readonly meaning: MessageKey;
  readonly isCurrent: boolean;
}

/** Those that developers can register here; none is current if the form says something else by now. */
export function offeredKinds(
  { grantTypes }: Pick<RegistrationLimits, 'grantTypes'>,
  current: string | undefined,
): readonly OfferedKind[] {
  return possible(grantTypes).map(({ name }) => ({
    name,
    label: `form.kind.${name}`,
    meaning: `form.kind.${name}.meaning`,
    isCurrent: name === current,
  }));
}

/** The kind that a query asks for, or the first one that is possible. */
export function applicationKindOf(
  { grantTypes }: Pick<RegistrationLimits, 'grantTypes'>,
  query: string | undefined,
): ApplicationKind | undefined {
  const kinds = possible(grantTypes);
  return kinds.find(({ name }) => name === query) ?? kinds[0];
}

/** What a form says for a kind: the ways of the kind are ticked, and no scope that was not. */
export function valuesOfKind(
  kind: ApplicationKind | undefined,
  { grantTypes }: Pick<RegistrationLimits, 'grantTypes'>,
  typed: ApplicationValues = emptyValues(),
): ApplicationValues {
  if (kind === undefined) return typed;
  return {
    ...typed,
    type: kind.type,
    grantTypes: kind.grantTypes.filter((name) => grantTypes.includes(name)),
  };
}

/** The name of the kind that a form was sent for, unless its technical settings say something else by now. */
export function sentKindOf(
  limits: Pick<RegistrationLimits, 'grantTypes'>,
  sent: string,
  { type, grantTypes }: ApplicationValues,
): string | undefined {
  const kind = possible(limits.grantTypes).find(({ name }) => name === sent);
  const expected = valuesOfKind(kind, limits);
  const isUnchanged =
    type === expected.type &&
    grantTypes.length === expected.grantTypes.length &&
    grantTypes.every((name) => expected.grantTypes.includes(name));
  return isUnchanged ? kind?.name : undefined;
}

/** What the form says about redirect URIs, and whether its kind has any. */
export function redirectUrisOf(kind: string | undefined): {
  readonly redirectUriHint: RedirectUriHint;
  readonly hasRedirectUris: boolean;
} {
  const known = KINDS.find(({ name }) => name === kind);
  return {
    redirectUriHint: known?.redirectUris ?? ANY_REDIRECT_URI,
    hasRedirectUris: known === undefined || known.redirectUris !== undefined,
  };
}

/** Whether an application only acts for itself, so that it asks nobody. */
export function isService({ grantTypes }: Pick<ApplicationValues, 'grantTypes'>): boolean {
  return grantTypes.length > 0 && grantTypes.every((name) => name === 'client_credentials');
}

/** Whether users go back to an application by a redirect. */
export function isRedirecting({ grantTypes }: Pick<ApplicationValues, 'grantTypes'>): boolean {
  return grantTypes.length === 0 || grantTypes.some((name) => REDIRECTING.includes(name));
}

function possible(grantTypes: readonly string[]): readonly ApplicationKind[] {
  return KINDS.filter(({ grantTypes: [needed] }) => grantTypes.includes(needed));
}
