/** A running server, as its clients reach it. */
export interface RunningAddress {
  /** The path of Claude Code and Gemini CLI, which add the version of the API. */
  readonly root: string
  /** The path of all others. */
  readonly api: string
}

/** The settings of one coding agent for a server that runs already. */
interface PrintedSettings {
  /** Where they belong, and what else is to be done. */
  readonly place: string
  /** Whether the agent needs the name of a model. */
  readonly needsModel: boolean
  /** Whole lines. The key is named by its variable only. */
  text(address: RunningAddress, model: string): string
}

/** The variable with a key of the server. */
export const SERVER_KEY = 'MILLRACE_KEY'

const IN_SHELL = 'Run these lines in the shell in which you start it, or put them into its profile'

/** A word of a shell, in which `$MILLRACE_KEY` stands for the key. */
const quoted = (value: string): string =>
  value === `$${SERVER_KEY}` ? `"${value}"` : `'${value.replaceAll("'", "'\\''")}'`

const exported = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('')

const toJsonText = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/** Strings of JSON are strings of TOML and of YAML. */
const toText = (value: string): string => JSON.stringify(value)

const KEY = `$${SERVER_KEY}`

/**
 * The settings by the name of the program, measured with Claude Code 2.1.330, Codex 0.169.0, Gemini CLI 0.61.0, opencode
 * 1.18.33, Cline 3.0.65, Continue 1.5.47, Qwen Code 0.24.4, Copilot 1.0.102 and pi 0.74.2.
 */
export const PRINTED_SETTINGS: ReadonlyMap<string, PrintedSettings> = new Map([
  [
    'claude',
    {
      place: IN_SHELL,
      needsModel: false,
      text: ({ root }, model) =>
        exported({
          ANTHROPIC_BASE_URL: root,
          ANTHROPIC_AUTH_TOKEN: KEY,
          ...(model === ''
            ? { CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1' }
            : {
                ANTHROPIC_MODEL: model,
                ANTHROPIC_DEFAULT_OPUS_MODEL: model,
                ANTHROPIC_DEFAULT_SONNET_MODEL: model,
                ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
                ANTHROPIC_DEFAULT_FABLE_MODEL: model,
                ANTHROPIC_SMALL_FAST_MODEL: model,
              }),
        }),
    },
  ],
  [
    'codex',
    {
      place: 'Add these lines at the beginning of ~/.codex/config.toml',
      needsModel: false,
      text: ({ api }, model) =>
        [
          ...(model === '' ? [] : [`model = ${toText(model)}`]),
          'model_provider = "millrace"',
          '',
          '[model_providers.millrace]',
          'name = "millrace"',
          `base_url = ${toText(api)}`,
          `env_key = "${SERVER_KEY}"`,
          'wire_api = "responses"',
          '',
        ].join('\n'),
    },
  ],
  [
    'gemini',
    {
      place: `${IN_SHELL}; choose "Use Gemini API Key" in its dialog /auth once`,
      needsModel: false,
      text: ({ root }, model) =>
        exported({
          GOOGLE_GEMINI_BASE_URL: root,
          GEMINI_API_KEY: KEY,
          ...(model === '' ? {} : { GEMINI_MODEL: model }),
        }),
    },
  ],
  [
    'opencode',
    {
      place: 'Write this file: ~/.config/opencode/opencode.json',
      needsModel: true,
      text: ({ api }, model) =>
        toJsonText({
          model: `millrace/${model}`,
          provider: {
            millrace: {
              npm: '@ai-sdk/openai-compatible',
              options: { baseURL: api, apiKey: `{env:${SERVER_KEY}}` },
              models: { [model]: {} },
            },
          },
        }),
    },
  ],
  [
    'cline',
    {
      place: 'Run this command once; in the extension, choose the provider "OpenAI Compatible" with the same values',
      needsModel: true,
      text: ({ api }, model) =>
        `cline auth --provider openai-compatible --apikey "${KEY}" --baseurl ${quoted(api)} --modelid ${quoted(model)}\n`,
    },
  ],
  [
    'continue',
    {
      place: `Write this file: ~/.continue/config.yaml. The variable may be in ~/.continue/.env`,
      needsModel: true,
      text: ({ api }, model) =>
        [
          'name: millrace',
          'version: 1.0.0',
          'schema: v1',
          'models:',
          `  - name: ${toText(model)}`,
          '    provider: openai',
          `    model: ${toText(model)}`,
          `    apiBase: ${toText(api)}`,
          `    apiKey: \${{ secrets.${SERVER_KEY} }}`,
          '',
        ].join('\n'),
    },
  ],
  [
    'qwen',
    {
      place: IN_SHELL,
      needsModel: true,
      text: ({ api }, model) => exported({ OPENAI_BASE_URL: api, OPENAI_API_KEY: KEY, OPENAI_MODEL: model }),
    },
  ],
  [
    'copilot',
    {
      place: IN_SHELL,
      needsModel: true,
      text: ({ api }, model) =>
        exported({ COPILOT_PROVIDER_BASE_URL: api, COPILOT_PROVIDER_API_KEY: KEY, COPILOT_MODEL: model }),
    },
  ],
  [
    'pi',
    {
      place: 'Write this file: ~/.pi/agent/models.json, and start pi with --provider millrace',
      needsModel: true,
      text: ({ api }, model) =>
        toJsonText({
          providers: {
            millrace: { baseUrl: api, api: 'openai-completions', apiKey: SERVER_KEY, models: [{ id: model }] },
          },
        }),
    },
  ],
])
