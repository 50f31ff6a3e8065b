import type { JsonObject } from '../../protocol/json.ts'
import { isObject, toArray } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import { findVendor } from '../../vendors/registry.ts'
import {
  attemptsOf,
  type BuiltVendors,
  buildVendors,
  escaped,
  FIRST_BYTE,
  type ImportedTarget,
  type ImportedUpstream,
  NO_AZURE_VERSION,
  secondsOf,
  toRule,
  VERTEX_KEY,
} from './built-config.ts'
import type { Importer } from './importer.ts'
import type { Reasons, Source } from './source.ts'

/** Providers of Portkey and the vendors of the table. Its requests are those of Chat Completions. */
const PROVIDERS: Readonly<Record<string, string>> = {
  openai: 'openai-chat',
  'azure-openai': 'azure-chat',
  'azure-ai': 'foundry',
  anthropic: 'anthropic',
  google: 'google',
  'vertex-ai': 'vertex',
  bedrock: 'bedrock',
  groq: 'groq',
  deepseek: 'deepseek',
  'mistral-ai': 'mistral',
  'x-ai': 'xai-chat',
  openrouter: 'openrouter',
  'together-ai': 'together',
  'fireworks-ai': 'fireworks',
  cerebras: 'cerebras',
  'perplexity-ai': 'perplexity',
  deepinfra: 'deepinfra',
  cohere: 'cohere',
  ollama: 'ollama',
  huggingface: 'huggingface',
  moonshot: 'moonshot',
  dashscope: 'alibaba',
  'novita-ai': 'novita',
  databricks: 'databricks',
  'snowflake-cortex': 'snowflake',
  'workers-ai': 'cloudflare',
}

const REASONS: Reasons = [
  [
    /\b(?:virtual_key|virtualKey)$/,
    'the keys of the vault are not in the file: set the key variable of the vendor, or vendors.NAME.key',
  ],
  [/api_?version$/i, NO_AZURE_VERSION],
  [/service_?account_?json$/i, VERTEX_KEY],
  [/\bcache\b/, 'millrace caches no answers'],
  [/guardrails?|hooks?\b/i, 'millrace has no guardrails'],
  [/on_?status_?codes/i, 'the failures are fixed: docs/models.md#fallback, docs/gateway.md'],
  [/request_?timeout$/i, 'time-outs apply to all upstreams: timeouts'],
  [/\bretry\b/, 'retries apply to all upstreams: retry.attempts'],
  [/forward_?headers/i, 'headers of clients reach no upstream'],
  [/metadata|trace_?id/i, 'traces have the session and user of a request: docs/observability'],
  [/override_?params\.\w+$/i, 'a parameter of Chat Completions, and the upstream has another protocol'],
]

/** Names are in snake case or camel case. */
const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const at = (source: Source, name: string): Source =>
  source.at(name).value === undefined ? source.at(camel(name)) : source.at(name)

export const portkey: Importer = {
  title: 'Portkey',
  members: ['strategy', 'targets', 'provider', 'virtual_key', 'virtualKey', 'override_params', 'overrideParams'],
  addresses: () => [
    { client: 'OpenAI', urls: ['https://api.portkey.ai/v1'] },
    { client: 'Anthropic', urls: ['https://api.portkey.ai'] },
  ],
  reasons: REASONS,
  toConfig(source) {
    const vendors = buildVendors()
    const rules = readRules(source, vendors)
    const retries = at(at(source, 'retry'), 'attempts')
    const attempts = retries.number()
    // A pause that an upstream asks for is always kept.
    at(at(source, 'retry'), 'use_retry_after_headers').carry()
    const timeout = at(source, 'request_timeout')
    const milliseconds = timeout.number()
    if (milliseconds !== null) timeout.note(FIRST_BYTE)
    return {
      vendors: vendors.entries(),
      models: rules,
      ...(attempts === null ? {} : { retry: { attempts: attemptsOf(attempts, retries) } }),
      ...(milliseconds === null ? {} : { timeouts: { first_byte_seconds: secondsOf(milliseconds / 1000) } }),
    } as unknown as JsonObject
  },
}

// ---------------------------------------------------------------- rules

/** A configuration of Portkey serves every name. */
const EVERY_NAME = '*'

