import type { RegistrationLimits } from '../../core/clients/client-field.js';
import { DEVICE_CODE } from '../../core/grants/named-token.js';
import type { MessageKey } from '../../messages/index.js';
import type { Translator } from '../rendering/translator.js';
import { type ApplicationValues, EMPTY_VALUES } from './application-fields.js';

/** A kind of application in a developer's terms, with the client fields that it implies. */
interface ApplicationKind {
  readonly name: 'web' | 'browser' | 'native' | 'device' | 'service';
  readonly type: 'confidential' | 'public';
  /** The first grant type is essential for the kind. */
  readonly grantTypes: readonly [string, ...string[]];
  /** The text about redirect URIs; absent if the kind has none. */
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
  // RFC 10017, RFC 8252 §8.4: these kinds cannot keep a secret
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

/** The kinds that developers may register. */
export function possibleKinds({ grantTypes }: RegistrationLimits): readonly ApplicationKind[] {
  return KINDS.filter(({ grantTypes: [needed] }) => grantTypes.includes(needed));
}

/** The kind in the query; otherwise the first possible kind. */
export function applicationKindOf(limits: RegistrationLimits, query: string | undefined) {
  const kinds = possibleKinds(limits);
  return kinds.find(({ name }) => name === query) ?? kinds[0];
}

/** Sets the grant types of a kind. It ticks no scope: an application must have only scopes that a user has chosen. */
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

/** The submitted kind, unless the technical settings no longer match it. */
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

/** The form's texts for a kind of application, and the available kinds. */
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

/** Whether an application only acts for itself, and so needs no consent. */
export function isService(grantTypes: readonly string[]): boolean {
  return grantTypes.length > 0 && grantTypes.every((name) => name === 'client_credentials');
}
