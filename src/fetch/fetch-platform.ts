import { memoryStore, type RateStore } from '../gateway/auth/rate-limit.ts'
import type { HookOptions } from '../gateway/call/hooks.ts'
import type { Config } from '../gateway/config/config.ts'
import type { Env } from '../gateway/config/secrets.ts'
import type { Hashes } from '../gateway/hashes.ts'
import type { GatewayContext } from '../gateway/open-gateway.ts'
import type { ReloadableConfig } from '../gateway/reloadable-config.ts'
import { type Log, upstreamLine } from '../gateway/telemetry/log.ts'
import type { Metrics } from '../gateway/telemetry/metrics-contract.ts'
import { createSender, LONGEST_ANSWER, type Sender } from '../gateway/telemetry/sender.ts'
import { guardReader } from '../gateway/upstream/reader-guard.ts'
import { createUpstreamGuard } from '../gateway/upstream/upstream-guard.ts'
import type { Recordings } from '../gateway/vendors/vendor-registry.ts'
import { concatenated, toHex } from '../text/bytes.ts'
import { bytesAhead, type Fetch, fetchTransport } from './fetch-transport.ts'
import { PORTABLE_HASHES } from './portable-hashes.ts'

/** The outside of a gateway without a server. */
interface FetchSurroundings {
  readonly env: Env
  readonly log: Log
  readonly send: Fetch
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Null: the memory of this process. */
  readonly rates: RateStore | null
  readonly recordings: Recordings | undefined
  readonly hooks: HookOptions
}

const NO_REPORT = { accepted: () => undefined, dropped: () => undefined, retried: () => undefined }

/** Metrics are those of one process, which such a platform may end at any time: the log has all of them. */
const NO_METRICS: Metrics = {
  note: () => undefined,
  noteRefusedTry: () => undefined,
  noteRestriction: () => undefined,
  noteUpstream: () => undefined,
  report: () => NO_REPORT,
}

/** Creates a sender that calls destinations by `fetch`. */
const openFetchSender = (send: Fetch, timeoutMs: number, hashes: Hashes): Sender =>
  createSender(
    async (url, { method, headers, body }) => {
      const { host: _, ...own } = headers as Readonly<Record<string, string>>
      const signal = AbortSignal.timeout(timeoutMs)
      const answer = await send(url, { method, headers: own, body: body as BodyInit, redirect: 'manual', signal })
      return {
        status: answer.status,
        header: (name) => answer.headers.get(name) ?? undefined,
        text: await readStart(answer.body),
      }
    },
    hashes,
    async () => undefined,
  )

async function readStart(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    size += value.length
    if (size <= LONGEST_ANSWER) continue
    // The rest would keep the connection busy.
    await reader.cancel()
    break
  }
  return new TextDecoder().decode(concatenated(chunks))
}

/** Bytes of one id. */
const SIZE = 24

/** Reading a few random bytes costs as much as reading many. */
const IDS = 32

/**
 * Returns a function that creates random, independent texts of 48 hexadecimal digits. The first random bytes are read at
 * its first call, because some platforms have none before the first request.
 */
export function createPortableRandom(): () => string {
  const pool = new Uint8Array(SIZE * IDS)
  let at = pool.length
  return () => {
    if (at === pool.length) {
      crypto.getRandomValues(pool)
      at = 0
    }
    at += SIZE
    return toHex(pool.subarray(at - SIZE, at))
  }
}

/** The platform of a gateway that has only what every runtime with `fetch` has. */
export const fetchPlatform = (
  config: Config,
  { env, log, send, clock, rates, recordings, hooks }: FetchSurroundings,
  settings: () => ReloadableConfig,
): GatewayContext => ({
  env,
  log,
  clock,
  random: createPortableRandom(),
  hashes: PORTABLE_HASHES,
  guardReader,
  source: fetchTransport(send, config.timeouts, bytesAhead(config.limits.answer_bytes)),
  sender: openFetchSender(send, config.forwarding.timeout_seconds * 1000, PORTABLE_HASHES),
  rates: rates ?? memoryStore(clock),
  metrics: NO_METRICS,
  guard: createUpstreamGuard(
    config.retry,
    () => performance.now(),
    (change) => log(upstreamLine(change)),
  ),
  history: null,
  store: null,
  recordings,
  tap: undefined,
  hooks,
  settings,
  isDraining: () => false,
})
