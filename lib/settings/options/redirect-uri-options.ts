import type { RedirectUriRules } from '../../shared/protocol/redirect-uri.js';
import type { ResolvedOptions } from '../options.js';

/** What redirect URIs may be, by who gives them: strangers that register themselves, owners on their page, or code. */
export function redirectUriRulesOf({
  security: { privateSchemes, dangerouslyAllowInsecureHttp: allowsInsecureHttp },
}: Pick<ResolvedOptions, 'security'>): Readonly<Record<'stranger' | 'owner' | 'host', RedirectUriRules>> {
  const owner = { privateSchemes, allowsInsecureHttp };
  return { stranger: { privateSchemes }, owner, host: { ...owner, privateSchemes: 'any' } };
}
