import type { Schema } from 'mongoose';

import { objectOf, option, type OptionsOf } from '../table/option.js';
import { callback } from '../table/shapes.js';

/** Extends a schema of the package with the site's fields, validators, hooks or indexes. */
export type ExtendSchema = (schema: Schema) => unknown;

const extension = () => callback<ExtendSchema>('(schema) => schema.add({ plan: String })');

/** The site's fields in stored documents. */
const schemasOptions = {
  /** Of clients: `clients.create` and `clients.update` take, validate and return what is added. */
  client: option({ shape: extension }),
  /** Of grants. */
  grant: option({ shape: extension }),
  /** Of consents. */
  consent: option({ shape: extension }),
};

/** Your own fields in what is stored. */
export type SchemasOptions = OptionsOf<typeof schemasOptions>;

/** Fields of your own: what your site keeps beside the package's fields. */
export const schemaOptions = {
  /**
   * Fields of your own in what is stored: `{ client: (schema) => schema.add({ plan: String }) }`. `interface
   * CustomClientFields` types those of clients. Default: none.
   */
  schemas: option({
    members: schemasOptions,
    shape: () =>
      objectOf(
        schemasOptions,
        'an object of functions, such as { client: (schema) => schema.add({ plan: String }) }',
      ),
  }),
};
