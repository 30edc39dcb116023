import type { ClientField } from './client-field.js';

/** Members of a registration response that no client sets (RFC 7591 §3.2.1, RFC 7592 §3). */
export const RESPONSE_ONLY = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
];

/** RFC 7592 §2.2: null and empty stand for an omitted field. */
export function isOmitted(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/**
 * What a registration says for a field (RFC 7591 §2); undefined if it says nothing.
 *
 * @returns the value of the field, or a problem that continues after the name of the member: `must be text`
 */
export function readWireField(
  { shape, wire }: Pick<ClientField, 'shape' | 'wire'>,
  registration: Readonly<Record<string, unknown>>,
): { readonly value: unknown } | { readonly problem: string } | undefined {
  if (wire === undefined || isOmitted(registration[wire.name])) return undefined;
  const sent = registration[wire.name];
  const [issue] = (wire.shape ?? shape)().safeParse(sent).error?.issues ?? [];
  if (issue !== undefined) return { problem: issue.message };
  return { value: wire.parse === undefined ? sent : wire.parse(sent as never) };
}
