import type { CreateResponseType } from '../authorization/response-types/response-type.js';
import type { ClientField } from '../clients/client-field.js';
import type { GrantType } from '../grant-types/grant-type.js';
import type { FeatureCollection } from '../models/collections.js';
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
  /** What it keeps, by the names of the models. */
  readonly collections?: readonly FeatureCollection[];
}
