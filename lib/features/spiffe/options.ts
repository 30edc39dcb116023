import type { ResolvedOptions, RowsOf } from '../../settings/options.js';
import { findKeySourceProblem, keySourceRows } from '../../settings/options/key-source-options.js';
import { objectOf, option, type OptionsOf } from '../../settings/table/option.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import { falseOr, recordOf, seconds } from '../../settings/table/shapes.js';
import { isTrustDomain } from '../../shared/protocol/spiffe-id.js';

const DAY = 86_400;

const trustDomainRows = {
  ...keySourceRows,
  /** Seconds that the `exp` of a JWT-SVID may lie ahead. Default: `3600`. */
  maxTtl: option({ shape: () => seconds({ max: DAY, example: 3600 }), default: 3600 }),
};

/** Workloads that their platform attests by SPIFFE. */
export const spiffeOptions = {
  /**
   * Lets clients with a `spiffeId` authenticate with a JWT-SVID (`spiffe_jwt`): the trust domains of these programs, each
   * with its SPIFFE bundle endpoint, or another key set for JWT-SVIDs alone: `{ 'photos.example': { jwksUri:
   * 'https://spire.photos.example/bundle' } }`. Default: `false`. (OAuth SPIFFE Client Authentication, draft 02)
   */
  spiffe: option({
    shape: () => {
      const message = "an object of trust domains, such as { 'photos.example': { jwksUri: 'https://…' } }";
      return falseOr(
        recordOf(objectOf(trustDomainRows, 'an object with jwksUri, or jwks'), message),
        `false or ${message}`,
      );
    },
    default: false,
  }),
};

/** How workloads with a SPIFFE ID authenticate. */
export type SpiffeOptions = NonNullable<OptionsOf<typeof spiffeOptions>['spiffe']>;

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof spiffeOptions> {}
}

/** @throws TypeError with what to write instead */
export function checkSpiffe({ spiffe }: ResolvedOptions): void {
  if (!spiffe) return;
  const trustDomains = Object.entries(spiffe);
  if (trustDomains.length === 0) throw serverOptionError('spiffe', 'must have a trust domain');
  for (const [name, source] of trustDomains) {
    const wrong = (problem: string) => serverOptionError(`spiffe.${name}`, problem);
    if (!isTrustDomain(name))
      throw wrong("is no trust domain: write it without spiffe://, in lower case, such as 'photos.example'");
    const problem = findKeySourceProblem(source);
    if (problem !== undefined) throw wrong(problem);
  }
}
