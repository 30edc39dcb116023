import type { RedirectUriRules } from '../../shared/protocol/redirect-uri.js';

interface Given {
  readonly security: {
    readonly privateSchemes: readonly string[];
    readonly dangerouslyAllowInsecureHttp: boolean;
  };
}

/** What redirect URIs may be, by who gives them: strangers that register themselves, owners on their page, or code. */
export function redirectUriRulesOf({
  security: { privateSchemes, dangerouslyAllowInsecureHttp: allowsInsecureHttp },
}: Given): Readonly<Record<'stranger' | 'owner' | 'host', RedirectUriRules>> {
  const owner = { privateSchemes, allowsInsecureHttp };
  return { stranger: { privateSchemes }, owner, host: { ...owner, privateSchemes: 'any' } };
}
