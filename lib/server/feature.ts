import type { CreateResponseType } from '../authorization/response-types/response-type.js';
import type { RequestSource } from '../authorization/sources/request-source.js';
import type { ClientField } from '../clients/client-field.js';
import type { GrantType } from '../grant-types/grant-type.js';
import type { FeatureCollection } from '../models/collections.js';
import type { Stores } from '../models/stores.js';
import type { Settings } from '../settings/settings.js';
import type { Endpoint } from './endpoint.js';

/**
 * What one option switches on, in whichever rooms its parts lie. What is off has no route and nothing in the metadata.
 */
export interface Feature {
  readonly name: string;
  readonly isOn: (settings: Settings) => boolean;
  readonly grantTypes?: readonly GrantType[];
  readonly responseTypes?: readonly CreateResponseType[];
  readonly endpoints?: readonly Endpoint[];
  readonly clientFields?: readonly ClientField[];
  /** Parameters of the authorization request that it reads, which would be refused otherwise (`request_uri`). */
  readonly authorizationParameters?: readonly string[];
  /** Another way in which authorization requests are named than by their parameters. */
  readonly createRequestSource?: (stores: Stores) => RequestSource;
  /** What it keeps, by the names of the models. */
  readonly collections?: readonly FeatureCollection[];
}
