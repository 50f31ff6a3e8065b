/** The gateways and libraries that are checked, as their documentation configures them. */
import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { CheckServerOptions } from '../../src/api/check-server/check-server.ts'
import type { CheckedProtocol } from '../../src/api/check-server/protocols.ts'
import { VERSION } from '../../src/protocol/version.ts'
import { checkConfigValue, startServer } from '../../src/server.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { spawnInstalled, spawnNode } from '../children.ts'
import { versionsOf } from '../environment.ts'

/** What is checked of a gateway: a protocol of its clients, in front of a protocol of the upstream. */
export interface Pair {
  readonly protocol: CheckedProtocol
  readonly upstream: WireName
}

type Address = Pick<CheckServerOptions, 'url' | 'model' | 'key' | 'headers'>

export interface RunningGateway {
  readonly version: string
  /** Absent if it runs in this process. */
  readonly pid?: number | undefined
  addressOf(pair: Pair): Address
  close(): Promise<void> | void
}

export interface GatewayUnderCheck {
  readonly name: string
  readonly pairs: readonly Pair[]
  /** How it is configured, for the page. */
  readonly configuration: string
  /** The only form of answers that it has. */
  readonly form?: 'streamed'
  /** Checks of what it does not have: a library has no server. */
  readonly without?: readonly string[]
  /** A program that npm cannot install here: its name in PATH, and what starts it. */
  readonly program?: string
  start(mock: string): Promise<RunningGateway>
}

const KEY = 'sk-conformance'

const pair = (protocol: CheckedProtocol, upstream: WireName): Pair => ({ protocol, upstream })

/** The base URL of a wire at the mock, as that of its vendor. */
const VERSIONS: Readonly<Partial<Record<WireName, string>>> = {
  'gemini-generate': '/v1beta',
  'gemini-interactions': '/v1beta',
  'ollama-chat': '',
}
const baseOf = (mock: string, wire: WireName): string => mock + (VERSIONS[wire] ?? '/v1')

// ---------------------------------------------------------------- processes

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const MOST_TRIES = 600
const BETWEEN_TRIES_MS = 100

/** Waits until a server answers. */
async function untilUp(url: string): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    )
    if (isUp) return
    await wait(BETWEEN_TRIES_MS)
  }
  throw new Error(`no server listens at ${url}`)
}

const PEERS = pathToFileURL(`${resolve('bench/peers')}/`)
const peerVersion = (name: string): string => versionsOf([name], 'bench/peers')[name] ?? ''

/** Runs a program of this folder with the packages of bench/peers, whose folder it is resolved from. */
async function startProgram(program: string, words: (port: number) => readonly string[]) {
  const port = await freePort()
  const child = spawnNode([program, ...words(port)], 'ignore')
  await untilUp(`http://127.0.0.1:${port}/`)
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, close: () => void child.kill() }
}

async function startInstalled(program: string, words: (port: number) => readonly string[]) {
  const port = await freePort()
  const child = await spawnInstalled(program, words(port))
  await untilUp(`http://127.0.0.1:${port}/`)
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, close: () => void child.kill() }
}

function writeTemporary(name: string, text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'millrace-conformance-')), name)
  writeFileSync(file, text)
  return file
}

// ---------------------------------------------------------------- gateways

