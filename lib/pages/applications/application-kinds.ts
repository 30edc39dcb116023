import type { RegistrationLimits } from '../../core/clients/client-field.js';
import { DEVICE_CODE } from '../../core/grants/named-token.js';
import type { MessageKey } from '../../messages/index.js';
import type { Translator } from '../rendering/translator.js';
import { type ApplicationValues, EMPTY_VALUES } from './application-fields.js';

/** What a developer calls an application, and what that says of its client. */
interface ApplicationKind {
  readonly name: 'web' | 'browser' | 'native' | 'device' | 'service';
  readonly type: 'confidential' | 'public';
  /** Without the first one there is no such application. */
  readonly grantTypes: readonly [string, ...string[]];
  /** What the form says of redirect URIs; absent if it has none. */
  readonly meaning?: MessageKey;
  /** An example of a redirect URI on loopback. Default: without a port (RFC 8252 §7.3). */
  readonly loopback?: string;
}

const CODE = ['authorization_code', 'refresh_token'] as const;
const KINDS: readonly ApplicationKind[] = [
  {
    name: 'web',
    type: 'confidential',
    grantTypes: CODE,
    meaning: 'form.redirectUris.web',
    loopback: 'http://localhost:3000/callback',
  },
  // RFC 10017, RFC 8252 §8.4: neither can keep a secret
  {
    name: 'browser',
    type: 'public',
    grantTypes: CODE,
    meaning: 'form.redirectUris.browser',
    loopback: 'http://localhost:5173/callback',
  },
  { name: 'native', type: 'public', grantTypes: CODE, meaning: 'form.redirectUris.native' },
  { name: 'device', type: 'public', grantTypes: [DEVICE_CODE, 'refresh_token'] },
  { name: 'service', type: 'confidential', grantTypes: ['client_credentials'] },
];

/** Those that developers can register here. */
export function possibleKinds({ grantTypes }: RegistrationLimits): readonly ApplicationKind[] {
  return KINDS.filter(({ grantTypes: [needed] }) => grantTypes.includes(needed));
}

/** The kind that a query asks for, or the first one that is possible. */
export function applicationKindOf(limits: RegistrationLimits, query: string | undefined) {
  const kinds = possibleKinds(limits);
  return kinds.find(({ name }) => name === query) ?? kinds[0];
}

/**
 * What a form says for a kind: the ways of the kind are ticked. No scope is ticked that was not: an application may do
 * what somebody has chosen, not what was left ticked.
 */
export function valuesOfKind(
  kind: ApplicationKind | undefined,
  { grantTypes }: RegistrationLimits,
  typed = EMPTY_VALUES,
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
  limits: RegistrationLimits,
  sent: string,
  { type, grantTypes }: ApplicationValues,
): string | undefined {
  const kind = possibleKinds(limits).find(({ name }) => name === sent);
  const expected = valuesOfKind(kind, limits);
  const isUnchanged =
    type === expected.type &&
    grantTypes.length === expected.grantTypes.length &&
    grantTypes.every((name) => expected.grantTypes.includes(name));
  return isUnchanged ? kind?.name : undefined;
}

/** What the form says because of the kind of application, and the kinds that can be chosen. */
export function describeKind(
  current: string | undefined,
  { grantTypes }: ApplicationValues,
  kinds: readonly ApplicationKind[],
  { text }: Translator,
) {
  const kind = KINDS.find(({ name }) => name === current);
  return {
    kind: current,
    kinds: kinds.map(({ name }) => ({
      name,
      label: text(`form.kind.${name}`),
      meaning: text(`form.kind.${name}.meaning`),
      isCurrent: name === current,
    })),
    isRedirecting:
      grantTypes.length === 0 ||
      grantTypes.some((name) => name === 'authorization_code' || name === 'implicit'),
    redirectUriHint: {
      meaning: kind?.meaning ?? 'form.redirectUrisMeaning',
      examples: {
        web: 'https://app.example/callback',
        // RFC 8252 §7.3, §7.1
        loopback: kind?.loopback ?? 'http://127.0.0.1/callback',
        scheme: 'com.example.app:/callback',
      },
    },
    hasRedirectUris: kind === undefined || kind.meaning !== undefined,
    scopesLegend: text(isService(grantTypes) ? 'form.scopesOfService' : 'form.scopes'),
  };
}

/** Whether an application only acts for itself, so that it asks nobody. */
export function isService(grantTypes: readonly string[]): boolean {
  return grantTypes.length > 0 && grantTypes.every((name) => name === 'client_credentials');
}
