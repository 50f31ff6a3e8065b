import type { Env } from '../../gateway/config/secrets.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { lookup } from '../../text/lookup.ts'
import { findVendor, findVendorAt } from '../../vendors/registry.ts'
import type { WireName } from '../../wires/contract.ts'
import {
  type BuiltVendors,
  buildVendors,
  escaped,
  FIRST_BYTE,
  type ImportedSecret,
  type ImportedUpstream,
  secondsOf,
  toKeyEntry,
} from './built-config.ts'
import type { Importer } from './importer.ts'
import type { Reasons, Source } from './source.ts'

const REASONS: Reasons = [
  [/^PROXY_URL$/, 'set the variable HTTPS_PROXY'],
  [/^LOG(?:_LEVEL)?$/, 'options of the command: millrace serve --log, --log-level'],
  [/^CUSTOM_ROUTER_PATH$/, 'code of the operator: docs/library.md#hooks'],
  [/^transformers\b/, 'code of the operator: docs/library.md#hooks'],
  [/^Router\.(?:think|longContext)/, 'rules go by the name of the model, not by reasoning or length'],
  [/^Router\.webSearch/, 'web search runs at the vendor or an engine: search'],
  [/^Router\.image/, 'rules go by the name of the model, not by the content of the request'],
]

/** Transformers that stand for a vendor of the table or a wire. */
const VENDORS: Readonly<Record<string, string>> = {
  deepseek: 'deepseek',
  openrouter: 'openrouter',
  groq: 'groq',
  cerebras: 'cerebras',
  vercel: 'vercel-gateway',
  gemini: 'google',
  'vertex-gemini': 'vertex',
  'vertex-claude': 'vertex-anthropic',
}
const WIRES: Readonly<Record<string, WireName>> = {
  Anthropic: 'anthropic-messages',
  gemini: 'gemini-generate',
  'vertex-gemini': 'gemini-generate',
  'vertex-claude': 'anthropic-messages',
  'openai-responses': 'openai-responses',
}

/** Transformers whose work the gateway does for every upstream that needs it. */
const BUILT_IN: ReadonlySet<string> = new Set(['OpenAI', 'cleancache', 'reasoning', 'streamoptions'])

const ofTransformer = (name: string): string => `the gateway has no transformer ${name}; see vendors.NAME.quirks`
const OF_ONE_MODEL = 'it is set for one model only, and an entry of vendors applies to all its models'

const isKnown = (name: string): boolean =>
  name === 'maxtoken' || lookup(VENDORS, name) !== undefined || lookup(WIRES, name) !== undefined

/** The port on which claude-code-router listens if its file has none. */
const ITS_PORT = 3456

export const claudeCodeRouter: Importer = {
  title: 'claude-code-router',
  members: ['Providers', 'providers', 'Router'],
  addresses: (source) => [{ client: 'Anthropic', urls: [`http://HOST:${numberOf(source.at('PORT')) ?? ITS_PORT}`] }],
  reasons: REASONS,
  toConfig(source, env) {
    const vendors = buildVendors()
    const providers = source.at('Providers').value === undefined ? source.at('providers') : source.at('Providers')
    const names = new Map(
      providers.items().flatMap((provider): (readonly [string, string])[] => readProvider(provider, vendors)),
    )
    const models = readRouter(source.at('Router'), names)
    const listen = readListen(source, env)
    const timeout = source.at('API_TIMEOUT_MS')
    const milliseconds = numberOf(timeout)
    if (milliseconds !== null) timeout.note(FIRST_BYTE)
    return {
      ...listen,
      vendors: vendors.entries(),
      models,
      ...(milliseconds === null ? {} : { timeouts: { first_byte_seconds: secondsOf(milliseconds / 1000) } }),
    }
  },
}

/** Numbers may be texts. */
const numberOf = (source: Source): number | null => {
  const number = source.number() ?? (/^\d+$/.test(String(source.value)) ? Number(source.text()) : 0)
  return number > 0 ? number : null
}

// ---------------------------------------------------------------- variables

const VARIABLE = /^\$(?:\{(\w+)\}|(\w+))$/

const toSecret = (text: string): ImportedSecret => {
  const [found, braced, bare] = VARIABLE.exec(text) ?? []
  return found === undefined ? escaped(text) : { env: braced ?? bare ?? '' }
}

/** Variables stand anywhere in a text, with or without braces. */
const toText = (text: string): string =>
  text.replaceAll(/\$(?:\{(\w+)\}|([A-Za-z_]\w*))/g, (_, braced?: string, bare?: string) => `\${${braced ?? bare}}`)

// ---------------------------------------------------------------- providers

