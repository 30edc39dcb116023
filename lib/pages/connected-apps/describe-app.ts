import { consentClientOf } from '../../core/authorization/consent-client.js';
import type { Client } from '../../core/clients/client.js';
import type { Settings } from '../../settings/settings.js';
import { describeClient, findClientLogo } from '../consent/describe-client.js';
import type { Translator } from '../rendering/translator.js';

/** The client's own pages and logo are believed by the same rule as on the consent page. */
export function describeApp(client: Client, settings: Settings, translator: Translator) {
  const { clientLogo, isVerified, publisher, clientLinks } = describeClient(
    believedOf(client),
    settings,
    translator,
  );
  return { logo: clientLogo, isVerified, publisher, clientLinks };
}

export function appLogoOf(client: Client, settings: Settings): string | undefined {
  return findClientLogo(believedOf(client), settings);
}

function believedOf(client: Client) {
  return { client: consentClientOf(client), redirectUri: homeOf(client) };
}

/** Where all its answers go, if that is one host: with a second one, either could lend its looks to the other. */
export function homeOf({ redirectUris }: Client): string | undefined {
  const [first] = redirectUris;
  const hosts = new Set(redirectUris.map((uri) => new URL(uri).host));
  return hosts.size === 1 ? first : undefined;
}
