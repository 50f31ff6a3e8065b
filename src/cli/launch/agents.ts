import { type Agent, KEY_VARIABLE, shownModel } from './agent.ts'
import { OPENCODE } from './opencode.ts'

/** The path of the Responses API, chat completions and Messages; Gemini's paths are beside it. */
export const API_PATH = '/v1'

/** The path of Gemini CLI where it addresses Vertex AI. */
export const VERTEX_PATH = '/v1beta1/publishers/google'

const CLAUDE: Agent = {
  name: 'claude',
  package: '@anthropic-ai/claude-code',
  vendors: ['anthropic'],
  ownModel: 'claude-sonnet-4-5',
  removed: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_UNIX_SOCKET',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_ANTHROPIC_AWS',
    'CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_FOUNDRY',
    'CLAUDE_CODE_USE_GATEWAY',
    'CLAUDE_CODE_USE_MANTLE',
    'CLAUDE_CODE_USE_VERTEX',
  ],
  env({ url, key, model }) {
    const name = model === null ? null : shownModel(model, this.vendors)
    return {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      // Else `env` and `apiKeyHelper` of the user's settings take precedence over the environment.
      CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: '1',
      ...(name === null
        ? { CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1' }
        : {
            ANTHROPIC_MODEL: name,
            ANTHROPIC_DEFAULT_OPUS_MODEL: name,
            ANTHROPIC_DEFAULT_SONNET_MODEL: name,
            ANTHROPIC_DEFAULT_HAIKU_MODEL: name,
            ANTHROPIC_DEFAULT_FABLE_MODEL: name,
            ANTHROPIC_SMALL_FAST_MODEL: name,
          }),
    }
  },
  args: () => [],
  bypass: 'managed settings of Claude Code name another server',
}

const CODEX: Agent = {
  name: 'codex',
  package: '@openai/codex',
  vendors: ['openai'],
  ownModel: 'gpt-5',
  removed: [],
  env: ({ key }) => ({ [KEY_VARIABLE]: key }),
  args({ url, model }) {
    const provider = [
      'name="millrace"',
      `base_url=${toToml(url + API_PATH)}`,
      `env_key="${KEY_VARIABLE}"`,
      'wire_api="responses"',
    ]
    const settings = [
      'model_provider="millrace"',
      `model_providers.millrace={${provider.join(',')}}`,
      ...(model === null ? [] : [`model=${toToml(shownModel(model, this.vendors))}`]),
    ]
    return settings.flatMap((setting) => ['-c', setting])
  },
  bypass: 'its arguments or a managed configuration of Codex name another provider',
}

/** Strings of JSON are basic strings of TOML. */
const toToml = (text: string): string => JSON.stringify(text)

const GEMINI_LOGIN = 'gemini-api-key'

const GEMINI: Agent = {
  name: 'gemini',
  package: '@google/gemini-cli',
  vendors: ['google'],
  ownModel: 'gemini-2.5-pro',
  removed: [
    'GEMINI_API_KEY',
    'GEMINI_API_KEY_AUTH_MECHANISM',
    'GEMINI_CLI_USE_COMPUTE_ADC',
    'GOOGLE_API_KEY',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_GENAI_API_VERSION',
    'GOOGLE_GENAI_USE_GCA',
    'GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_VERTEX_BASE_URL',
  ],
  loginFile: '.gemini/settings.json',
  env: ({ url, key, model, login }) => ({
    // Without a choice in its settings, Gemini CLI takes GOOGLE_GEMINI_BASE_URL for a login that it then refuses, so
    // that Vertex AI is requested. With the variables of both logins, it complains about two keys.
    ...(login === GEMINI_LOGIN
      ? { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key }
      : {
          GOOGLE_GENAI_USE_VERTEXAI: 'true',
          GOOGLE_VERTEX_BASE_URL: url,
          GOOGLE_API_KEY: key,
          GEMINI_DEFAULT_AUTH_TYPE: 'vertex-ai',
        }),
    // A login with Google has a server of its own, whose requests would pass by this one.
    CODE_ASSIST_ENDPOINT: url,
    // In a name with slashes it takes the first part for a publisher of Vertex AI.
    ...(model === null ? {} : { GEMINI_MODEL: model.model.slice(model.model.lastIndexOf('/') + 1) }),
  }),
  args: () => [],
  bypass: 'it is logged in with Google. Choose "Vertex AI" in its dialog /auth once',
}

export const AGENTS: ReadonlyMap<string, Agent> = new Map(
  [CLAUDE, CODEX, GEMINI, OPENCODE].map((agent) => [agent.name, agent]),
)
