import type { NamedTokenKind } from '../../core/grants/named-token.js';
import type { Settings } from '../../settings/settings.js';

/**
 * The rules of the consent page as they are for a token: its maker needs none of the scopes, chooses its end beside the
 * other choices, and a service token, which acts for nobody, has no choices of a person.
 */
export function rulesFor(kind: NamedTokenKind, settings: Settings): Settings {
  const { scopes, choices, authorizationDetails } = settings;
  const requested = [...choices].filter(([, { lifetime }]) => kind === 'personal' && lifetime === undefined);
  return {
    ...settings,
    scopes: Object.fromEntries(
      Object.entries(scopes).map(([name, scope]) => [name, { ...scope, optional: true }]),
    ),
    choices: new Map(requested),
    authorizationDetails: new Map(
      [...authorizationDetails].map(([name, type]) => [name, { ...type, optional: true }]),
    ),
  };
}
