import type { JsonObject } from '../../protocol/json.ts'
import { isObject, toArray } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import {
  attemptsOf,
  type BuiltVendors,
  buildVendors,
  escaped,
  escapedIn,
  FIRST_BYTE,
  type ImportedSecret,
  type ImportedTarget,
  type ImportedUpstream,
  NO_AZURE_VERSION,
  secondsOf,
  toKeyEntry,
  toRule,
  VERTEX_KEY,
} from './built-config.ts'
import type { Importer } from './importer.ts'
import type { Reasons, Source } from './source.ts'

/** Providers of LiteLLM and the vendors of the table. */
const PROVIDERS: Readonly<Record<string, string>> = {
  openai: 'openai',
  azure: 'azure',
  azure_ai: 'foundry',
  anthropic: 'anthropic',
  gemini: 'google',
  vertex_ai: 'vertex',
  bedrock: 'bedrock',
  bedrock_converse: 'bedrock',
  groq: 'groq',
  deepseek: 'deepseek',
  mistral: 'mistral',
  xai: 'xai',
  openrouter: 'openrouter',
  together_ai: 'together',
  fireworks_ai: 'fireworks',
  cerebras: 'cerebras',
  perplexity: 'perplexity',
  deepinfra: 'deepinfra',
  cohere: 'cohere',
  cohere_chat: 'cohere',
  ollama: 'ollama',
  ollama_chat: 'ollama',
  hosted_vllm: 'vllm',
  lm_studio: 'lmstudio',
  huggingface: 'huggingface',
  github_copilot: 'copilot',
  databricks: 'databricks',
  snowflake: 'snowflake',
  moonshot: 'moonshot',
  dashscope: 'alibaba',
  zai: 'zai',
  minimax: 'minimax',
  novita: 'novita',
  vercel_ai_gateway: 'vercel-gateway',
  litellm_proxy: 'litellm-proxy',
}

/** The beginnings of names of models without a provider, as LiteLLM reads them; any other one is OpenAI's. */
const PROVIDERS_OF_NAMES: readonly (readonly [beginning: string, provider: string])[] = [
  ['claude', 'anthropic'],
  ['gemini', 'vertex_ai'],
  ['command', 'cohere'],
  ['mistral', 'mistral'],
  ['codestral', 'mistral'],
  ['magistral', 'mistral'],
]

const providerOf = (model: string): string =>
  PROVIDERS_OF_NAMES.find(([beginning]) => model.startsWith(beginning))?.[1] ?? 'openai'

const NOT_CHAT = 'millrace serves no embeddings, images, audio or reranking'
const NO_PRICES = 'millrace has no prices and no budgets'
const BY_CLIENT = 'limits are by the key of a client: rate_limit, keys[].rate_limit'

const REASONS: Reasons = [
  [/\.(?:rpm|tpm|max_parallel_requests)$|\.default_(?:api_key_)?(?:rpm|tpm)/, BY_CLIENT],
  [/cost|budget|spend/, NO_PRICES],
  [/\.model_info\b/, 'model facts come from the table (docs/models-facts.md)'],
  [/\.(?:stream_|request_)?timeout$/, 'time-outs apply to all upstreams: timeouts'],
  [/\.(?:max_retries|num_retries)$/, 'retries apply to all upstreams: retry.attempts'],
  [/cache_control/, 'breakpoints are set by vendors.NAME.cache: docs/prompt-caching.md'],
  [/(?<!prompt_)cache/, 'millrace caches no answers'],
  [/callbacks?\b|langfuse|callback_settings/, 'destinations of traces are configured anew: destinations'],
  [/guardrail/, 'millrace has no guardrails'],
  [/mcp/, 'millrace runs no MCP servers'],
  [/alert/, 'alerts come from the metrics: /metrics'],
  [/database|_db\b|store_model_in_db/, 'millrace has no database'],
  [/(?:content_policy|context_window)_fallbacks/, 'a request that an upstream refuses goes to no other one'],
  [/retry_policy|allowed_fails_policy/, 'retries are the same for all failures: docs/gateway.md'],
  [/redis/, 'each process has its own routing state; rate_limit.redis shares the limits of clients'],
  [/routing_strategy/, 'members of a pool take turns by weight, routes are called in their order'],
  [/\.aws_\w+$/, 'profiles and roles of AWS are not read: docs/vendors.md#addresses'],
  [/\.additional_drop_params$/, 'parameters are dropped only where a model refuses them: docs/losses.md'],
  [/\.litellm_params\.\w+$/, 'a default of a request: vendors.NAME.body would override the client’s'],
]

