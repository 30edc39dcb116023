import { isTrustDomain } from '../../shared/protocol/spiffe-id.js';
import { objectOf, option, required, type SettingsOf } from '../table/option.js';
import { optionError } from '../table/parse-options.js';
import { falseOr, recordOf, seconds } from '../table/shapes.js';
import { findKeySourceProblem, keySourceRows } from './key-source-options.js';

const DAY = 86_400;

const trustDomainRows = {
  ...keySourceRows,
  /** Seconds that the `exp` of a JWT-SVID may lie ahead. Default: `3600`. */
  maxTtl: option({ shape: () => seconds({ max: DAY, example: 3600 }), default: 3600 }),
};

const rows = {
  /**
   * The trust domains whose programs can be clients, each with the place of its keys:
   * `{ 'photos.example': { jwksUri: 'https://spire.photos.example/bundle' } }`. That is its SPIFFE bundle endpoint, or
   * any other key set of its JWT-SVIDs.
   */
  trustDomains: required({
    shape: () =>
      recordOf(
        objectOf(trustDomainRows, 'an object with jwksUri, or jwks'),
        "an object of trust domains, such as { 'photos.example': { jwksUri: 'https://…' } }",
      ),
  }),
};

export type TrustDomainSettings = SettingsOf<typeof trustDomainRows>;
export type SpiffeSettings = SettingsOf<typeof rows>;

/** Programs that their platform attests by SPIFFE. */
export const spiffeOptions = {
  /**
   * Lets clients authenticate with the JWT-SVID that SPIFFE gives to them (`spiffe_jwt`), each as the SPIFFE ID that it
   * is registered with (`spiffeId`): `{ trustDomains: { 'photos.example': { jwksUri: 'https://…' } } }`. Default:
   * `false`. (OAuth SPIFFE Client Authentication, draft 02)
   */
  spiffe: option({
    shape: () => falseOr(objectOf(rows, 'an object'), 'false or an object of trustDomains'),
    default: false,
  }),
};

/** @throws TypeError with what to write instead */
export function checkSpiffe(spiffe: SpiffeSettings | false): void {
  if (spiffe === false) return;
  const trustDomains = Object.entries(spiffe.trustDomains);
  if (trustDomains.length === 0)
    throw optionError('authorizationServer', 'spiffe.trustDomains', 'must have a trust domain');
  for (const [name, source] of trustDomains) {
    const wrong = (problem: string) =>
      optionError('authorizationServer', `spiffe.trustDomains.${name}`, problem);
    if (!isTrustDomain(name))
      throw wrong("is no trust domain: write it without spiffe://, in lower case, such as 'photos.example'");
    const problem = findKeySourceProblem(source);
    if (problem !== undefined) throw wrong(problem);
  }
}
