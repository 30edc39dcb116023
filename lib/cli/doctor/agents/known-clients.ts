/**
 * Popular agents: their redirect URIs and metadata documents, from their makers' documentation and real registrations
 * (2026-11-27). Correct changes here, and run `npm run docs`.
 */
export const KNOWN_CLIENTS = [
  {
    name: 'Claude',
    redirectUris: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
    document: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
  },
  {
    name: 'ChatGPT',
    // the second is for servers without `iss` in responses, and ends with the id of the connection
    redirectUris: [
      'https://chatgpt.com/connector_platform_oauth_redirect',
      'https://chatgpt.com/connector/oauth/doctor',
    ],
  },
  {
    name: 'VS Code',
    redirectUris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
    document: 'https://vscode.dev/oauth/client-metadata.json',
  },
  {
    name: 'Cursor',
    redirectUris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'http://localhost:8787/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
    ],
  },
  { name: 'A command line', redirectUris: ['http://localhost:49152/callback'] },
];
