import type { JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import {
  attemptsOf,
  type BuiltVendors,
  buildVendors,
  escaped,
  FIRST_BYTE,
  type ImportedSecret,
  type ImportedTarget,
  type ImportedUpstream,
  secondsOf,
  toKeyEntry,
  toRule,
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
  [/\.model_info\b/, 'the facts of models are those of the table (docs/models-facts.md)'],
  [/\.(?:stream_)?timeout$/, 'time-outs are those of all upstreams: timeouts'],
  [/\.(?:max_retries|num_retries)$/, 'retries are those of all upstreams: retry.attempts'],
  [/cache/, 'millrace caches no answers'],
  [/callbacks?\b|langfuse|callback_settings/, 'destinations of traces are configured anew: destinations'],
  [/guardrail/, 'millrace has no guardrails'],
  [/mcp/, 'millrace runs no MCP servers'],
  [/alert/, 'alerts are those of the metrics: /metrics'],
  [/database|_db\b|store_model_in_db/, 'millrace has no database'],
  [/(?:content_policy|context_window)_fallbacks/, 'a request that an upstream refuses goes to no other one'],
  [/retry_policy|allowed_fails_policy/, 'retries are the same for all failures: docs/gateway.md'],
  [/redis/, 'the state of routing is that of one process; rate_limit.redis shares the limits of clients'],
  [/routing_strategy/, 'members of a pool take turns by weight, routes are called in their order'],
  [/\.aws_\w+$/, 'profiles and roles of AWS are not read: docs/vendors.md#addresses'],
  [/\.litellm_params\.\w+$/, 'a default of a request: vendors.NAME.body would override that of the client'],
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
  reasons: REASONS,
  toConfig(source, env) {
    const vendors = buildVendors()
    const groups = readGroups(source.at('model_list'))
    const routes = new Map([...groups].map(([name, group]) => [name, routesOf(vendors, name, group, source)]))
    const models = withAliases(withFallbacks(routes, source), source)
    const keys = readKeys(source, env)
    const retry = readRetry(source)
    const timeouts = readTimeouts(source)
    // Parameters that a model refuses are always dropped, as losses.
    source.at('litellm_settings').at('drop_params').carry()
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
  const slash = given.indexOf('/')
  const prefix = slash === -1 ? '' : given.slice(0, slash)
  const own = params.at('custom_llm_provider').text()
  const isNamed = lookup(PROVIDERS, prefix) !== undefined || (prefix !== '' && own === null)
  const provider = own ?? (isNamed ? prefix : providerOf(given))
  const model = isNamed ? given.slice(slash + 1) : given
  const upstream = readUpstream(params, provider, model)
  if (upstream === null) return null
  params.at('model').carry()
  return {
    upstream,
    model: model.replace(/^(?:converse|responses)\//, ''),
    weight: params.at('weight').number(),
    order: params.at('order').number() ?? Number.POSITIVE_INFINITY,
    label: provider,
  }
}

function readUpstream(params: Source, provider: string, model: string): ImportedUpstream | null {
  const row = rowOf(provider, model)
  const address = textAt(params, 'api_base', 'base_url')
  if (row === null && address === undefined) {
    params.miss(`millrace has no vendor for the provider ${provider}, and there is no api_base`)
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
    ...(isObject(body) ? { body: params.at('extra_body').carry() as JsonObject } : {}),
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
    if (params.at('api_version').text() !== null)
      params.at('api_version').miss('the address /openai/v1 of Azure has no version')
    return { row, base_url: /\/openai\b/.test(address) ? address : `${address.replace(/\/$/, '')}/openai/v1` }
  }
  if ((row === 'vertex' || row === 'vertex-anthropic') && address === undefined) {
    const project = textAt(params, 'vertex_project')
    const location = textAt(params, 'vertex_location')
    if (project === undefined || location === undefined) {
      params.miss('expected vertex_project and vertex_location')
      return null
    }
    params.at('vertex_credentials').miss('the key is an access token: VERTEX_ACCESS_TOKEN, or vendors.NAME.key')
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

/** Adds the routes of the groups that follow a group. */
function withFallbacks(groups: Routes, source: Source): Routes {
  const next = new Map(groups)
  const follow = (name: string, others: readonly Source[]): void => {
    for (const other of others) {
      const routes = typeof other.value === 'string' ? groups.get(other.value) : undefined
      if (routes === undefined) other.miss('expected a name of model_list')
      else if (other.carry() !== name) next.set(name, [...(next.get(name) ?? []), ...routes])
    }
  }
  for (const settings of SETTINGS) {
    for (const entry of source.at(settings).at('fallbacks').items())
      for (const [name, others] of entry.members())
        if (groups.has(name)) follow(name, others.items())
        else if (name === '*') for (const each of groups.keys()) follow(each, others.items())
        else others.miss('expected a name of model_list')
    const others = source.at(settings).at('default_fallbacks').items()
    if (others.length > 0) for (const name of groups.keys()) follow(name, others)
  }
  return next
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
  for (const settings of SETTINGS)
    for (const name of names) {
      const setting = source.at(settings).at(name)
      const number = setting.number()
      if (number !== null) return convert(number, setting)
    }
  return null
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
