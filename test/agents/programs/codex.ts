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
  /** The account with which it is signed in. Left out: a key. */
  readonly account?: (setup: Setup) => object
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

const inBase64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signed in with an account of ChatGPT, for which Codex compresses its bodies. The key of the gateway is its token. */
export const SIGNED_IN: CodexTransport = {
  ...REFUSED,
  title: 'Codex signed in',
  account: ({ key }) => {
    const auth = { chatgpt_plan_type: 'pro', chatgpt_account_id: 'account', chatgpt_user_id: 'user' }
    const claims = { email: 'somebody@example.com', exp: 4_102_444_800, 'https://api.openai.com/auth': auth }
    return {
      auth_mode: 'chatgpt',
      tokens: {
        id_token: `${inBase64({ alg: 'none' })}.${inBase64(claims)}.c2ln`,
        access_token: key,
        refresh_token: 'none',
        account_id: 'account',
      },
      last_refresh: new Date(4_000_000_000_000).toISOString(),
    }
  },
}

const mcpServer = (mcp: Setup['mcp']): readonly string[] => {
  if (mcp === undefined) return []
  const [command, ...args] = mcp
  return ['[mcp_servers.scripted]', `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`]
}

const variablesOf = (setup: Setup, isSignedIn = false): Readonly<Record<string, string>> => ({
  ...environmentOf(setup),
  CODEX_HOME: `${setup.home}/.codex`,
  ...(isSignedIn ? {} : { CODEX_API_KEY: setup.key }),
})

/** Codex with a model of this name. It has metadata of the models of OpenAI only. */
export const codex = ({ title, method, configurationOf, account }: CodexTransport, model: string): Agent => ({
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
    if (account !== undefined) await writeFile(`${setup.home}/.codex/auth.json`, JSON.stringify(account(setup)))
  },
  commandOf(setup, prompt, isFirst) {
    const start = isFirst ? ['exec'] : ['exec', 'resume', '--last']
    return {
      program: PROGRAM,
      args: [...start, '--skip-git-repo-check', '--json', prompt],
      env: variablesOf(setup, account !== undefined),
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