function readRules(source: Source, vendors: BuiltVendors): readonly JsonObject[] {
  const strategy = at(source, 'strategy')
  const isConditional = at(strategy, 'mode').value === 'conditional'
  if (isConditional) return readConditions(source, vendors)
  const to = routesOf(source, vendors)
  return to.length === 0 ? [] : [toRule(EVERY_NAME, to, at(source, 'targets'))]
}

/** Conditions that compare the name of the model are rules; others have no equivalent. */
function readConditions(source: Source, vendors: BuiltVendors): readonly JsonObject[] {
  const strategy = at(source, 'strategy')
  const targets = new Map(
    at(source, 'targets')
      .items()
      .map((target) => [String(target.at('name').carry()), routesOf(target, vendors)] as const),
  )
  at(strategy, 'mode').carry()
  const rules: JsonObject[] = []
  const add = (names: readonly string[], target: Source): boolean => {
    const to = targets.get(String(target.value)) ?? []
    if (to.length === 0) return false
    target.carry()
    for (const match of names) if (!rules.some((rule) => rule.match === match)) rules.push(toRule(match, to, target))
    return true
  }
  for (const condition of at(strategy, 'conditions').items()) {
    const query = condition.at('query').at('params.model')
    const isAlone = condition.at('query').members().length === 1
    const names = [query.at('$eq').value, ...toArray(query.at('$in').value)].filter(
      (name): name is string => typeof name === 'string',
    )
    if (!isAlone || names.length === 0 || query.members().length !== 1)
      condition.miss('rules go by the name of the model: params.model with $eq or $in')
    else if (add(names, condition.at('then'))) query.carry()
  }
  add([EVERY_NAME], at(strategy, 'default'))
  return rules
}

/** The routes of a target, which may have targets of its own. */
function routesOf(source: Source, vendors: BuiltVendors): readonly string[] {
  const targets = at(source, 'targets').items()
  if (targets.length === 0) {
    const target = readTarget(source)
    return target === null ? [] : vendors.routesOf([target])
  }
  const mode = at(at(source, 'strategy'), 'mode')
  const kind = mode.carry()
  const isPlain = targets.every((target) => at(target, 'targets').value === undefined)
  if (kind === 'loadbalance' && isPlain) {
    const read = targets.flatMap((target) => readTarget(target) ?? [])
    const pool = read.length < 2 ? null : vendors.poolOf(read, read[0]?.label ?? '')
    if (pool !== null) return [pool]
    mode.note('targets of several vendors or models do not take turns: they are routes, the largest weight first')
    return vendors.routesOf([...read].sort((a, b) => (b.weight ?? 1) - (a.weight ?? 1)))
  }
  if (kind === 'loadbalance') mode.note('targets with targets of their own do not take turns: they are routes')
  if (kind === 'single') for (const target of targets.slice(1)) target.miss('the mode single uses the first target')
  const used = kind === 'single' ? targets.slice(0, 1) : targets
  for (const target of used) target.at('weight').carry()
  return used.flatMap((target) => routesOf(target, vendors))
}

// ---------------------------------------------------------------- targets

function readTarget(target: Source): ImportedTarget | null {
  const given = target.at('provider')
  const provider = typeof given.value === 'string' ? given.value : ''
  const row = lookup(PROVIDERS, provider.replace(/^@/, '')) ?? null
  const upstream = readUpstream(target, provider, row)
  if (upstream === null) return null
  given.carry()
  const model = readModel(target, row)
  return {
    upstream,
    model: model === null ? '*' : escaped(model),
    weight: target.at('weight').number(),
    label: target.at('name').text() ?? provider.replace(/^@/, ''),
  }
}

/** Azure calls a deployment, whatever model the request names. */
function readModel(target: Source, row: string | null): string | null {
  const named = at(target, 'override_params').at('model')
  const model = named.text()
  const deployment = row === 'azure-chat' ? firstSet(target, ['azure_deployment_id', 'deployment_id']) : undefined
  if (deployment !== undefined && model !== null && model !== deployment.value)
    named.note(`${deployment.path} is the model of the route`)
  return deployment?.text() ?? model
}

const firstSet = (target: Source, names: readonly string[]): Source | undefined =>
  names.map((name) => at(target, name)).find((member) => member.text() !== null)

