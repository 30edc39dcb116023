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
}

const CODE = ['authorization_code', 'refresh_token'] as const;
const KINDS: readonly ApplicationKind[] = [
  { name: 'web', type: 'confidential', grantTypes: CODE },
  // RFC 10017, RFC 8252 §8.4: neither can keep a secret
  { name: 'browser', type: 'public', grantTypes: CODE },
  { name: 'native', type: 'public', grantTypes: CODE },
  { name: 'device', type: 'public', grantTypes: [DEVICE_CODE, 'refresh_token'] },
  { name: 'service', type: 'confidential', grantTypes: ['client_credentials'] },
];
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

/** What a new form says: the ways of its kind are ticked, and no scope is. */
export function valuesOfKind(
  kind: ApplicationKind | undefined,
  { grantTypes }: Pick<RegistrationLimits, 'grantTypes'>,
): ApplicationValues {
  if (kind === undefined) return emptyValues();
  return {
    ...emptyValues(),
    type: kind.type,
    grantTypes: kind.grantTypes.filter((name) => grantTypes.includes(name)),
  };
}

/** Whether people go back to an application by a redirect. */
export function isRedirecting({ grantTypes }: Pick<ApplicationValues, 'grantTypes'>): boolean {
  return grantTypes.length === 0 || grantTypes.some((name) => REDIRECTING.includes(name));
}

function possible(grantTypes: readonly string[]): readonly ApplicationKind[] {
  return KINDS.filter(({ grantTypes: [needed] }) => grantTypes.includes(needed));
}
