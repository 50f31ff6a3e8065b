import { mkdir, writeFile } from 'node:fs/promises'
import { type Agent, environmentOf, installed, PLATFORM, type Setup, sdkSession } from '../agent.ts'

const TRIPLES: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}

const PROGRAM = installed(`@openai/codex-${PLATFORM}/vendor/${TRIPLES[PLATFORM]}/bin/codex`)

const FULL_CONTEXT = 50_000

/** How Codex reaches the gateway. */
export interface CodexTransport {
  readonly title: string
  readonly method: Agent['method']
  configurationOf(setup: Setup): readonly string[]
}

/** A provider of its own, without WebSocket. */
export const HTTP: CodexTransport = {
  title: 'Codex',
  method: 'POST',
  configurationOf: ({ url }) => [
    'model_provider = "gateway"',
    '[model_providers.gateway]',
    'name = "gateway"',
    `base_url = "${url}/openai/v1"`,
    'wire_api = "responses"',
    'env_key = "CODEX_API_KEY"',
    'supports_websockets = false',
    // A silence that an event has to interrupt.
    'stream_idle_timeout_ms = 4000',
  ],
}

/** OpenAI's own provider with another address. Codex connects by WebSocket first. */
export const BASE_URL: CodexTransport = {
  title: 'Codex by WebSocket',
  method: 'WS',
  configurationOf: ({ url }) => [`openai_base_url = "${url}/openai/v1"`],
}

/** The same over a mount without WebSocket, which makes Codex use HTTP. */
export const REFUSED: CodexTransport = { ...BASE_URL, title: 'Codex, WebSocket refused', method: 'POST' }

const mcpServer = (mcp: Setup['mcp']): readonly string[] => {
  if (mcp === undefined) return []
  const [command, ...args] = mcp
  return ['[mcp_servers.scripted]', `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`]
}

const variablesOf = (setup: Setup): Readonly<Record<string, string>> => ({
  ...environmentOf(setup),
  CODEX_HOME: `${setup.home}/.codex`,
  CODEX_API_KEY: setup.key,
})

/** Codex with a model of this name. It has metadata of the models of OpenAI only. */
export const codex = ({ title, method, configurationOf }: CodexTransport, model: string): Agent => ({
  title: `${title}, ${model}`,
  program: PROGRAM,
  returned: ['signatures', 'text'],
  method,
  compaction: null,
  fullContext: FULL_CONTEXT,
  async configure(setup) {
    await mkdir(`${setup.home}/.codex`, { recursive: true })
    const lines = [
      `model = "${model}"`,
      'check_for_update_on_startup = false',
      'approval_policy = "never"',
      'sandbox_mode = "danger-full-access"',
      'web_search = "live"',
      `model_auto_compact_token_limit = ${FULL_CONTEXT / 2}`,
      ...configurationOf(setup),
      ...mcpServer(setup.mcp),
      '[analytics]',
      'enabled = false',
    ]
    await writeFile(`${setup.home}/.codex/config.toml`, `${lines.join('\n')}\n`)
  },
  commandOf(setup, prompt, isFirst) {
    const start = isFirst ? ['exec'] : ['exec', 'resume', '--last']
    return {
      program: PROGRAM,
      args: [...start, '--skip-git-repo-check', '--json', prompt],
      env: variablesOf(setup),
      folder: setup.folder,
    }
  },
})

const SDK = installed('@openai/codex-sdk/dist/index.js')

/** The same program, started by the library for it. */
export const codexSdk = (transport: CodexTransport, model: string): Agent => ({
  ...codex(transport, model),
  title: `Codex SDK, ${model}`,
  program: SDK,
  commandOf: (setup, prompt, isFirst) => ({
    ...sdkSession('codex', SDK, PROGRAM, prompt, isFirst),
    env: variablesOf(setup),
    folder: setup.folder,
  }),
})
