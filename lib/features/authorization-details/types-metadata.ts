import { Router } from 'express';
import { z } from 'zod';

import { crossOrigin } from '../../core/http/cross-origin.js';
import { refuseOtherMethods } from '../../core/http/handle.js';
import { jsonError } from '../../core/http/json-error.js';
import type { Endpoint } from '../../server/server.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import type { JsonSchema } from './detail-schema.js';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** A schema that can be written as a JSON Schema (Standard JSON Schema 1): zod since 4.2, ArkType, Valibot. */
interface WithJsonSchema {
  readonly '~standard': {
    readonly vendor: string;
    readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => JsonSchema };
  };
}

/** A schema as a JSON Schema of its input. A schema that has no such form accepts everything in the metadata. */
function toJsonSchema(schema: WithJsonSchema): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard'];
  try {
    if (jsonSchema?.input !== undefined) return jsonSchema.input({ target: 'draft-2020-12' });
    if (vendor === 'zod')
      return z.toJSONSchema(schema as unknown as z.ZodType, { io: 'input', unrepresentable: 'any' });
  } catch {
    // JSON Schema has no form for transformations and checks in code
  }
  return {};
}

/**
 * The metadata of each type. Its schema describes one detail, including `type`.
 *
 * @see RAR Metadata and Error Remediation §5
 */
export const detailTypes: Endpoint = {
  name: 'authorization_details_types',
  create({ settings, report }) {
    const types = [...requireEnabled(settings.authorizationDetails, 'authorizationDetails')].map(
      ([type, { schema, jsonSchema }]) => {
        const { properties, required, ...rest } = (jsonSchema ?? toJsonSchema(schema)) as {
          readonly properties?: object;
          readonly required?: readonly string[];
        };
        // §5: the schema MUST restrict the type to the identifier, and MUST validate exactly one detail
        const restricted = {
          $schema: DRAFT,
          ...rest,
          type: 'object',
          properties: { type: { const: type }, ...properties },
          required: ['type', ...(required ?? [])],
        };
        return [type, { schema: restricted }] as const;
      },
    );
    const body = JSON.stringify(Object.fromEntries(types));
    const router = Router();
    router.all('/', crossOrigin('GET'));
    router.get('/', (_req, res) => {
      res
        .set({ 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' })
        .type('application/json')
        .send(body);
    });
    router.all('/', refuseOtherMethods('GET', 'HEAD'));
    router.use(jsonError('authorization_details_types', report));
    return router;
  },
  metadata: (_server, url) => ({ authorization_details_types_metadata_endpoint: url }),
};