/** The name of a provider and of its vendor; none for a provider that cannot be reached. */
function readProvider(provider: Source, vendors: BuiltVendors): (readonly [string, string])[] {
  const name = provider.at('name').text()
  const address = provider.at('api_base_url').text()
  if (name === null || address === null) {
    provider.miss('expected name and api_base_url')
    return []
  }
  const transformers = readTransformers(provider.at('transformer'))
  const key = provider.at('api_key').text()
  if (key === null) provider.at('api_key').carry()
  const vendor = vendors.add(
    {
      ...placeOf(toText(address), transformers),
      ...(key === null ? {} : { key: toSecret(key) }),
      ...(transformers.body === null ? {} : { body: transformers.body }),
    },
    name,
  )
  // Clients name any model of a vendor, as VENDOR/MODEL.
  provider.at('models').carry()
  if (vendor !== name || !Object.hasOwn(vendors.entries(), vendor))
    provider.note(`the vendor ${vendor}: clients name its models ${vendor}/MODEL`)
  return [[name, vendor]]
}

interface Transformers {
  readonly row: string | null
  readonly wire: WireName
  readonly body: JsonObject | null
}

/** Transformers are names, or lists of a name and its options. */
function readTransformers(transformer: Source): Transformers {
  let found: Transformers = { row: null, wire: 'openai-chat', body: null }
  for (const entry of transformer.at('use').items()) {
    const [first, options] = Array.isArray(entry.value) ? entry.items() : [entry]
    const name = String(first?.value ?? '')
    const row = lookup(VENDORS, name)
    const wire = lookup(WIRES, name)
    const most = name === 'maxtoken' ? options?.at('max_tokens').number() : undefined
    if (typeof most === 'number') found = { ...found, body: { ...found.body, max_tokens: most } }
    else if (row !== undefined || wire !== undefined)
      found = { ...found, row: row ?? found.row, wire: wire ?? found.wire }
    else if (!BUILT_IN.has(name)) {
      entry.miss(ofTransformer(name))
      continue
    }
    first?.carry()
  }
  const ofAll = new Set(
    transformer
      .at('use')
      .items()
      .map(({ value }) => JSON.stringify(value)),
  )
  for (const [model, own] of transformer.members())
    if (model !== 'use')
      for (const entry of own.at('use').items()) {
        const name = String(Array.isArray(entry.value) ? entry.value[0] : entry.value)
        if (BUILT_IN.has(name) || ofAll.has(JSON.stringify(entry.value))) entry.carry()
        else entry.miss(isKnown(name) ? OF_ONE_MODEL : `of one model; ${ofTransformer(name)}`)
      }
  return found
}

/** The paths that the wire appends. */
const ENDS = /\/(?:chat\/completions|responses|v1\/messages|messages|models)\/?$/

function placeOf(address: string, { row, wire }: Transformers): Pick<ImportedUpstream, 'row' | 'wire' | 'base_url'> {
  const base = address.replace(ENDS, '').replace(/\/$/, '')
  const known = findVendorAt(`${base}/`)
  const own = known !== undefined && (row === null || known.name === row) ? known : undefined
  const vendor = own ?? (row === null ? undefined : findVendor(row))
  return {
    row: vendor?.name ?? null,
    ...(vendor?.wire === wire ? {} : { wire }),
    ...(vendor?.baseUrl === base ? {} : { base_url: escaped(base) }),
  }
}

// ---------------------------------------------------------------- router

/** The names that Claude Code sends. */
const BACKGROUND = 'claude*haiku*'
const ANY = 'claude*'

function readRouter(router: Source, names: ReadonlyMap<string, string>): JsonObject[] {
  const routeOf = (member: string): string | null => {
    const [, provider = '', model = ''] = /^([^,]+),(.+)$/.exec(String(router.at(member).value)) ?? []
    const vendor = names.get(provider)
    if (vendor === undefined) return null
    router.at(member).carry()
    return `${vendor}/${model}`
  }
  const rule = (match: string, route: string | null): JsonObject[] => (route === null ? [] : [{ match, to: [route] }])
  const background = routeOf('background')
  if (background !== null) router.at('background').note(`the models ${BACKGROUND}, which Claude Code uses for it`)
  const standard = routeOf('default')
  if (standard !== null) router.at('default').note(`the other models ${ANY}; VENDOR/MODEL reaches any other`)
  return [...rule(BACKGROUND, background), ...rule(ANY, standard)]
}

function readListen(source: Source, env: Env): JsonObject {
  const given = source.at('APIKEY').value
  const secret = typeof given === 'string' && given !== '' ? toSecret(given) : null
  const key = secret !== null && typeof secret === 'object' ? env[secret.env] : typeof given === 'string' ? given : ''
  const hasKey = key !== undefined && key !== ''
  if (hasKey) source.at('APIKEY').carry()
  else if (secret !== null && typeof secret === 'object')
    source.at('APIKEY').miss(`the configuration has the hash of a key: set ${secret.env}, and import again`)
  const host = hasKey ? source.at('HOST').text() : null
  if (!hasKey && source.at('HOST').value !== undefined)
    source.at('HOST').miss('without a key the server listens on loopback only')
  const port = numberOf(source.at('PORT'))
  const listen = { ...(host === null ? {} : { host: toText(host) }), ...(port === null ? {} : { port }) }
  return {
    ...(Object.keys(listen).length === 0 ? {} : { listen }),
    ...(hasKey ? { keys: [toKeyEntry('claude-code', key)] } : {}),
  }
}