/** Why a target has no upstream. */
function whyMissing(target: Source, provider: string, row: string | null): string {
  const key = at(target, 'virtual_key')
  const vaulted = provider.startsWith('@') ? provider : key.value === undefined ? null : key.path.replace(/^.*\./, '')
  if (row === null && vaulted !== null)
    return `the vendor of ${vaulted} is in the vault of Portkey: set provider, and import again`
  if (provider === '') return 'expected provider'
  if (row === null) return `millrace has no vendor for the provider ${provider}, and the target has no custom_host`
  if (row === 'vertex') return `expected vertex_project_id and vertex_region; ${VERTEX_KEY}`
  return row === 'azure-chat'
    ? 'expected azure_resource_name, or custom_host'
    : `expected custom_host, the address of ${provider}`
}

/** Names the key of an entry with an address of its own, which a check of the configuration does not require. */
function noteKey(target: Source, { row, base_url }: Pick<ImportedUpstream, 'row' | 'base_url'>): void {
  const vendor = row === null ? undefined : findVendor(row)
  if (base_url === undefined || (vendor?.keyVariable ?? null) === null || vendor?.awsService !== undefined) return
  const variable = vendor?.baseUrl === null ? `${vendor.keyVariable}, or ` : ''
  target.note(`without a key: set ${variable}vendors.NAME.key`)
}

function readUpstream(target: Source, provider: string, row: string | null): ImportedUpstream | null {
  const host = at(target, 'custom_host').text()
  const place = placeOf(target, row, host)
  if (place === null) {
    target.miss(whyMissing(target, provider, row))
    return null
  }
  const key = at(target, 'api_key').text()
  if (key === null) noteKey(target, place)
  const aws = readAws(target, row)
  const body = readBody(target, place)
  return {
    ...place,
    ...(key === null ? {} : { key: escaped(key) }),
    ...(aws === null ? {} : { aws }),
    ...(body === null ? {} : { body }),
  }
}

function placeOf(
  target: Source,
  row: string | null,
  host: string | null,
): Pick<ImportedUpstream, 'row' | 'wire' | 'base_url'> | null {
  if (host !== null)
    return row === null || row === 'openai-chat'
      ? { row: null, wire: 'openai-chat', base_url: escaped(host) }
      : { row, base_url: escaped(host) }
  if (row === 'azure-chat') {
    const resource = at(target, 'azure_resource_name').text() ?? at(target, 'resource_name').text()
    return resource === null ? null : { row, base_url: `https://${resource}.openai.azure.com/openai/v1` }
  }
  if (row === 'vertex') {
    const project = at(target, 'vertex_project_id').text()
    const region = at(target, 'vertex_region').text()
    const origin = region === 'global' ? 'aiplatform' : `${region}-aiplatform`
    return project === null || region === null
      ? null
      : {
          row,
          base_url: `https://${origin}.googleapis.com/v1/projects/${project}/locations/${region}/publishers/google`,
        }
  }
  const needsAddress: readonly string[] = ['foundry', 'databricks', 'snowflake', 'cloudflare']
  return row === null || needsAddress.includes(row) ? null : { row }
}

const AWS_MEMBERS = [
  ['aws_region', 'region'],
  ['aws_access_key_id', 'access_key_id'],
  ['aws_secret_access_key', 'secret_access_key'],
  ['aws_session_token', 'session_token'],
] as const

function readAws(target: Source, row: string | null): Readonly<Record<string, string>> | null {
  if (row !== 'bedrock') return null
  const aws = AWS_MEMBERS.flatMap(([theirs, ours]) => {
    const text = at(target, theirs).text()
    return text === null ? [] : [[ours, escaped(text)] as const]
  })
  return aws.length === 0 ? null : Object.fromEntries(aws)
}

/** Parameters of every request, in the form of Chat Completions. */
function readBody(target: Source, { row, wire }: Pick<ImportedUpstream, 'row' | 'wire'>): JsonObject | null {
  const isChat = wire === 'openai-chat' || (row !== null && CHAT_ROWS.has(row))
  const params = at(target, 'override_params')
  if (!isChat || !isObject(params.value)) return null
  const members = params.members().filter(([name]) => name !== 'model')
  for (const [, member] of members) member.carry()
  return members.length === 0
    ? null
    : (Object.fromEntries(members.map(([name, { value }]) => [name, value])) as JsonObject)
}

const OTHER_WIRES: ReadonlySet<string> = new Set(['anthropic', 'google', 'vertex', 'bedrock', 'cohere', 'ollama'])
const CHAT_ROWS: ReadonlySet<string> = new Set(Object.values(PROVIDERS).filter((name) => !OTHER_WIRES.has(name)))
