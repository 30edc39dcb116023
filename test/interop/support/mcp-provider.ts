/** The OAuth provider for both versions of the MCP SDK: it keeps everything in memory. */
export class McpProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: object;
  /** The URL for the user; a challenge sets it. */
  requested: URL | undefined;
  registered: object | undefined;
  private saved: object | undefined;
  private verifier = '';
  private discovered: object | undefined;

  constructor(
    redirectUrl: string,
    private client?: object,
  ) {
    this.redirectUrl = redirectUrl;
    this.clientMetadata = {
      client_name: 'Assistant',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state = () => 'the-state';
  clientInformation = () => this.client;
  saveClientInformation = (client: object) => void (this.client = this.registered = client);
  tokens = () => this.saved;
  saveTokens = (tokens: object) => void (this.saved = tokens);
  redirectToAuthorization = (url: URL) => void (this.requested = url);
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;
  saveDiscoveryState = (state: object) => void (this.discovered = state);
  discoveryState = () => this.discovered;
}
