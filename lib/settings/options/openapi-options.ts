import { option, type OptionsOf } from '../table/option.js';
import { oneOf } from '../table/shapes.js';

/** The options of `oauth.openapi({ … })`. */
export const openApiOptions = {
  /**
   * The version of OpenAPI of your document: `3.0`, `3.1` or `3.2`, which alone has a flow for devices. Default: `3.1`.
   */
  version: option({ shape: () => oneOf(['3.0', '3.1', '3.2']), default: '3.1' }),
};

export type OpenApiOptions = OptionsOf<typeof openApiOptions>;
