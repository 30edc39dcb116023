export {
  accessToken,
  type AccessTokenOptions,
  actingAs,
  actingAsClient,
  type Authorized,
} from './testing/access-token.js';
export { allow, deny, type PersonAtBrowser } from './testing/decide.js';
export { startServer, type TestServer, type TestServerOptions } from './testing/start-server.js';
