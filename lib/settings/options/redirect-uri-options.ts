import type { RedirectUriRules } from '../../shared/protocol/redirect-uri.js';
import type { ResolvedOptions } from '../options.js';

/** The rules for redirect URIs by source: self-registration, an owner's form, or code. */
export function redirectUriRulesOf({
  security: { privateSchemes, dangerouslyAllowInsecureHttp: allowsInsecureHttp },
}: Pick<ResolvedOptions, 'security'>): Readonly<Record<'stranger' | 'owner' | 'host', RedirectUriRules>> {
  const owner = { privateSchemes, allowsInsecureHttp };
  return { stranger: { privateSchemes }, owner, host: { ...owner, privateSchemes: 'any' } };
}
