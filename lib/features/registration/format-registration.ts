import type { Client } from '../../core/clients/client.js';
import { CLIENT_FIELDS, DETAIL_FIELDS } from '../../core/clients/client-fields.js';
import type { RegistrationRules } from '../../core/clients/wire-metadata.js';

/**
 * All registered metadata under their wire names.
 *
 * @see RFC 7591 §3.2.1: MUST return all registered metadata about this client, including values that the server has set
 */
export function formatRegistration(
  client: Client,
  { responseTypes, fields = CLIENT_FIELDS }: RegistrationRules,
): Readonly<Record<string, unknown>> {
  const { details = {}, softwareStatement } = client.registration ?? {};
  const members: Record<string, unknown> = {};
  for (const [values, rows] of [
    [client, fields],
    [details, DETAIL_FIELDS],
  ] as const)
    for (const { name, wire } of rows) {
      const value = (values as Readonly<Record<string, unknown>>)[name];
      if (wire === undefined || value === undefined) continue;
      const member = wire.format === undefined ? value : wire.format(value as never);
      if (member !== undefined) members[wire.name] = member;
    }
  return {
    ...members,
    response_types: responseTypes
      .filter(({ grantType }) => client.grantTypes.includes(grantType))
      .map(({ responseType }) => responseType)
      .filter((name) => client.responseTypes?.includes(name) !== false),
    software_statement: softwareStatement,
  };
}
