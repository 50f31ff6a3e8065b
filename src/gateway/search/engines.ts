import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import type { Available } from '../../search/choose-engine.ts'
import {
  type EngineName,
  readEngineAnswer,
  type SearchAnswer,
  type SearchEngine,
  type SearchQuery,
  toEngineRequest,
} from '../../search/engine.ts'
import { ENGINES } from '../../search/registry.ts'
import { trimSlashes } from '../../text/trim-slashes.ts'
import { type Redact, redactError, redactor } from '../../wires/redact.ts'
import { retryAfterOf } from '../../wires/shared/upstream/retry-after.ts'
import { secretsIn } from '../auth/upstream-secrets.ts'
import { Cancellation, type CancellationSignal } from '../cancellation.ts'
import type { SearchConfig } from '../config/config.ts'
import { checkedKey, type Env, readSecret, readVariable } from '../config/secrets.ts'
import { readWhole } from '../upstream/read-response-body.ts'
import type { TransportTap } from '../upstream/tap.ts'
import type { Transport, UpstreamRequest } from '../upstream/transport.ts'

/** Results are excerpts of a few pages; a longer answer is rejected. */
const LONGEST_ANSWER = 8 * 1024 * 1024

/** The search engines of this server. */
export interface Searcher {
  readonly available: Available
  readonly config: SearchConfig
  /** Never rejects. The engine must be available. */
  find(engine: EngineName, query: SearchQuery, signal: CancellationSignal): Promise<SearchAnswer>
}

interface EngineAccount {
  readonly engine: SearchEngine
  readonly baseUrl: string
  readonly key: string | null
  /** Removes the secrets of this account from messages of its engine. */
  readonly redact: Redact
}

const toAccount = (engine: SearchEngine, baseUrl: string, key: string | null): EngineAccount => ({
  engine,
  baseUrl,
  key,
  redact: redactor(secretsIn({ key, baseUrl })),
})

const tapped = ({ engine, baseUrl }: EngineAccount, source: Transport, tap: TransportTap | undefined): Transport =>
  tap?.wrap(source, { vendor: engine.name, wire: null, quirks: {}, baseUrl }) ?? source

/** The configured engine, and the engines of the table whose key is set, for requests that name them. */
export function createSearch(config: SearchConfig, env: Env, source: Transport, tap?: TransportTap): Searcher {
  const defaultEngine = config.engine ?? null
  const accounts = new Map(
    Object.values<SearchEngine>(ENGINES).flatMap((engine) => {
      const account = engine.name === defaultEngine ? toDefaultAccount(engine, config, env) : fromTable(engine, env)
      return account === null ? [] : [[engine.name, account] as const]
    }),
  )
  return {
    available: { defaultEngine, engines: [...accounts.keys()] },
    config,
    find: async (name, query, signal) => {
      const account = accounts.get(name)
      if (account === undefined) throw new Error(`the search engine ${name} is not available`)
      return withinTime(account.engine, config.timeout_seconds, signal, (limited) =>
        fetchResults(account, query, tapped(account, source, tap), limited),
      )
    },
  }
}

/** The same engines, which make each search once and answer it again with the same results. */
export function rememberSearches(searcher: Searcher): Searcher {
  const made = new Map<string, Promise<SearchAnswer>>()
  return {
    ...searcher,
    find(engine, query, signal) {
      const key = JSON.stringify([engine, query])
      const answer = made.get(key) ?? searcher.find(engine, query, signal)
      made.set(key, answer)
      return answer
    },
  }
}

function fromTable(engine: SearchEngine, env: Env): EngineAccount | null {
  const { baseUrl, keyVariable } = engine
  const key = keyVariable === null ? '' : checkedKey(readVariable(env, keyVariable), keyVariable)
  return baseUrl === null || key === '' ? null : toAccount(engine, baseUrl, key)
}

function toDefaultAccount(engine: SearchEngine, config: SearchConfig, env: Env): EngineAccount {
  const baseUrl = config.base_url ?? engine.baseUrl
  if (baseUrl === null) throw new Error(`search.base_url: expected the base URL of ${engine.name}`)
  // The engine's key variable applies to its own address; another address gets only a key that the configuration names
  // for it.
  const usual = config.base_url === undefined ? readVariable(env, engine.keyVariable ?? '') || null : null
  const key = config.key === undefined ? usual : checkedKey(readSecret(config.key, 'search.key', env), 'search.key')
  if (key === null && engine.keyVariable !== null && config.base_url === undefined) {
    throw new Error(
      `search.key: the search engine ${engine.name} requires a key. Set search.key, or the environment variable ${engine.keyVariable}`,
    )
  }
  return toAccount(engine, baseUrl, key)
}

async function fetchResults(
  { engine, baseUrl, key, redact }: EngineAccount,
  query: SearchQuery,
  source: Transport,
  signal: CancellationSignal,
): Promise<SearchAnswer> {
  const { path, headers, body } = toEngineRequest(engine, query, key)
  const url = new URL(trimSlashes(baseUrl) + path)
  const call: UpstreamRequest = {
    url,
    headers: { ...headers, 'user-agent': 'millrace', 'accept-encoding': 'identity' },
    body,
    model: '',
    stream: false,
  }
  const answer = await source(call, signal)
  if (!answer.ok) return { ok: false, error: searchError(engine, answer.error) }
  const { status, headers: answerHeaders } = answer.value
  const text = await readWhole(answer.value, LONGEST_ANSWER)
  if (!text.ok) return { ok: false, error: searchError(engine, text.error) }
  const read = readEngineAnswer(engine, query, status, text.value, retryAfterOf(answerHeaders))
  return read.ok ? read : { ok: false, error: redactError(read.error, redact) }
}

/**
 * Converts the transport's error for an upstream to an error of a search engine. Passes on errors that are not the
 * transport's.
 */
function searchError({ name }: SearchEngine, error: GatewayError): GatewayError {
  if (error.party !== 'upstream' || error.code.startsWith('search_')) return error
  const late = error.status === 504
  return upstreamError(
    late ? 'search_timeout' : 'search_unavailable',
    `The search engine ${name} ${late ? 'did not answer in time' : 'cannot be reached'}.`,
    late ? 504 : 502,
  )
}

/** Aborts a search after `seconds`, or when the caller's `signal` aborts. */
async function withinTime(
  { name }: SearchEngine,
  seconds: number,
  signal: CancellationSignal,
  act: (limited: CancellationSignal) => Promise<SearchAnswer>,
): Promise<SearchAnswer> {
  const limited = new Cancellation()
  const late = upstreamError('search_timeout', `The search engine ${name} did not answer within ${seconds} s.`, 504)
  const timer = setTimeout(() => limited.abort(late), seconds * 1000)
  const listener = {
    onCancel() {
      if (signal.reason !== null) limited.abort(signal.reason)
    },
  }
  signal.listen(listener)
  listener.onCancel()
  try {
    return await act(limited)
  } finally {
    clearTimeout(timer)
    signal.forget(listener)
  }
}
