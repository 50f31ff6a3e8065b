import { expect, it } from 'vitest'
import { bodySecrets } from '../../../src/host/recording/request-secrets.ts'

/** In no form of a key: only its place tells that it is one. */
const SECRET = 'canary of nobody 4761'

const policy = { type: 'allowlist', allowed_domains: ['a.example'] }
const mcp = { type: 'mcp', server_label: 'files', server_url: 'https://files.example/mcp' }

it.each<[string, object]>([
  [
    'a domain of a container',
    {
      tools: [
        {
          type: 'shell',
          environment: {
            type: 'container_auto',
            network_policy: { ...policy, domain_secrets: [{ domain: 'a.example', name: 'TOKEN', value: SECRET }] },
          },
        },
      ],
    },
  ],
  ['an MCP server of OpenAI', { tools: [{ ...mcp, authorization: SECRET }] }],
  ['the headers of an MCP server', { tools: [{ ...mcp, headers: { 'x-account': SECRET } }] }],
  ['an MCP server of Anthropic', { mcp_servers: [{ type: 'url', authorization_token: SECRET }] }],
  ['a search of Gemini', { tools: [{ retrieval: { authConfig: { apiKeyConfig: { apiKeyString: SECRET } } } }] }],
])('finds the secret of %s', (_, body) => {
  expect(bodySecrets(JSON.stringify(body))).toContain(SECRET)
  expect(bodySecrets(JSON.stringify({ input: body }))).not.toContain(SECRET)
})