/** `os.environ/NAME` is a variable. */
const ENVIRONMENT = /^os\.environ\/(\w+)$/

const toSecret = (text: string): ImportedSecret => {
  const variable = ENVIRONMENT.exec(text)?.[1]
  return variable === undefined ? escaped(text) : { env: variable }
}

const toText = (text: string): string => {
  const variable = ENVIRONMENT.exec(text)?.[1]
  return variable === undefined ? escaped(text) : `\${${variable}}`
}

/** The text at a member, as the configuration has it; undefined if there is none. */
const textAt = (params: Source, ...names: readonly string[]): string | undefined => {
  for (const name of names) {
    const text = params.at(name).text()
    if (text !== null) return toText(text)
  }
  return undefined
}

const secretAt = (params: Source, name: string): ImportedSecret | undefined => {
  const text = params.at(name).text()
  return text === null ? undefined : toSecret(text)
}

interface Deployment extends ImportedTarget {
  readonly order: number
}

export const litellm: Importer = {
  title: 'LiteLLM',
  members: ['model_list', 'litellm_settings', 'router_settings', 'general_settings'],
  addresses: () => [
    { client: 'OpenAI', urls: ['http://HOST:4000', 'http://HOST:4000/v1'] },
    { client: 'Anthropic', urls: ['http://HOST:4000'] },
  ],
  reasons: REASONS,
  toConfig(source, env) {
    const vendors = buildVendors()
    const groups = readGroups(source.at('model_list'))
    const routes = new Map([...groups].map(([name, group]) => [name, routesOf(vendors, name, group, source)]))
    const models = withAliases(withFallbacks(routes, source), source)
    const keys = readKeys(source, env)
    const retry = readRetry(source)
    const timeouts = readTimeouts(source)
    carryDropParams(source.at('litellm_settings'))
    return {
      ...(keys === null ? {} : { keys: [keys] }),
      vendors: vendors.entries(),
      models: inOrder([...models].map(([match, to]) => ({ match, to }))).map(({ match, to }) =>
        toRule(match, to, source.at('model_list')),
      ),
      ...(Object.keys(retry).length === 0 ? {} : { retry }),
      ...(timeouts === null ? {} : { timeouts }),
    } as unknown as JsonObject
  },
}

/** Parameters that a model refuses are always dropped, as losses. */
const carryDropParams = (settings: Source): void => void settings.at('drop_params').carry()

// ---------------------------------------------------------------- models

/** Deployments by the name that clients send. */
function readGroups(list: Source): ReadonlyMap<string, readonly Deployment[]> {
  const groups = new Map<string, Deployment[]>()
  for (const entry of list.items()) {
    const mode = entry.at('model_info').at('mode').value
    if (typeof mode === 'string' && !/^(?:chat|responses|completion)$/.test(mode)) {
      entry.miss(NOT_CHAT)
      continue
    }
    const name = entry.at('model_name').text()
    if (name === null) {
      entry.miss('expected model_name, the name that clients send')
      continue
    }
    const deployment = readDeployment(entry.at('litellm_params'))
    if (deployment === null) continue
    groups.set(name, [...(groups.get(name) ?? []), deployment])
  }
  return groups
}

