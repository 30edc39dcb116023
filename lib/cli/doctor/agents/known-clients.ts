/** An agent that people use, with what is known about how it connects. */
export interface KnownClient {
  readonly name: string;
  /** Its callback addresses. */
  readonly redirectUris: readonly string[];
  /** Where it describes itself, if it does. */
  readonly document?: string;
}

/** As their makers document them; if that changes, correct it here. */
export const KNOWN_CLIENTS: readonly KnownClient[] = [
  {
    name: 'Claude',
    redirectUris: ['https://claude.ai/api/mcp/auth_callback'],
    document: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
  },
  { name: 'ChatGPT', redirectUris: ['https://chatgpt.com/connector_platform_oauth_redirect'] },
  {
    name: 'VS Code',
    redirectUris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
    document: 'https://vscode.dev/oauth/client-metadata.json',
  },
  { name: 'Cursor', redirectUris: ['cursor://anysphere.cursor-mcp/oauth/callback'] },
  { name: 'A command line', redirectUris: ['http://localhost:49152/callback'] },
];
