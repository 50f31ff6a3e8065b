import type { JsonObject } from '../../protocol/json.ts'
import { lookup } from '../../text/lookup.ts'
import { type Agent, type AgentSession, KEY_VARIABLE, type SessionModel } from './agent.ts'

/** The vendors that opencode has catalogues of models of, with its own names and the paths of their APIs. */
const PROVIDERS: Readonly<Record<string, { readonly id: string; readonly path: string }>> = {
  anthropic: { id: 'anthropic', path: '/v1' },
  openai: { id: 'openai', path: '/v1' },
  google: { id: 'google', path: '/v1beta' },
}

/** The packages of opencode that serve the protocol of an upstream; other upstreams have chat completions. */
const PACKAGES: Record<string, { readonly npm: string; readonly path: string }> = {
  'anthropic-messages': { npm: '@ai-sdk/anthropic', path: '/v1' },
  'openai-responses': { npm: '@ai-sdk/openai', path: '/v1' },
  'gemini-generate': { npm: '@ai-sdk/google', path: '/v1beta' },
}
const CHAT = { npm: '@ai-sdk/openai-compatible', path: '/v1' }

/** The id of the provider for models of other vendors. */
const OWN_ID = 'millrace'

export const OPENCODE: Agent = {
  name: 'opencode',
  package: 'opencode-ai',
  vendors: Object.keys(PROVIDERS),
  ownModel: null,
  removed: [],
  env: (session) => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify(toConfigContent(session)),
    // These plugins send requests with a stored login to the vendor itself.
    OPENCODE_DISABLE_DEFAULT_PLUGINS: 'true',
    [KEY_VARIABLE]: session.key,
  }),
  args: () => [],
  bypass: 'a managed configuration or a plugin of opencode names another server',
}

function toConfigContent({ url, model, vendors }: AgentSession): JsonObject {
  const options = (path: string): JsonObject => ({ baseURL: url + path, apiKey: `{env:${KEY_VARIABLE}}` })
  if (model !== null) return oneModel(model, options)
  const known = Object.entries(PROVIDERS).filter(([vendor]) => vendors.includes(vendor))
  return {
    enabled_providers: known.map(([, { id }]) => id),
    provider: Object.fromEntries(known.map(([, { id, path }]) => [id, { options: options(path) }])),
  }
}

function oneModel({ vendor, model, wire }: SessionModel, options: (path: string) => JsonObject): JsonObject {
  const known = lookup(PROVIDERS, vendor)
  const { npm, path } = lookup(PACKAGES, wire) ?? CHAT
  const [id, name] = known === undefined ? [OWN_ID, `${vendor}/${model}`] : [known.id, model]
  const models = { [name]: {} }
  return {
    model: `${id}/${name}`,
    small_model: `${id}/${name}`,
    enabled_providers: [id],
    provider: {
      [id]:
        known === undefined
          ? { npm, name: OWN_ID, options: options(path), models }
          : { options: options(known.path), models },
    },
  }
}