function readDeployment(params: Source): Deployment | null {
  const given = params.at('model').value
  if (typeof given !== 'string' || given === '') return null
  if (given === '*') return leaveToNames(params)
  const slash = given.indexOf('/')
  const prefix = slash === -1 ? '' : given.slice(0, slash)
  const own = params.at('custom_llm_provider').text()
  const isNamed = lookup(PROVIDERS, prefix) !== undefined || (prefix !== '' && own === null)
  const provider = own ?? (isNamed ? prefix : providerOf(given))
  const model = isNamed ? given.slice(slash + 1) : given
  const upstream = readUpstream(params, provider, model)
  if (upstream === null) return null
  params.at('model').carry()
  carryDropParams(params)
  return {
    upstream,
    model: model.replace(/^(?:converse|responses)\//, ''),
    weight: params.at('weight').number(),
    order: params.at('order').number() ?? Number.POSITIVE_INFINITY,
    label: provider,
  }
}

/** A rule for all names would take those of the form `<vendor>/<model>` as well, which LiteLLM sends to their provider. */
function leaveToNames(params: Source): null {
  params.at('model').carry()
  const key = params.at('api_key')
  if (String(key.value).startsWith('os.environ/')) key.carry()
  params.note(
    'no rule: <vendor>/<model> is served without one as soon as the vendor has a key; write a rule for names without a vendor',
  )
  return null
}

function readUpstream(params: Source, provider: string, model: string): ImportedUpstream | null {
  const row = rowOf(provider, model)
  const address = textAt(params, 'api_base', 'base_url')
  if (row === null && address === undefined) {
    params.miss(`millrace has no vendor for the provider ${provider}, and the deployment has no api_base`)
    return null
  }
  const key = secretAt(params, 'api_key')
  const headers = readHeaders(params)
  const body = params.at('extra_body').value
  const aws = readAws(params, row)
  const place = addressOf(params, row, address)
  if (place === null) return null
  return {
    ...place,
    ...(key === undefined ? {} : { key }),
    ...(aws === null ? {} : { aws }),
    ...(headers === null ? {} : { headers }),
    ...(isObject(body) ? { body: escapedIn(params.at('extra_body').carry()) as JsonObject } : {}),
  }
}

const rowOf = (provider: string, model: string): string | null => {
  if (provider === 'vertex_ai' && model.startsWith('claude')) return 'vertex-anthropic'
  return lookup(PROVIDERS, provider) ?? null
}

function addressOf(
  params: Source,
  row: string | null,
  address: string | undefined,
): Pick<ImportedUpstream, 'row' | 'wire' | 'base_url'> | null {
  if (row === 'azure') {
    if (address === undefined) {
      params.miss('expected api_base, the address of the Azure resource')
      return null
    }
    if (params.at('api_version').text() !== null) params.at('api_version').miss(NO_AZURE_VERSION)
    return { row, base_url: /\/openai\b/.test(address) ? address : `${address.replace(/\/$/, '')}/openai/v1` }
  }
  if ((row === 'vertex' || row === 'vertex-anthropic') && address === undefined) {
    const project = textAt(params, 'vertex_project')
    const location = textAt(params, 'vertex_location')
    if (project === undefined || location === undefined) {
      params.miss('expected vertex_project and vertex_location')
      return null
    }
    params.at('vertex_credentials').miss(VERTEX_KEY)
    const publisher = row === 'vertex' ? 'google' : 'anthropic/models'
    const host = location === 'global' ? 'aiplatform' : `${location}-aiplatform`
    return {
      row,
      base_url: `https://${host}.googleapis.com/v1/projects/${project}/locations/${location}/publishers/${publisher}`,
    }
  }
  // A server of another address that speaks Chat Completions, as LiteLLM calls it.
  if (row === null || (row === 'openai' && address !== undefined))
    return { row: null, wire: 'openai-chat', ...(address === undefined ? {} : { base_url: address }) }
  return { row, ...(address === undefined ? {} : { base_url: address }) }
}

const AWS_MEMBERS = [
  ['aws_region_name', 'region'],
  ['aws_access_key_id', 'access_key_id'],
  ['aws_secret_access_key', 'secret_access_key'],
  ['aws_session_token', 'session_token'],
] as const

function readAws(params: Source, row: string | null): Readonly<Record<string, ImportedSecret>> | null {
  if (row !== 'bedrock') return null
  const aws = AWS_MEMBERS.flatMap(([theirs, ours]) => {
    const value = ours === 'region' ? textAt(params, theirs) : secretAt(params, theirs)
    return value === undefined ? [] : [[ours, value] as const]
  })
  return aws.length === 0 ? null : Object.fromEntries(aws)
}

function readHeaders(params: Source): Readonly<Record<string, string>> | null {
  const organization = textAt(params, 'organization')
  const own = ['headers', 'extra_headers'].flatMap((name) =>
    params
      .at(name)
      .members()
      .flatMap(([header, value]) => {
        const text = value.text()
        return text === null ? [] : [[header, toText(text)] as const]
      }),
  )
  const all = [...own, ...(organization === undefined ? [] : [['OpenAI-Organization', organization] as const])]
  return all.length === 0 ? null : Object.fromEntries(all)
}

/** Deployments of one name take turns where they are one pool; else they are called in their order. */
function routesOf(
  vendors: BuiltVendors,
  name: string,
  group: readonly Deployment[],
  source: Source,
): readonly string[] {
  if (group.length === 1) return vendors.routesOf(group)
  const hasOrder = group.some(({ order }) => Number.isFinite(order))
  const pool = hasOrder ? null : vendors.poolOf(group, name.replaceAll('*', 'all'))
  if (pool !== null) return [pool]
  if (!hasOrder)
    source.at('model_list').note(`the deployments of ${name} are routes in their order, because they are not one pool`)
  return vendors.routesOf([...group].sort((a, b) => a.order - b.order))
}

// ---------------------------------------------------------------- rules

type Routes = ReadonlyMap<string, readonly string[]>

const SETTINGS = ['router_settings', 'litellm_settings'] as const

/** The first of these settings that is set, those of the router before those of the library. LiteLLM reads no other. */
function firstSetting(
  source: Source,
  names: readonly string[],
  isSet: (setting: Source) => boolean,
): Source | undefined {
  const [first, ...others] = SETTINGS.flatMap((settings) =>
    names.map((name) => source.at(settings).at(name)).filter(isSet),
  )
  if (first !== undefined) for (const other of others) replace(other, first)
  return first
}

/** Names a value that LiteLLM does not read, because another one applies. */
function replace(unused: Source, used: Source): void {
  unused.carry()
  unused.note(`${used.path} applies`)
}

const isList = ({ value }: Source): boolean => toArray(value).length > 0

const ANY_GROUP = '*'

/**
 * Adds the routes of the groups that follow a group: those of its own fallbacks, which may leave out the provider, or
 * else the default ones.
 */
function withFallbacks(groups: Routes, source: Source): Routes {
  const chains = new Map<string, Source>()
  for (const entry of firstSetting(source, ['fallbacks'], isList)?.items() ?? [])
    for (const [name, chain] of entry.members()) {
      const known = chains.get(name)
      // Of the chains of any group the last one applies, of those of one group the first one.
      const applies = known === undefined || name === ANY_GROUP
      if (applies) chains.set(name, chain)
      if (known !== undefined) replace(applies ? known : chain, applies ? chain : known)
    }
  const generic = chains.get(ANY_GROUP)
  const own = (name: string): Source | undefined => {
    const slash = name.indexOf('/')
    const isProvider = lookup(PROVIDERS, name.slice(0, Math.max(slash, 0))) !== undefined
    const model = name.slice(slash + 1)
    return chains.get(name) ?? (isProvider && model !== ANY_GROUP ? chains.get(model) : undefined)
  }
  const standard = firstSetting(source, ['default_fallbacks'], isList) ?? generic
  const used = new Set([...groups.keys()].map((name) => own(name) ?? standard))
  if (standard !== undefined && !used.has(standard)) standard.miss('no group of model_list uses them')
  else if (standard !== undefined && generic !== undefined && !used.has(generic)) replace(generic, standard)
  for (const [name, chain] of chains)
    if (name !== ANY_GROUP && !used.has(chain)) chain.miss('expected a name of model_list')
  const follow = (name: string, chain: Source | undefined): readonly string[] => {
    if (Array.isArray(chain?.value) && chain.value.length === 0) chain.carry()
    return (chain?.items() ?? []).flatMap((other) => {
      const routes = typeof other.value === 'string' ? groups.get(other.value) : undefined
      if (routes === undefined) other.miss('expected a name of model_list')
      return routes === undefined || other.carry() === name ? [] : routes
    })
  }
  return new Map(
    [...groups].map(([name, routes]) => [name, [...routes, ...follow(name, own(name) ?? standard)]] as const),
  )
}

function withAliases(groups: Routes, source: Source): Routes {
  const next = new Map(groups)
  for (const settings of SETTINGS)
    for (const [alias, target] of source.at(settings).at('model_group_alias').members()) {
      const model = isObject(target.value) ? target.at('model') : target
      const routes = typeof model.value === 'string' ? groups.get(model.value) : undefined
      if (routes === undefined) target.miss('expected a name of model_list')
      else {
        model.carry()
        target.at('hidden').carry()
        next.set(alias, routes)
      }
    }
  return next
}

/** The first rule that matches applies: names come before patterns, and long patterns before short ones. */
const inOrder = <Rule extends { readonly match: string }>(rules: readonly Rule[]): readonly Rule[] =>
  [...rules].sort((a, b) => Number(a.match.includes('*')) - Number(b.match.includes('*')) || lengthOf(b) - lengthOf(a))

const lengthOf = ({ match }: { readonly match: string }): number => (match.includes('*') ? match.length : 0)

// ---------------------------------------------------------------- settings

function readKeys(source: Source, env: Readonly<Record<string, string | undefined>>): JsonObject | null {
  const master = source.at('general_settings').at('master_key')
  if (typeof master.value !== 'string' || master.value === '') return null
  const variable = ENVIRONMENT.exec(master.value)?.[1]
  const key = variable === undefined ? master.value : env[variable]
  if (key === undefined || key === '') {
    master.miss(`the configuration has the hash of a key: set ${variable}, and import again, or run millrace key`)
    return null
  }
  master.carry()
  return toKeyEntry('master', key)
}

/** The number at a member of the settings of router or library, as `convert` has it. */
function settingAt(
  source: Source,
  names: readonly string[],
  convert: (value: number, setting: Source) => number,
): number | null {
  const setting = firstSetting(source, names, ({ value }) => Number.isFinite(value))
  const number = setting?.number() ?? null
  return setting === undefined || number === null ? null : convert(number, setting)
}

function readRetry(source: Source): Readonly<Record<string, number>> {
  const attempts = settingAt(source, ['num_retries'], attemptsOf)
  const failures = settingAt(source, ['allowed_fails'], (value, setting) => {
    setting.note('outages in a row, not failures in a minute: retry.breaker_failures')
    return Math.max(1, Math.trunc(value))
  })
  const seconds = settingAt(source, ['cooldown_time'], (value, setting) => {
    setting.note('the time between two probes: retry.breaker_seconds')
    return secondsOf(value)
  })
  return {
    ...(attempts === null ? {} : { attempts }),
    ...(failures === null ? {} : { breaker_failures: failures }),
    ...(seconds === null ? {} : { breaker_seconds: seconds }),
  }
}

function readTimeouts(source: Source): Readonly<Record<string, number>> | null {
  const seconds = settingAt(source, ['timeout', 'request_timeout'], (value, setting) => {
    setting.note(FIRST_BYTE)
    return secondsOf(value)
  })
  return seconds === null ? null : { first_byte_seconds: seconds }
}
