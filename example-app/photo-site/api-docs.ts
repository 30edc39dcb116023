import { Router } from 'express';
import swaggerUi from 'swagger-ui-express';

import { apiDocsClient } from '../demo.js';
import { describePhotoApi, type DescriptionOptions } from './api-description.js';
import { apiDocsPolicy } from './security-headers.js';

/** The OpenAPI document, and Swagger UI, whose "Authorize" is an ordinary client. */
export function createApiDocs(options: DescriptionOptions): Router {
  const { clientId } = apiDocsClient;
  const document = describePhotoApi(options);
  const scopes = ['photos:read'];
  const swaggerOptions = { oauth: { clientId, usePkceWithAuthorizationCodeGrant: true, scopes } };
  return Router()
    .get('/openapi.json', (_req, res) => void res.json(document))
    .use(
      '/docs',
      apiDocsPolicy,
      swaggerUi.serve,
      swaggerUi.setup(document, { swaggerOptions, customSiteTitle: 'Lantern Photos: API' }),
    );
}
