import type { ClientCertificate } from '../../shared/crypto/client-certificate.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { Parameters, RepeatedParameters } from '../../shared/protocol/parameters.js';
import type { Client } from '../clients/client.js';
import type { RequestOrigin } from '../http/request-origin.js';
import type { Emit } from '../observability/events.js';
import type { KeyProof } from '../proof-of-possession/binding.js';

export interface ClientRequest {
  readonly client: Client;
  readonly parameters: Parameters;
  readonly repeated: RepeatedParameters;
  /** The resources that the request names (RFC 8707 §2.2). */
  readonly resources: readonly string[];
  /** The authorization details that the request names; undefined if there are none (RFC 9396 §6). */
  readonly authorizationDetails?: readonly AuthorizationDetail[] | undefined;
  /** The client's DPoP proof of its key, if the request has one (RFC 9449). */
  readonly dpopProof?: KeyProof | undefined;
  /** The certificate of the client, if certificates are read (RFC 8705). */
  readonly certificate?: ClientCertificate | undefined;
  readonly origin: RequestOrigin;
  readonly now: Date;
  readonly emit: Emit;
}