const millrace: GatewayUnderCheck = {
  name: 'millrace',
  pairs: [
    pair('responses', 'openai-chat'),
    pair('responses', 'anthropic-messages'),
    pair('responses', 'openai-responses'),
    pair('chat', 'anthropic-messages'),
    pair('chat', 'gemini-generate'),
    pair('messages', 'openai-chat'),
    pair('messages', 'gemini-generate'),
    pair('messages', 'anthropic-messages'),
    pair('gemini', 'openai-chat'),
    pair('gemini', 'anthropic-messages'),
    pair('ollama', 'openai-chat'),
    pair('interactions', 'openai-chat'),
  ],
  configuration: 'one `vendors` entry for each mock wire, with `wire` and `base_url`; one client key',
  async start(mock) {
    const wires: readonly WireName[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate']
    const loaded = checkConfigValue({
      listen: { port: 0 },
      keys: [{ name: 'conformance', sha256: createHash('sha256').update(KEY).digest('hex') }],
      vendors: Object.fromEntries(wires.map((wire) => [wire, { wire, base_url: baseOf(mock, wire), key: KEY }])),
    })
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
    const { url, close } = await startServer(loaded.config)
    return {
      version: VERSION,
      addressOf: ({ protocol, upstream }) => ({
        url: `${url}/openai/${protocol === 'gemini' || protocol === 'interactions' ? 'v1beta' : 'v1'}`,
        model: `${upstream}/script`,
        key: KEY,
      }),
      close,
    }
  },
}

const PORTKEY_PROVIDERS: Readonly<Partial<Record<WireName, string>>> = {
  'anthropic-messages': 'anthropic',
  'gemini-generate': 'google',
  'openai-chat': 'openai',
  'openai-responses': 'openai',
}

const portkey: GatewayUnderCheck = {
  name: 'Portkey',
  pairs: [
    pair('chat', 'anthropic-messages'),
    pair('chat', 'gemini-generate'),
    pair('messages', 'anthropic-messages'),
    pair('responses', 'openai-responses'),
  ],
  configuration:
    '`@portkey-ai/gateway --headless`; each request with the headers `x-portkey-provider` (`anthropic`, `google`, `openai`) and `x-portkey-custom-host`. It answers Messages for OpenAI and Responses for Anthropic with “not supported”',
  async start(mock) {
    const program = createRequire(PEERS).resolve('@portkey-ai/gateway/build/start-server.js')
    const { url, pid, close } = await startProgram(program, (port) => [`--port=${port}`, '--headless'])
    return {
      version: peerVersion('@portkey-ai/gateway'),
      pid,
      addressOf: ({ upstream }) => ({
        url: `${url}/v1`,
        model: 'script',
        key: KEY,
        headers: {
          'x-portkey-provider': PORTKEY_PROVIDERS[upstream] ?? '',
          'x-portkey-custom-host': upstream === 'gemini-generate' ? mock : baseOf(mock, upstream),
        },
      }),
      close,
    }
  },
}

const llms: GatewayUnderCheck = {
  name: '@musistudio/llms',
  pairs: [pair('messages', 'openai-chat'), pair('messages', 'gemini-generate'), pair('messages', 'anthropic-messages')],
  configuration:
    'the engine of claude-code-router, with `providers` as in its README: without a transformer, with `gemini`, and with `Anthropic`; models are `PROVIDER,script`',
  async start(mock) {
    const provider = (name: string, path: string, ...use: readonly string[]) => ({
      name,
      api_base_url: mock + path,
      api_key: KEY,
      models: ['script'],
      ...(use.length === 0 ? {} : { transformer: { use } }),
    })
    const configuration = {
      providers: [
        provider('openai-chat', '/v1/chat/completions'),
        provider('gemini-generate', '/v1beta/models/', 'gemini'),
        provider('anthropic-messages', '/v1/messages', 'Anthropic'),
      ],
    }
    const program = fileURLToPath(new URL('llms.mjs', PEERS))
    const { url, pid, close } = await startProgram(program, (port) => [String(port), JSON.stringify(configuration)])
    return {
      version: peerVersion('@musistudio/llms'),
      pid,
      addressOf: ({ upstream }) => ({ url: `${url}/v1`, model: `${upstream},script`, key: KEY }),
      close,
    }
  },
}

const bridge: GatewayUnderCheck = {
  name: 'llm-bridge',
  pairs: [
    pair('chat', 'anthropic-messages'),
    pair('chat', 'gemini-generate'),
    pair('messages', 'openai-chat'),
    pair('messages', 'gemini-generate'),
    pair('responses', 'openai-chat'),
    pair('responses', 'anthropic-messages'),
    pair('gemini', 'openai-chat'),
    pair('gemini', 'anthropic-messages'),
  ],
  configuration:
    'a library: a host of this project (`bench/peers/llm-bridge.mjs`) calls `translateBetweenProviders`, `handleUniversalStreamRequest`, `parseProviderError` and `translateError`. It translates no whole answers, so that only streams are checked, and the rows that a host answers alone are left out',
  form: 'streamed',
  without: ['error-json', 'error-type', 'error-key', 'error-method', 'models', 'cancel'],
  async start(mock) {
    const program = fileURLToPath(new URL('llm-bridge.mjs', PEERS))
    const { url, pid, close } = await startProgram(program, (port) => [String(port), mock])
    return {
      version: peerVersion('llm-bridge'),
      pid,
      addressOf: ({ protocol, upstream }) => ({ url: `${url}/${protocol}/${upstream}`, model: 'script', key: KEY }),
      close,
    }
  },
}

const litellm: GatewayUnderCheck = {
  name: 'LiteLLM',
  pairs: [
    pair('chat', 'anthropic-messages'),
    pair('chat', 'gemini-generate'),
    pair('messages', 'openai-chat'),
    pair('responses', 'openai-chat'),
    pair('responses', 'anthropic-messages'),
  ],
  configuration: '`litellm --config FILE --host 127.0.0.1 --port PORT`, with one entry of `model_list` for each wire',
  program: 'litellm',
  async start(mock) {
    const entries = (['openai-chat', 'anthropic-messages', 'gemini-generate'] as const).map((wire) => ({
      model_name: wire,
      litellm_params: {
        model: `${{ 'openai-chat': 'openai', 'anthropic-messages': 'anthropic', 'gemini-generate': 'gemini' }[wire]}/script`,
        api_base: wire === 'anthropic-messages' ? mock : baseOf(mock, wire),
        api_key: KEY,
      },
    }))
    // JSON is YAML.
    const file = writeTemporary('config.yaml', JSON.stringify({ model_list: entries }))
    const words = (port: number) => ['--config', file, '--host', '127.0.0.1', '--port', String(port)]
    const { url, pid, close } = await startInstalled('litellm', words)
    return {
      version: 'installed',
      pid,
      addressOf: ({ upstream }) => ({ url: `${url}/v1`, model: upstream, key: KEY }),
      close,
    }
  },
}

const bifrost: GatewayUnderCheck = {
  name: 'Bifrost',
  pairs: [
    pair('chat', 'anthropic-messages'),
    pair('chat', 'gemini-generate'),
    pair('responses', 'openai-chat'),
    pair('responses', 'anthropic-messages'),
  ],
  configuration:
    '`bifrost-http -host 127.0.0.1 -port PORT -app-dir FOLDER`, with one entry of `providers` for each wire in its `config.json`',
  program: 'bifrost-http',
  async start(mock) {
    const provider = (base: string) => ({
      keys: [{ name: 'x', value: 'x', models: ['*'], weight: 1 }],
      network_config: { base_url: base },
    })
    const file = writeTemporary(
      'config.json',
      JSON.stringify({
        providers: { openai: provider(mock), anthropic: provider(mock), gemini: provider(`${mock}/v1beta`) },
      }),
    )
    const names: Readonly<Partial<Record<WireName, string>>> = {
      'openai-chat': 'openai',
      'anthropic-messages': 'anthropic',
      'gemini-generate': 'gemini',
    }
    const words = (port: number) => ['-host', '127.0.0.1', '-port', String(port), '-app-dir', join(file, '..')]
    const { url, pid, close } = await startInstalled('bifrost-http', words)
    return {
      version: 'installed',
      pid,
      addressOf: ({ upstream }) => ({ url: `${url}/v1`, model: `${names[upstream]}/script`, key: KEY }),
      close,
    }
  },
}

/** In the order of the page. */
export const GATEWAYS: readonly GatewayUnderCheck[] = [millrace, portkey, llms, bridge, litellm, bifrost]

/** What the page names besides, with the reason. */
export const NOT_CHECKED: readonly (readonly [name: string, reason: string])[] = [
  [
    'AI SDK (`ai`)',
    'its server helpers write its own UI message stream, which is the protocol of no client that `millrace check` has',
  ],
  ['hebo gateway (`@hebo-ai/gateway`)', 'npm has no package of this name'],
  ['responses.js (Hugging Face)', 'npm has no package of it'],
]
