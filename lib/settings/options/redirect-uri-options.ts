import { isApplicationScheme, type RedirectUriRules } from '../../shared/protocol/redirect-uri.js';
import { option } from '../table/option.js';
import { listOf, textLike } from '../table/shapes.js';

/** Where clients may have codes sent. */
export const redirectUriOptions = {
  /**
   * Private-use schemes without a dot that clients may have redirect URIs of, those that register or describe
   * themselves as well: `['myapp']` for `myapp://callback`. Any program on a device can take one, so people are asked
   * each time. Code (`oauth.clients`) and the command line can register any; schemes with a dot need no option. Default:
   * `[]`, which leaves those of four editors. (RFC 8252 §7.1)
   */
  privateSchemes: option({
    shape: () =>
      listOf(
        textLike(/^[a-z][a-z0-9+.-]*$/, "the name of a scheme in lower case, without colon: 'myapp'").refine(
          (name) => isApplicationScheme(`${name}:`),
          "the scheme of an application, such as 'myapp'",
        ),
        "a list of schemes, such as ['myapp']",
      ),
    default: [],
  }),
};

interface Given {
  readonly privateSchemes: readonly string[];
  readonly dangerouslyAllowInsecureHttp: boolean;
}

/** What redirect URIs may be, by who gives them: strangers that register themselves, owners on their page, or code. */
export function redirectUriRulesOf({
  privateSchemes,
  dangerouslyAllowInsecureHttp: allowsInsecureHttp,
}: Given): Readonly<Record<'stranger' | 'owner' | 'host', RedirectUriRules>> {
  const owner = { privateSchemes, allowsInsecureHttp, allowsAnyLoopback: true };
  return { stranger: { privateSchemes }, owner, host: { ...owner, privateSchemes: 'any' } };
}
